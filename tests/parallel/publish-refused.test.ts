import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KnownError } from '../../src/foundation/errors.ts';
import { openHistoryBranch } from '../../src/history/branch/branch.ts';
import { freePort } from '../../src/host/machine/ports.ts';
import { ownerOf } from '../../src/host/machine/proc.ts';
import { startGitHttp } from '../integration/git-http.ts';
import { gitIn } from '../integration/git-repository.ts';
import { numberedRun } from '../integration/publication.ts';
import { IMPATIENT, publishFrom, publishPerTest } from '../integration/publish-bench.ts';

const bench = publishPerTest();

const TOKEN = 'ghs_not-a-real-token-0123456789';
const BASIC = Buffer.from(`x-access-token:${TOKEN}`).toString('base64');

/** A hook of the remote that prints and refuses, or does not. */
function hook(name: string, script: string): void {
  const path = join(bench.remote, 'hooks', name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

const tip = (branch = 'gh-pages') => gitIn(bench.remote, 'rev-parse', branch);

describe('a branch that is not written to', () => {
  it('because it is missing', async () => {
    expect(await bench.refused()).toMatchObject({
      kind: 'branch-missing',
      message: 'origin has no branch gh-pages',
      next: expect.stringContaining('--create-branch'),
    });
  });

  it('because a rule or a hook protects it, with what that said, at the first try', async () => {
    bench.seed('gh-pages');
    const before = tip();
    hook('pre-receive', 'echo "GH006: Protected branch update failed for refs/heads/gh-pages." >&2; exit 1');

    expect(await bench.refused()).toMatchObject({
      kind: 'protected',
      message: expect.stringMatching(/rejects pushes to its branch gh-pages.*GH006: Protected branch/),
      next: expect.stringContaining('Rules'),
    });
    expect([tip(), bench.lines]).toEqual([before, []]);
  });

  it('because the repository is not there', async () => {
    bench.scene.git('remote', 'set-url', 'origin', join(bench.scene.folder, 'none.git'));

    expect(await bench.refused()).toMatchObject({ kind: 'not-found', next: expect.stringContaining('get-url origin') });
  });

  it('because the network fails, after some tries', async () => {
    bench.scene.git('remote', 'set-url', 'origin', `http://127.0.0.1:${await freePort()}/one.git`);

    expect(await bench.refused()).toMatchObject({
      kind: 'network',
      message: expect.stringMatching(/origin cannot be reached: .*127\.0\.0\.1/),
      next: expect.stringContaining('run.json is kept'),
    });
    expect(bench.lines).toHaveLength(IMPATIENT.mostFailures - 1);
  });

  it('because others keep pushing', async () => {
    bench.seed('gh-pages');
    // As if somebody else had always been the first.
    hook('update', 'echo "cannot lock ref" >&2; exit 1');
    const patience = { ...IMPATIENT, mostRaces: 2 };

    expect(await bench.refused({ patience })).toMatchObject({ kind: 'contended' });
    expect(bench.lines).toEqual([expect.stringMatching(/^gh-pages: another push came first; retrying in/)]);
  });

  it.each([
    ['--remote', { remote: '--upload-pack=touch x' }],
    ['--branch', { branch: 'a..b' }],
    ['--branch', { branch: '-f' }],
    ['--branch', { branch: 'gh-pages:refs/heads/main' }],
    ['--branch', { branch: 'gh pages' }],
    ['--branch', { branch: 'a.lock' }],
    ['--folder', { folder: '../x' }],
    ['--folder', { folder: '.git/hooks' }],
    ['--folder', { folder: '/etc' }],
    ['--folder', { folder: 'a\nb' }],
    ['--folder', { folder: '' }],
  ])('because %s has odd characters: %j', async (flag, changed) => {
    const thrown = await bench.refused(changed);

    expect(thrown).toMatchObject({ name: 'ConfigError', message: expect.stringContaining(flag) });
    expect(String((thrown as KnownError).message)).not.toContain('\n');
  });

  it('because the remote is unknown, and names those that there are', async () => {
    expect(await bench.refused({ remote: 'upstream' })).toMatchObject({
      name: 'ConfigError',
      message: expect.stringContaining('no remote "upstream"'),
      next: expect.stringContaining('"origin"'),
    });
  });

  it('because there is no repository', async () => {
    expect(await bench.refused({ checkout: bench.scene.folder })).toMatchObject({
      name: 'ConfigError',
      message: expect.stringContaining('is not in a git repository'),
    });
  });

  it('because there is no git', async () => {
    process.env['PATH'] = bench.scene.folder;

    expect(await bench.refused()).toMatchObject({ name: 'EnvironmentError', message: 'git is missing' });
  });
});

describe('credentials', () => {
  const overHttp = (url: string) => bench.scene.git('remote', 'set-url', 'origin', `${url}/remote.git`);
  const isPush = (url: string | undefined) => (url ?? '').includes('git-receive-pack');

  it.each([
    [401, 'remote: Invalid username or token.'],
    [403, 'remote: Write access to repository not granted.'],
  ])('that are refused with %i are reported at the first attempt, without a secret', async (status, text) => {
    bench.seed('gh-pages');
    await using server = await startGitHttp(bench.scene.folder, ({ url }) =>
      isPush(url) ? { status, text } : undefined,
    );
    overHttp(server.url);
    const environment = { GITHUB_TOKEN: TOKEN, GITHUB_SERVER_URL: server.url };

    const thrown = await bench.refused({ environment });

    expect(thrown).toMatchObject({
      kind: 'credentials',
      message: expect.stringContaining('this account may not write'),
    });
    expect(bench.lines).toEqual([]);
    expect(JSON.stringify([thrown, String(thrown)])).not.toMatch(new RegExp(`${TOKEN}|${BASIC}`));
  });

  it('of a workflow are fixed by the lines that it needs', async () => {
    bench.seed('gh-pages');
    await using server = await startGitHttp(bench.scene.folder, () => ({ status: 403, text: '' }));
    overHttp(server.url);
    process.env['GITHUB_ACTIONS'] = 'true';

    expect(await bench.refused()).toMatchObject({ next: expect.stringContaining('permissions: { contents: write }') });
  });

  it('that the checkout has are taken, and not the token', async () => {
    bench.seed('gh-pages');
    await using server = await startGitHttp(bench.scene.folder);
    overHttp(server.url);
    bench.scene.git('config', `http.${server.url}/.extraheader`, 'AUTHORIZATION: basic Zm9v');

    await publishFrom(bench, numberedRun(1), { environment: { GITHUB_TOKEN: TOKEN, GITHUB_SERVER_URL: server.url } });

    expect(server.authorizations.length).toBeGreaterThan(2);
    expect(new Set(server.authorizations)).toEqual(new Set(['basic Zm9v']));
  });

  it('in a file that is included for this checkout only are taken', async () => {
    bench.seed('gh-pages');
    await using server = await startGitHttp(bench.scene.folder);
    overHttp(server.url);
    const file = join(bench.scene.folder, 'credentials.config');
    writeFileSync(file, `[http "${server.url}/"]\n\textraheader = AUTHORIZATION: basic aW5j\n`);
    bench.scene.git('config', `includeIf.gitdir:${bench.scene.repository}/.git.path`, file);

    await publishFrom(bench, numberedRun(1));

    expect(new Set(server.authorizations)).toEqual(new Set(['basic aW5j']));
  });

  it('of the environment are a token for its own server, and for no other', async () => {
    bench.seed('gh-pages');
    await using server = await startGitHttp(bench.scene.folder);
    overHttp(server.url);

    await publishFrom(bench, numberedRun(1), { environment: { GITHUB_TOKEN: TOKEN, GITHUB_SERVER_URL: server.url } });
    expect(new Set(server.authorizations)).toEqual(new Set([`basic ${BASIC}`]));

    const before = server.authorizations.length;
    await publishFrom(bench, numberedRun(2), { environment: { GITHUB_TOKEN: TOKEN } });
    expect(new Set(server.authorizations.slice(before))).toEqual(new Set([undefined]));
  });
});

describe('an address with a password', () => {
  it('is shown without it', async () => {
    const address = `http://ada:secret-word@127.0.0.1:${await freePort()}/one.git`;
    bench.scene.git('remote', 'set-url', 'origin', address);

    await using store = await openHistoryBranch({
      ...{ checkout: bench.scene.repository, remote: 'origin', branch: 'gh-pages', folder: 'performance' },
      ...{
        createBranch: false,
        owner: ownerOf(process.pid) ?? '',
        log: () => undefined,
        environment: {},
        patience: IMPATIENT,
      },
    });
    const thrown = await store.read('history/index.json').catch((error: unknown) => error);

    expect(store.address).toMatch(/^http:\/\/\*\*\*@127/);
    expect(thrown).toBeInstanceOf(KnownError);
    expect(String(thrown)).not.toContain('secret-word');
  });
});
