import { describe, expect, test } from 'vitest';
import { commandFor as commandOf } from '../../../../src/commands/action/command.ts';
import type { GithubEvent } from '../../../../src/github/event.ts';

const PULL_REQUEST: GithubEvent = {
  kind: 'pull-request',
  number: 12,
  baseSha: 'a'.repeat(40),
  baseRef: 'main',
  headSha: 'b'.repeat(40),
  isFork: false,
};
const PUSH: GithubEvent = { kind: 'push', branch: 'main', sha: 'c'.repeat(40), isDefaultBranch: true };

const commandFor = (event: GithubEvent, given: ReadonlyMap<string, string>, out: string) =>
  commandOf({ event, inputs: given, repository: 'one/service', out });

const inputs = (given: Readonly<Record<string, string>> = {}) => new Map(Object.entries(given));

describe('commandFor', () => {
  test('compares a pull request with where it parted from its base', () => {
    expect(commandFor(PULL_REQUEST, inputs(), '/tmp/out')).toEqual({
      mode: 'compare',
      argv: ['compare', `--base=${'a'.repeat(40)}`, '--merge-base', `--head=${'b'.repeat(40)}`, '--out=/tmp/out'],
    });
  });

  test('hands inputs on as flags of the same name, each as one argument', () => {
    const { argv } = commandFor(PULL_REQUEST, inputs({ budget: '5m', services: 'rest', policy: '--alpha=1' }), 'out');
    expect(argv).toContain('--budget=5m');
    expect(argv).toContain('--services=rest');
    expect(argv).toContain('--policy=--alpha=1');
  });

  test('a base that is given is taken as it is, and other events need one to be compared', () => {
    expect(commandFor(PULL_REQUEST, inputs({ base: 'v1' }), 'out').argv).not.toContain('--merge-base');
    expect(commandFor(PUSH, inputs({ base: 'v1', mode: 'compare' }), 'out').argv).toEqual([
      'compare',
      '--base=v1',
      '--out=out',
    ]);
    expect(() => commandFor(PUSH, inputs({ mode: 'compare' }), 'out')).toThrow(/nothing says what to compare with/);
  });

  test('a schedule and a start by hand are runs, which take no flags of a comparison', () => {
    for (const event of [{ kind: 'by-schedule' }, { kind: 'by-hand' }] as const) {
      expect(commandFor(event, inputs({ budget: '5m', suite: 'users' }), 'out')).toEqual({
        mode: 'run',
        argv: ['run', '--suite=users', '--out=out'],
      });
    }
  });

  test('a push is a run of as many rounds as a history needs, or as are asked for', () => {
    expect(commandFor(PUSH, inputs(), 'out').argv).toEqual(['run', '--rounds=3', '--out=out']);
    expect(commandFor(PUSH, inputs({ rounds: '5' }), 'out').argv).toEqual(['run', '--rounds=5', '--out=out']);
    expect(commandFor(PUSH, inputs({ mode: 'compare', base: 'v1' }), 'out').argv).not.toContain('--rounds=3');
  });

  test('refuses inputs, modes and events that it does not know, and says which there are', () => {
    expect(() => commandFor(PUSH, inputs({ budgt: '5m' }), 'out')).toThrow(/no input `budgt`/);
    expect(() => commandFor(PUSH, inputs({ budgt: '5m' }), 'out')).toThrow(
      expect.objectContaining({ next: expect.stringMatching(/^Did you mean `with: \{ budget: … \}`\? Inputs: /) }),
    );
    expect(() => commandFor(PUSH, inputs({ mode: 'fast' }), 'out')).toThrow(/`mode` is "fast"/);
    expect(() => commandFor({ kind: 'other', name: 'issues' }, inputs(), 'out')).toThrow(/the event "issues"/);
  });

  const MEASURED: GithubEvent = {
    kind: 'workflow-run',
    runId: 77,
    attempt: 1,
    event: 'pull_request',
    path: '.github/workflows/performance.yml@refs/heads/faster',
    headSha: 'b'.repeat(40),
    head: 'two:faster',
  };

  test('what a workflow measured of a fork is commented on, by what GitHub says of it', () => {
    expect(commandFor(MEASURED, inputs(), 'out')).toEqual({
      mode: 'comment',
      argv: [
        'publish-fork-comment',
        '--repository=one/service',
        '--workflow-run=77',
        `--head-sha=${'b'.repeat(40)}`,
        '--head=two:faster',
      ],
    });
  });

  test('another workflow of the same name, another event and a fork that is gone give no comment', () => {
    const other = { ...MEASURED, path: '.github/workflows/forged.yml' };
    expect(() => commandFor(other, inputs(), 'out')).toThrow(/forged\.yml, and .*performance\.yml is the one/);
    expect(commandFor(other, inputs({ workflow: '.github/workflows/forged.yml' }), 'out').mode).toBe('comment');
    expect(() => commandFor({ ...MEASURED, event: 'push' }, inputs(), 'out')).toThrow(/no comment to write/);
    expect(() => commandFor({ ...MEASURED, head: undefined }, inputs(), 'out')).toThrow(/fork .* is gone/);
    expect(() => commandFor(PUSH, inputs({ mode: 'comment' }), 'out')).toThrow(/no comment to write/);
  });

  test('a shard is a comparison that fails for nothing, unless that is asked for', () => {
    const { argv } = commandFor(PULL_REQUEST, inputs({ shard: '1/2' }), 'out');

    expect(argv).toEqual(expect.arrayContaining(['compare', '--shard=1/2', '--fail-on=never']));
    expect(commandFor(PULL_REQUEST, inputs({ shard: '1/2', 'fail-on': 'regression' }), 'out').argv).not.toContain(
      '--fail-on=never',
    );
    expect(commandFor(PULL_REQUEST, inputs(), 'out').argv).not.toContain('--fail-on=never');
  });

  test('plans and merges shards for any event', () => {
    const given = inputs({ mode: 'plan', suite: 'users', shards: '2', runtime: 'docker' });

    expect(commandFor(PUSH, given, 'out')).toEqual({
      mode: 'plan',
      argv: ['plan', '--suite=users', '--shards=2', '--out=out'],
    });
    expect(commandFor(PULL_REQUEST, inputs({ mode: 'merge', runs: 'shards', 'fail-on': 'never' }), 'out')).toEqual({
      mode: 'merge',
      argv: ['merge', '--runs=shards', '--fail-on=never', '--allow-lost', '--judge', '--out=out/run.json'],
    });
  });
});
