import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type CommandEnd, wiregauge } from './project.ts';
import { expectRefusal } from './refusal.ts';

/** A repository with a wiregauge.yml. */
export interface BadProject {
  readonly root: string;
  readonly write: (path: string, text: string) => void;
  /** The shortest main job, in plain processes. */
  readonly run: (argv?: readonly string[], environment?: Readonly<Record<string, string>>) => Promise<CommandEnd>;
  readonly remove: () => void;
}

/** A repository in a temporary folder; `faulty.mjs` lies in it. */
export function badProject(): BadProject {
  const root = mkdtempSync(join(tmpdir(), 'bad-project-'));
  cpSync('tests/fixtures/services/faulty.mjs', join(root, 'faulty.mjs'));
  return {
    root,
    write(path, text) {
      mkdirSync(join(root, path, '..'), { recursive: true });
      writeFileSync(join(root, path), text);
    },
    run: async (argv = [], environment = {}) =>
      await wiregauge(['run', '--profile', 'smoke', '--runtime', 'process', ...argv], { cwd: root, environment }),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Programs that have this text in their command lines, and still run. */
export function runningWith(text: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .map(commandLine)
    .filter((line) => line.includes(text));
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    // It ended since the folder was listed.
    return '';
  }
}

/** One message with the words and, below it, what to do; exit code 2, and nothing of the project left running. */
export function expectOneMessage(end: CommandEnd, words: RegExp, next: RegExp): void {
  expectRefusal(end, words);
  const [message = '', ...others] = end.stderr.split('\n').filter((line) => !line.startsWith('  '));
  expect(message).toMatch(/^wiregauge: /);
  expect(others.join('')).toBe('');
  expect(end.stderr).toMatch(next);
}
