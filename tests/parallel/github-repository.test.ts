import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/foundation/errors.ts';
import { openGitHub } from '../../src/github/api/github.ts';
import { WORKFLOW_TOKEN } from '../github-api/state.ts';
import { caught } from './fake-tools.ts';
import { githubPerTest, PULL } from './github-bench.ts';

const bench = githubPerTest();
const SHA = 'a'.repeat(40);
const LABEL = 'wiregauge: accepted';

describe('a label', () => {
  it('comes with who added it last, and when, also where that is on the third page', async () => {
    const { state } = bench.api;
    state.labels.set(PULL, ['bug', LABEL]);
    const closed = { issue: PULL, event: 'closed', actor: 'somebody', at: '2026-11-01T00:00:00Z' } as const;
    state.events.push({ issue: PULL, event: 'labeled', label: LABEL, actor: 'first', at: '2026-11-01T00:00:00Z' });
    state.events.push({ issue: PULL, event: 'unlabeled', label: LABEL, actor: 'first', at: '2026-11-02T00:00:00Z' });
    state.events.push(...Array.from({ length: 220 }, () => closed));
    state.events.push({ issue: PULL, event: 'labeled', label: LABEL, actor: 'second', at: '2026-11-03T00:00:00Z' });
    state.events.push({ issue: PULL, event: 'labeled', label: 'bug', actor: 'third', at: '2026-11-04T00:00:00Z' });
    state.events.push({ issue: 8, event: 'labeled', label: LABEL, actor: 'elsewhere', at: '2026-11-05T00:00:00Z' });

    const event = await bench.github().labelEvent(PULL, LABEL);

    expect(event).toEqual({ by: 'second', at: '2026-11-03T00:00:00Z' });
  });

  it('counts no more once it was taken off', async () => {
    const { state } = bench.api;
    state.labels.set(PULL, ['bug']);
    state.events.push({ issue: PULL, event: 'labeled', label: LABEL, actor: 'first', at: '2026-11-01T00:00:00Z' });

    expect(await bench.github().labelEvent(PULL, LABEL)).toBeUndefined();
  });

  it('does not count where no event says who added it', async () => {
    bench.api.state.labels.set(PULL, [LABEL]);

    expect(await bench.github().labelEvent(PULL, LABEL)).toBe('unknown');
  });
});

describe('a check run', () => {
  const check = {
    name: 'wiregauge',
    headSha: SHA,
    conclusion: 'failure',
    title: 'Slower',
    summary: 'By 5%.',
  } as const;

  it('is updated by the next run on the same commit, and recreated on another', async () => {
    await bench.github().checkRun(check);
    const { url } = await bench.github().checkRun({ ...check, conclusion: 'success', title: 'Passed' });
    await bench.github().checkRun({ ...check, headSha: 'b'.repeat(40) });

    const found = bench.api.state.checks.map(({ headSha, conclusion, title }) => [headSha[0], conclusion, title]);
    expect(found).toEqual([
      ['a', 'success', 'Passed'],
      ['b', 'failure', 'Slower'],
    ]);
    expect(url).toBe('https://github.test/owner/repository/runs/1001');
  });

  it('leaves that of a job with the same name alone', async () => {
    const job = { id: 1, headSha: SHA, name: 'wiregauge', status: 'in_progress', conclusion: undefined };
    bench.api.state.checks.push({ ...job, externalId: 'of-the-job', title: '', summary: '', annotations: [] });

    await bench.github().checkRun(check);

    expect(bench.api.state.checks.map(({ status }) => status)).toEqual(['in_progress', 'completed']);
  });

  it('is not doubled where its creation arrived but went unanswered', async () => {
    bench.api.fail('checks/create', { kind: 'reset', isDone: true });

    await bench.github().checkRun(check);

    expect(bench.api.state.checks).toHaveLength(1);
    expect(bench.api.requested).toEqual([
      'checks/list-for-ref',
      'checks/create',
      'checks/list-for-ref',
      'checks/update',
    ]);
  });

  it('says which permission is missing', async () => {
    bench.api.fail('checks/create', { kind: 'read-only' });

    const thrown = await caught(bench.github().checkRun(check));

    expect(thrown).toMatchObject({ kind: 'read-only', next: expect.stringContaining('checks: write') });
  });
});

describe('a file on a branch', () => {
  const file = { branch: 'gh-pages', path: 'performance/history/index.json' };

  it('is there or not, and not there where the token may not look', async () => {
    expect(await bench.github().hasFile(file)).toBe(false);
    bench.api.state.files.add('gh-pages:performance/history/index.json');
    expect(await bench.github().hasFile(file)).toBe(true);
    expect(await bench.github().hasFile({ ...file, branch: 'main' })).toBe(false);
    bench.api.fail('repos/get-content', { kind: 'read-only' });
    expect(await bench.github().hasFile(file)).toBe(false);
  });

  it('is not said to be missing where GitHub does not answer', async () => {
    bench.api.fail('repos/get-content', { kind: 'bad-gateway' }, 4);

    await expect(bench.github().hasFile(file)).rejects.toMatchObject({ kind: 'unavailable' });
  });
});

describe('a pull request', () => {
  const pull = { number: PULL, state: 'open', head: 'fork:branch', headSha: SHA, baseSha: 'c'.repeat(40) } as const;

  it('is found by its head, also of a fork that is gone, if it is open', async () => {
    const { pulls } = bench.api.state;
    pulls.push({ ...pull, headRepository: 'fork/repository' });
    pulls.push({ ...pull, number: 8, state: 'closed' }, { ...pull, number: 9, headSha: 'd'.repeat(40) });
    pulls.push({ ...pull, number: 10, head: 'gone:other' });

    const [found, gone, ...others] = await bench.github().openPullRequests(SHA);

    expect(found).toEqual({
      number: PULL,
      isOpen: true,
      headSha: SHA,
      headRef: 'branch',
      headRepository: 'fork/repository',
    });
    expect(gone).toMatchObject({ number: 10 });
    expect(others).toEqual([]);
  });

  it('is shown by its number, and refused where there is none', async () => {
    bench.api.state.pulls.push({ ...pull, state: 'closed' });

    expect(await bench.github().pullRequest(PULL)).toMatchObject({ number: PULL, isOpen: false, headSha: SHA });
    expect(await caught(bench.github().pullRequest(99))).toMatchObject({
      kind: 'not-found',
      message: 'GitHub did not show pull request #99 of owner/repository: HTTP 404, Not Found',
    });
  });
});

describe('an artifact', () => {
  const zip = Buffer.from('what a zip may hold');

  it('is found by its run and name, the newest first, and downloaded without the token', async () => {
    const ours = { runId: 5, name: 'wiregauge', zip };
    bench.api.state.artifacts.push({ ...ours, id: 1 }, { ...ours, id: 2 }, { ...ours, id: 3, name: 'other' });
    bench.api.state.artifacts.push({ ...ours, id: 4, runId: 6 });

    const found = await bench.github().artifacts(5, 'wiregauge');

    expect(found.map(({ id }) => id)).toEqual([2, 1]);
    expect(Buffer.from(await bench.github().artifactZip(2, zip.byteLength))).toEqual(zip);
    expect(bench.api.requested).toContain('storage');
  });

  it('is refused where it is larger than it may be, or has expired', async () => {
    bench.api.state.artifacts.push({ id: 1, runId: 5, name: 'large', zip });
    bench.api.state.artifacts.push({ id: 2, runId: 5, name: 'old', zip, isExpired: true });

    expect(await caught(bench.github().artifactZip(1, zip.byteLength - 1))).toMatchObject({ kind: 'invalid' });
    expect(await caught(bench.github().artifactZip(2, 1000))).toMatchObject({ kind: 'not-found' });
  });

  it.each(['bad-gateway', 'reset', 'cut'] as const)('is downloaded again after %s', async (kind) => {
    bench.api.state.artifacts.push({ id: 1, runId: 5, name: 'wiregauge', zip });
    bench.api.fail('storage', { kind }, 2);

    expect(Buffer.from(await bench.github().artifactZip(1, 1000))).toEqual(zip);
  });
});

describe('opening a repository', () => {
  const options = { apiUrl: 'https://api.github.com', token: WORKFLOW_TOKEN, owner: 'owner', repo: 'repository' };

  it.each([
    ['no token', { token: '' }, /there is no token/],
    ['a token that is none', { token: 'line\nbreak' }, /invalid characters/],
    ['an address that would show the token to everybody', { apiUrl: 'http://github.test/api/v3' }, /https:/],
    ['a name that leaves the repository', { repo: '../other' }, /cannot be the repo/],
  ])('refuses %s', (_name, wrong, message) => {
    const open = () => openGitHub({ ...options, ...wrong, log: () => undefined });

    expect(open).toThrow(ConfigError);
    expect(open).toThrow(message);
  });
});
