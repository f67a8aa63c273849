import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { afterEach, expect, test, vi } from 'vitest';
import { completionsOf } from '../../../../src/commands/help/complete.ts';
import { commandLine } from '../../../../src/commands/program/program.ts';

const complete = async (...words: readonly string[]) =>
  (
    await completionsOf(
      commandLine(() => undefined),
      words,
    )
  ).map((line) => line.split('\t')[0]);

afterEach(() => {
  vi.restoreAllMocks();
});

test.each([
  [['judge', '--policy', ''], [':files']],
  [['judge', '--base', 'a.txt'], [':files']],
  [['report', 'sui'], [':files']],
  [['run', '--out', ''], [':folders']],
  [['run', '--out='], [':folders']],
  [
    ['run', '--runtime', ''],
    ['auto', 'docker', 'process', 'kubernetes', 'both'],
  ],
  [['run', '--runtime=b'], ['--runtime=both']],
  [['run', '--runtime', '=', 'b'], ['both']],
  [
    ['run', '--runtime', '='],
    ['auto', 'docker', 'process', 'kubernetes', 'both'],
  ],
  [['run', '--seed', ''], []],
  [['history', 'im'], ['import']],
  [
    ['history', 'import', '--format', 'custom-'],
    ['custom-smaller', 'custom-bigger'],
  ],
  [
    ['completion', ''],
    ['bash', 'zsh', 'fish'],
  ],
  [['explain', 'regr'], ['regressed']],
  [['explain', 'p9'], expect.arrayContaining(['p99'])],
  [['compare', '--servi'], ['--services']],
  [['publish', '--hea'], []],
])('%j', async (words, offered) => {
  expect(await complete(...words)).toEqual(offered);
});

test('a hidden flag is not offered', async () => {
  const program = new Command('x')
    .addOption(new Option('--secret <file>').hideHelp())
    .option('--open <file>', 'a file');

  expect(await completionsOf(program, ['--'])).toEqual(['--open\ta file', '--help\tdisplay help for command']);
});

test('services are those that a project describes, also several in one file', async () => {
  const root = mkdtempSync(join(tmpdir(), 'complete-'));
  try {
    mkdirSync(join(root, 'services', 'greeter'), { recursive: true });
    mkdirSync(join(root, 'services', 'hops'), { recursive: true });
    writeFileSync(join(root, 'services', 'greeter', 'service.yml'), '');
    writeFileSync(
      join(root, 'services', 'hops', 'services.yml'),
      'services:\n  hop-one: { protocol: rest }\n  hop-two: { protocol: rest }\n',
    );
    vi.spyOn(process, 'cwd').mockReturnValue(root);

    expect(await complete('compare', '--services', 'greeter,hop-')).toEqual(['greeter,hop-one', 'greeter,hop-two']);
    expect(await complete('versus', 'g')).toEqual(['greeter']);

    writeFileSync(join(root, 'services', 'hops', 'services.yml'), '[');
    expect(await complete('compare', '--services', '')).toEqual([]);
  } finally {
    rmSync(root, { recursive: true });
  }
});
