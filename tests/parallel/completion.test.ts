import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SHELLS, type Shell } from '../../src/commands/help/completion.ts';
import { calledIn } from '../support/called-in.ts';
import { requiresPrograms } from '../support/requires.ts';

let root = '';
const script = (shell: Shell): string => join(root, `completion.${shell}`);

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'completion-'));
  for (const shell of SHELLS) {
    const { exitCode, stdout } = await calledIn('.', ['completion', shell]);
    expect(exitCode).toBe(0);
    writeFileSync(script(shell), stdout);
  }
  for (const name of ['shop', 'stock', '$(touch broken)']) {
    mkdirSync(join(root, 'suites'), { recursive: true });
    writeFileSync(join(root, 'suites', `${name}.yml`), '');
    mkdirSync(join(root, 'services', name), { recursive: true });
    writeFileSync(join(root, 'services', name, 'service.yml'), '');
  }
  mkdirSync(join(root, 'services', 'family'));
  writeFileSync(join(root, 'services', 'family', 'services.yml'), 'services:\n  one: { protocol: rest }\n');
  mkdirSync(join(root, 'bin'));
  mkdirSync(join(root, 'noted'));
  const program = `IFS=:
[ ! -e "${root}/noted/$*" ] || exec cat "${root}/noted/$*"
exec node '${resolve('dist', 'cli.js')}' "$@"`;
  writeFileSync(join(root, 'bin', 'wiregauge'), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
  const git = (...argv: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@x.test', ...argv], { cwd: root });
  git('init', '--quiet', '--initial-branch=main');
  git('commit', '--quiet', '--allow-empty', '--message=first');
  git('branch', 'feature/quick');
});
afterAll(() => rmSync(root, { recursive: true }));

/** Lets the program that shells start answer for these words as it does in this one: each start of it takes longer than the shell. */
async function note(...words: readonly string[]): Promise<void> {
  const argv = ['__complete', ...words];
  const { stdout } = await calledIn(root, argv);
  writeFileSync(join(root, 'noted', argv.join(':')), stdout);
}

/** What a shell offers for the last of the words, in order of letters, without the flag that it follows. */
type Ask = (...words: readonly string[]) => readonly string[];

function outputOf(program: string, argv: readonly string[]): readonly string[] {
  const env = { ...process.env, PATH: `${join(root, 'bin')}${delimiter}${process.env['PATH']}` };
  const { status, stdout, stderr, error } = spawnSync(program, argv, { cwd: root, env, encoding: 'utf8' });
  expect({ status, stderr, error }).toEqual({ status: 0, stderr: '', error: undefined });
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .sort();
}

/** Bash parts "--suite=shop" at the sign. */
const askBash: Ask = (...words) => {
  const line = words.flatMap((word) => word.split(/(?<==)|(?==)/));
  const code = `source "$1"; shift; COMP_WORDS=(wiregauge "$@"); COMP_CWORD=$#; _wiregauge; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return outputOf('bash', ['--norc', '-c', code, 'bash', script('bash'), ...line]);
};

/** With the functions of its completion system stood in for: they need a terminal. */
const askZsh: Ask = (...words) => {
  const code = `
    compdef() { : }
    compset() { : }
    _describe() { for one in "\${(@P)2}"; do [[ \${one%%:*} == \${shown}* ]] && print -r -- \${one%%:*}; done; return 0 }
    _files() { print -r -- FILES $* }
    source "$1"; shift; words=(wiregauge "$@"); CURRENT=$#words; shown=$words[-1]; _wiregauge`;
  return outputOf('zsh', ['-f', '-c', code, 'zsh', script('zsh'), ...words]).map((one) =>
    one.replace(/^--[\w-]+=/, ''),
  );
};

const askFish: Ask = (...words) => {
  const line = ['wiregauge', ...words].map((word) => word.replaceAll("'", "\\'")).join(' ');
  const offered = outputOf('fish', [
    '--no-config',
    '-c',
    'source $argv[1]; complete -C $argv[2]',
    script('fish'),
    line,
  ]);
  const before = /^--[\w-]+=/.exec(words.at(-1) ?? '')?.[0] ?? '';
  return offered.map((one) => (one.split('\t')[0] ?? '').replace(before, ''));
};

const ASKED: Readonly<Record<Shell, Ask>> = { bash: askBash, zsh: askZsh, fish: askFish };

describe.each(SHELLS)('the script for %s', (shell) => {
  const ask = ASKED[shell];
  const isTried = requiresPrograms('shells', [shell]);

  it.runIf(isTried).each([
    [['comp'], ['compare', 'completion']],
    [['history', 'i'], ['import']],
    [['compare', '--bas'], ['--base']],
    [['run', '--fo'], ['--for']],
    [['compare', '--profile', 'st'], ['standard']],
    [['compare', '--json', '--profile=st'], ['standard']],
    [
      ['run', '--runtime', ''],
      ['auto', 'both', 'docker', 'kubernetes', 'process'],
    ],
    [
      ['history', 'import', '--format', 'custom-'],
      ['custom-bigger', 'custom-smaller'],
    ],
    [['completion', 'f'], ['fish']],
    [['explain', 'regr'], ['regressed']],
    [
      ['compare', '--suite', 's'],
      ['shop', 'stock'],
    ],
    [['compare', '--base', 'feat'], ['feature/quick']],
    [['compare', '--base', 'main', '--servi'], ['--services']],
  ])('completes %j', async (words, offered) => {
    await note(...words);

    expect(ask(...words)).toEqual(offered);
  });

  it.runIf(isTried)('completes the second service of a list', async () => {
    await note('compare', '--services', 'shop,st');
    const offered = ask('compare', '--services', 'shop,st').map((one) => one.replace(/^shop,/, ''));

    expect(offered).toEqual(['stock']);
  });

  it.runIf(isTried)('completes a service that is described among others, by the program itself', () => {
    expect(ask('compare', '--services', 'on')).toEqual(['one']);
  });

  it.runIf(isTried)('runs nothing that a file is called', async () => {
    await note('compare', '--suite', '');
    await note('compare', '--services', '');
    ask('compare', '--suite', '');
    ask('compare', '--services', '');

    expect(outputOf('ls', [root])).not.toContain('broken');
  });
});

describe('the script for zsh', () => {
  it.runIf(requiresPrograms('shells', ['zsh']))('has zsh complete files and folders', async () => {
    await note('report', 'sui');
    await note('run', '--out=');

    expect(askZsh('report', 'sui')).toEqual(['FILES']);
    expect(askZsh('run', '--out=')).toEqual(['FILES -/']);
  });
});

describe('the script for bash', () => {
  it('leaves files to the shell where a file is wanted', async () => {
    await note('report', 'sui');
    await note('judge', '--policy', '');

    expect(askBash('report', 'sui')).toEqual([]);
    expect(askBash('judge', '--policy', '')).toEqual([]);
  });
});
