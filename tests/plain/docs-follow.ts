import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { expect } from 'vitest';
import { parse } from 'yaml';
import { blocksOf, type DocsBlock } from '../support/docs-blocks.ts';

/** Somebody who does what a document says, in a folder of their own. */
export interface Follower {
  /** Does all that a document says, from the top; fails where something does not happen as it is said. The text is the file's unless given. */
  follow(file: string, text?: string): Promise<void>;
  /** A file where the reader is by now. */
  read(path: string): string;
  /** Somebody else, with a copy of what is there by now. */
  copy(): Follower;
  remove(): void;
}

/** Begins in an empty folder. */
export function follower(): Follower {
  const home = mkdtempSync(join(tmpdir(), 'follow-'));
  mkdirSync(join(home, 'work'));
  layPrograms(home);
  return following(home, { folder: join(home, 'work') });
}

/** Where the follower is by now. */
interface Place {
  folder: string;
}

function following(home: string, place: Place): Follower {
  return {
    async follow(file, text) {
      for (const block of blocksOf(file, text)) {
        await doWhatItSays(block, home, place);
      }
    },
    read: (path) => readFileSync(join(place.folder, path), 'utf8'),
    copy() {
      const other = mkdtempSync(join(tmpdir(), 'follow-'));
      cpSync(home, other, { recursive: true });
      return following(other, { folder: place.folder.replace(home, other) });
    },
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}

async function doWhatItSays(block: DocsBlock, home: string, place: Place): Promise<void> {
  const { file, line, language, text, writes, like } = block;
  if (writes !== undefined) {
    const path = join(place.folder, writes);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  if (like !== undefined) {
    expect(parse(readFileSync(join(place.folder, like), 'utf8')), `${file}:${line}`).toEqual(parse(text));
  }
  if (language === 'sh' && block.notRun === undefined) {
    const { exitCode, output } = await runInShell(text, home, place);
    expect(exitCode, `${file}:${line} ended otherwise:\n${output}`).toBe(block.exits);
    expect(output, `${file}:${line}`).toContain(block.prints ?? '');
  }
}

/** Runs commands as a terminal would that stops at the first mistake, and stays where they lead. */
async function runInShell(
  text: string,
  home: string,
  place: Place,
): Promise<{ exitCode: number | null; output: string }> {
  const at = join(home, 'at');
  const script = `trap 'pwd > "${at}"' EXIT\n${text}`;
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: place.folder,
    env: environment(home),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  shell.stdout.on('data', (chunk) => {
    output += chunk;
  });
  shell.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const [exitCode] = await once(shell, 'close');
  place.folder = readFileSync(at, 'utf8').trimEnd();
  return { exitCode, output };
}

/** The machine's, without what a workflow or a user's settings of git add. */
function environment(home: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(GITHUB_|GIT_|RUNNER_TEMP|CI$|NODE_OPTIONS|VITEST)/.test(name),
  );
  return {
    ...Object.fromEntries(own),
    PATH: `${join(home, 'bin')}:${process.env['PATH'] ?? ''}`,
    GIT_CONFIG_GLOBAL: join(home, 'gitconfig'),
    GIT_CONFIG_NOSYSTEM: '1',
  };
}

/** `npx wiregauge` is this repository's bundle; nothing else is fetched. */
function layPrograms(home: string): void {
  mkdirSync(join(home, 'bin'));
  const program = join(home, 'bin/npx');
  const lines = [
    '#!/bin/sh',
    '[ "$1" = wiregauge ] || exit 127',
    'shift',
    `exec '${process.execPath}' '${resolve('dist/cli.js')}' "$@"`,
  ];
  writeFileSync(program, `${lines.join('\n')}\n`);
  chmodSync(program, 0o755);
  writeFileSync(join(home, 'gitconfig'), '[user]\n\tname = Ada\n\temail = ada@example.org\n');
}
