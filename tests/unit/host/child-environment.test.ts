import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openInBrowser } from '../../../src/host/browser.ts';
import { runChild, startChild } from '../../../src/host/child.ts';
import { runGit } from '../../../src/host/git/git.ts';
import { childEnvironment, githubToken, keepToken } from '../../../src/host/workflow.ts';

const SECRETS = {
  GITHUB_TOKEN: 'ghs_secret',
  GH_TOKEN: 'ghs_secret',
  INPUT_TOKEN: 'ghs_secret',
  ACTIONS_RUNTIME_TOKEN: 'ghs_secret',
  GITHUB_ENV: '/secret/env',
  GITHUB_OUTPUT: '/secret/output',
};

let folder: string;
/** What a program that was started printed of its environment. */
let printed: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wiregauge-children-'));
  printed = join(folder, 'environment.txt');
  vi.stubEnv('GITHUB_ACTIONS', 'true');
  vi.stubEnv('PRINTED', printed);
  for (const [name, value] of Object.entries(SECRETS)) {
    vi.stubEnv(name, value);
  }
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

/** A program of that name which prints its environment, first on PATH. */
const fake = (name: string) => {
  const path = join(folder, name);
  writeFileSync(path, '#!/bin/sh\nenv > "$PRINTED.new" && mv "$PRINTED.new" "$PRINTED"\n');
  chmodSync(path, 0o755);
  vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);
  return path;
};

describe('the environment of a program that is started', () => {
  test.each<[string, () => Promise<unknown>]>([
    [
      'by the one function for programs, with all that this process has',
      () => runChild({ argv: [fake('some')], cwd: folder, environment: process.env }, { limitSeconds: 20 }),
    ],
    [
      'by it as a service',
      async () => (await startChild({ argv: [fake('served')], cwd: folder, environment: { ...process.env } })).ended,
    ],
    ['by git', () => runGit(folder, ['-c', `alias.shown=!${fake('shown')}`, 'shown'])],
    [
      'as a browser',
      async () => {
        const opener = process.platform === 'darwin' ? 'open' : 'xdg-open';
        fake(opener);
        await openInBrowser(new URL('file:///x'), {
          // As on a desk: nothing is opened in a CI job or over SSH.
          environment: { ...process.env, CI: '', SSH_CONNECTION: '', SSH_TTY: '', BROWSER: '', DISPLAY: ':0' },
          platform: process.platform,
        });
        await vi.waitFor(() => expect(existsSync(printed)).toBe(true), { timeout: 20_000 });
      },
    ],
  ])('has no token, input or command file of the workflow, started %s', async (_how, start) => {
    await start();

    const environment = readFileSync(printed, 'utf8');
    expect(environment).toContain('GITHUB_ACTIONS=true');
    expect(environment).not.toMatch(/secret/);
  });

  test('has what a caller gives by another value, and credentials that a program needs', async () => {
    const environment = { ...process.env, GITHUB_TOKEN: 'own' };
    const credentials = { ACTIONS_RUNTIME_TOKEN: 'for the cache' };
    await runChild({ argv: [fake('some')], cwd: folder, environment, credentials }, { limitSeconds: 20 });

    const found = readFileSync(printed, 'utf8');
    expect(found).toContain('GITHUB_TOKEN=own');
    expect(found).toContain('ACTIONS_RUNTIME_TOKEN=for the cache');
  });

  test('is the own one of the user outside of a workflow', () => {
    const own = { PATH: '/bin', GITHUB_TOKEN: 'mine', NONE: undefined };

    expect(childEnvironment(own, own)).toEqual({ PATH: '/bin', GITHUB_TOKEN: 'mine' });
  });

  test('never has the token that the action was given', async () => {
    {
      using _token = keepToken('ghs_of_the_action');
      await runChild({ argv: [fake('some')], cwd: folder, environment: process.env }, { limitSeconds: 20 });

      expect(githubToken()).toBe('ghs_of_the_action');
    }
    expect(readFileSync(printed, 'utf8')).not.toContain('ghs_of_the_action');
    expect(githubToken()).toBe('ghs_secret');
  });
});

/** Files of src that start programs with functions of Node.js, and so have to call childEnvironment. */
const STARTING = [
  'src/host/browser.ts',
  'src/host/child.ts',
  'src/host/git/git.ts',
  'src/host/locks.ts',
  'src/host/machine/descendants.ts',
  'src/host/machine/proc.ts',
  'src/runtime/docker/images/build.ts',
  'src/runtime/driver/channel.ts',
];

test('every file that starts programs makes their environment by the one function', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const starting = files
    .map((path) => ({ path: `src/${path}`, text: readFileSync(join('src', path), 'utf8') }))
    .filter(
      ({ text }) =>
        /^import \{[^}]*\} from 'node:child_process'/m.test(text) &&
        !/^import type/m.test(text.match(/^import.*child_process.*$/m)?.[0] ?? ''),
    );

  expect(starting.map(({ path }) => path).toSorted()).toEqual(STARTING);
  for (const { path, text } of starting) {
    const starts = [...text.matchAll(/\b(?:spawn|execFile|execFileSync)\(/g)].length;
    expect([path, [...text.matchAll(/\bchildEnvironment\(/g)].length]).toEqual([path, starts]);
  }
});
