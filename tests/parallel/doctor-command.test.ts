import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeEach, expect, it, vi } from 'vitest';
import { runCommandLine } from '../../src/commands/program/program.ts';
import { currentFolderPerTest } from '../support/current-folder.ts';
import { catchPrinted } from '../support/printed.ts';

const GOOD = `services:
  shop: { protocol: rest, port: 8000, process: { command: [node, x.js] } }
operations: [{ name: Index, rest: GET / }]
`;

const folder = currentFolderPerTest();
const printed = catchPrinted();

beforeEach(() => {
  vi.stubEnv('GITHUB_TOKEN', undefined);
  vi.stubEnv('GITHUB_EVENT_PATH', undefined);
});

interface Check {
  readonly about: string;
  readonly state: string;
  readonly says: string;
  readonly next?: string;
}

async function checks(exitCode: number): Promise<ReadonlyMap<string, Check>> {
  expect(await runCommandLine(['doctor', '--json'])).toBe(exitCode);
  const { ready, checks: all } = JSON.parse(printed.out) as { ready: boolean; checks: readonly Check[] };
  expect(ready).toBe(exitCode === 0);
  return new Map(all.map((check) => [check.about, check]));
}

it('finds a machine ready for a service that is started without a container', async () => {
  folder.write('wiregauge.yml', GOOD);

  const found = await checks(0);

  expect(found.get('configuration')).toMatchObject({ state: 'ok', says: 'shop: Index' });
  expect(found.get('system')).toMatchObject({ state: 'ok' });
  expect(found.get('git')).toMatchObject({
    state: 'warning',
    says: expect.stringContaining('not in a git repository'),
  });
});

it('says of a folder without a configuration that the machine is ready, and what to run first', async () => {
  expect(await runCommandLine(['doctor'])).toBe(0);

  expect(printed.out).toMatch(/\nMachine ready\. No configuration yet: wiregauge init\n$/);
  expect(printed.out).not.toContain('Ready: wiregauge run');
});

it.each([
  ['a misspelt key', GOOD.replace('port:', 'prot:'), /wiregauge\.yml:2:.*prot: is an unknown key/],
  ['a Dockerfile that is not there', GOOD.replace(/process: .* \}/, 'image: {} }'), /there is no Dockerfile/],
  [
    'a variable that is not set',
    GOOD.replace('port:', 'headers: { A: "${env.NOT_SET_HERE}" }, port:'),
    /NOT_SET_HERE is not set/,
  ],
  ['a policy that is wrong', `${GOOD}policy: { inconclusive: maybe }\n`, /policy\.inconclusive/],
])('has a problem with %s', async (_, text, says) => {
  folder.write('wiregauge.yml', text);

  expect((await checks(2)).get('configuration')).toMatchObject({
    state: 'problem',
    says: expect.stringMatching(says),
    next: expect.stringMatching(/\w/),
  });
});

it('names `wiregauge init` where there is nothing to measure', async () => {
  expect((await checks(0)).get('configuration')).toMatchObject({
    state: 'warning',
    next: expect.stringContaining('wiregauge init'),
  });
});

it('says what a clone has and what the workflow of a fork lacks, in lines for people', async () => {
  const git = (...argv: readonly string[]) =>
    execFileSync('git', ['-C', folder.root, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...argv]);
  git('init', '--quiet');
  git('commit', '--quiet', '--allow-empty', '--message', 'one');
  git('remote', 'add', 'origin', 'https://me:secret@example.com/x.git');
  const sha = 'a'.repeat(40);
  const event = {
    pull_request: {
      number: 1,
      base: { sha, ref: 'main', repo: { full_name: 'a/b' } },
      head: { sha, repo: { full_name: 'c/b' } },
    },
  };
  folder.write('event.json', JSON.stringify(event));
  vi.stubEnv('GITHUB_ACTIONS', 'true');
  vi.stubEnv('GITHUB_EVENT_NAME', 'pull_request');
  vi.stubEnv('GITHUB_EVENT_PATH', join(folder.root, 'event.json'));

  expect(await runCommandLine(['doctor'])).toBe(0);

  expect(printed.out).toMatch(/^warning {2}token: the pull request is from a fork.*\n {9}.*\/how-to\/forks\.html/m);
  expect(printed.out).toMatch(/^ok {7}git: .* has its whole history$/m);
  expect(printed.out).toContain('git remote: https://example.com/x.git');
  expect(printed.out).not.toContain('secret@');
});
