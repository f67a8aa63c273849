import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { isInRounds } from '../../src/model/run/comparison.ts';
import { formatRun, type Run } from '../../src/model/run/run.ts';
import { type GitHubApi, startGitHubApi } from '../github-api/server.ts';
import { WORKFLOW_TOKEN } from '../github-api/state.ts';
import { type ActEnd, act, publishedAction } from '../integration/act-job.ts';
import { gitIn } from '../integration/git-repository.ts';
import { requires } from '../support/requires.ts';
import { type SampleShard, threeShards } from '../support/sample-shards.ts';
import type { Step } from '../support/workflow-files.ts';

const NUMBER = 12;
const SLOWER = { rounds: 15, worse: [{ tier: 'saturation', by: 0.1 }] };

const CALLER = `name: performance
on: [pull_request]
permissions: {}
jobs:
  performance:
    permissions: { contents: read, pull-requests: write }
    uses: ./.github/workflows/benchmark.yml
    with: { suite: small, profile: standard }
`;

/** The workflow as it is, but for what act has not: artifacts, and a machine to measure on. */
function benchmarkWorkflow(shards: string): string {
  const { jobs, ...workflow } = parse(readFileSync('.github/workflows/benchmark.yml', 'utf8')) as Workflow;
  const { plan, measure, judge } = jobs;
  const [, planning] = plan.steps;
  const [, merge] = judge.steps;
  const reported = {
    run: 'echo "a shard - $SHARD of $SERVICES"',
    env: { SHARD: measure.steps[1]?.with?.['shard'], SERVICES: expression('matrix.services') },
  };
  return stringify({
    ...workflow,
    jobs: {
      // A checkout of a commit that act is to fetch from nowhere; without one it takes the files as they are.
      plan: { ...plan, steps: [{ uses: 'actions/checkout@v5' }, planning] },
      measure: { ...measure, steps: [reported] },
      judge: { ...judge, steps: [{ ...merge, with: { ...merge?.with, args: `--runs=${shards}` } }] },
    },
  });
}

interface Workflow {
  readonly jobs: Readonly<Record<'plan' | 'measure' | 'judge', { readonly steps: readonly Step[] }>>;
}

const expression = (text: string) => `$\{{ ${text} }}`;

describe.runIf(requires('act'))('the action judges what several jobs measured', () => {
  let action: ReturnType<typeof publishedAction>;
  let github: GitHubApi;
  let folder: string;

  beforeAll(() => {
    // What its jobs use of it: none of them measures.
    action = publishedAction(['dist']);
  });
  afterAll(() => action.remove());

  beforeEach(async () => {
    github = await startGitHubApi();
    folder = mkdtempSync(join(tmpdir(), 'shards-'));
    write('repository/.github/workflows/performance.yml', CALLER);
    write('repository/.github/workflows/benchmark.yml', benchmarkWorkflow(join(folder, 'shards')));
    write('repository/suites/small.yml', SUITE);
    for (const name of ['one', 'two', 'three']) {
      write(`repository/services/${name}/service.yml`, MANIFEST.replace('NAME', name));
    }
    const root = join(folder, 'repository');
    gitIn(root, 'init', '--quiet', '--initial-branch=main');
    gitIn(root, 'add', '--all');
    gitIn(root, 'commit', '--quiet', '--message=First');
    gitIn(root, 'remote', 'add', 'origin', 'https://github.com/one/service.git');
  });
  afterEach(async () => {
    await github[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  function write(path: string, text: string): void {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }

  /** Leaves what the shards of those numbers measured where their artifacts would be. */
  function download(indexes: readonly number[], ...changes: readonly Partial<SampleShard>[]): void {
    for (const { file, run } of threeShards(changes).filter((_, place) => indexes.includes(place + 1))) {
      write(`shards/wiregauge-${file}`, ofHead(run));
    }
  }

  /** The run as one of the suite that was planned and of the head of the pull request. */
  function ofHead(run: Run, commit = gitIn(join(folder, 'repository'), 'rev-parse', 'HEAD')): string {
    if (!isInRounds(run)) {
      throw new Error('a shard without rounds');
    }
    const { rounds } = run;
    return formatRun({
      ...run,
      suite: { ...run.suite, name: 'small' },
      rounds: { ...rounds, head: { ...rounds.head, commit, dirty: false } },
    });
  }

  /** Leaves what all of them measured of a later commit, in which nothing is slower. */
  function downloadLater(): void {
    for (const { file, run } of threeShards()) {
      write(`shards/wiregauge-${file}`, ofHead(run));
    }
  }

  async function play(): Promise<ActEnd> {
    const root = join(folder, 'repository');
    const sha = gitIn(root, 'rev-parse', 'HEAD');
    const repo = { full_name: 'one/service' };
    return await act({
      root,
      action: action.folder,
      event: 'pull_request',
      payload: {
        number: NUMBER,
        pull_request: { number: NUMBER, base: { sha, ref: 'main', repo }, head: { sha, ref: 'topic', repo } },
        repository: { ...repo, default_branch: 'main' },
      },
      token: WORKFLOW_TOKEN,
      environment: { GITHUB_API_URL: github.url, GITHUB_RUN_ID: '77' },
    });
  }

  test('a shard that was lost is told in the comment, and the job fails', async () => {
    download([1, 3]);
    write('shards/wiregauge-shard-2/run.json', '{"schema": 2, "cut');

    const { log, exitCode } = await play();

    for (const index of [1, 2, 3]) {
      expect(log).toContain(`a shard - ${index}/3 of ${['one', 'two', 'three'][index - 1]}`);
    }
    expect(log).toContain('::set-output:: outcome=incomplete');
    expect(exitCode).not.toBe(0);
    expect(github.state.comments).toHaveLength(1);
    const [, first] = github.state.comments[0]?.body.split('\n') ?? [];
    expect(github.state.comments[0]).toMatchObject({ issue: NUMBER });
    expect(first).toMatch(/Incomplete: two is not judged: its shard was lost/);
    expect(log).not.toContain(WORKFLOW_TOKEN);
  });

  test('all of them are one verdict in one comment: a regression fails, the label accepts it, and a later push edits the comment and passes', async () => {
    download([1, 2, 3], {}, SLOWER);

    const red = await play();
    github.state.permissions.set('ada', 'write');
    github.state.labels.set(NUMBER, ['wiregauge: accepted']);
    const labelled = { issue: NUMBER, event: 'labeled', label: 'wiregauge: accepted', actor: 'ada' } as const;
    github.state.events.push({ ...labelled, at: new Date(Date.now() + 1000).toISOString() });
    const accepted = await play();
    const reported = github.state.comments[0]?.body;
    github.state.labels.set(NUMBER, []);
    gitIn(join(folder, 'repository'), 'commit', '--quiet', '--allow-empty', '--message=A later push');
    downloadLater();
    const mended = await play();

    expect(red.log).toContain('::set-output:: outcome=regressed');
    expect(red.exitCode).not.toBe(0);
    expect(accepted.log).toMatch(/::set-output:: outcome=(passed|inconclusive)/);
    expect(accepted.exitCode).toBe(0);
    expect(reported).toMatch(/accepted by ada/);
    expect(mended.exitCode).toBe(0);
    expect(github.state.comments).toHaveLength(1);
    expect(github.state.comments[0]?.body).not.toBe(reported);
    expect(github.state.comments[0]?.body).toMatch(/Earlier results/);
    expect(github.state.comments[0]?.body.split('\n')[1]).not.toMatch(/Regression/);
  });

  test('those of another commit are refused, and have no verdict there', async () => {
    for (const { file, run } of threeShards()) {
      write(`shards/wiregauge-${file}`, ofHead(run, 'e'.repeat(40)));
    }

    const { log, exitCode } = await play();

    expect(exitCode).not.toBe(0);
    expect(log).toContain('the shards measured the commit eeeeeee, and the head of this pull request is');
    expect(github.state.comments[0]?.body ?? '').not.toMatch(/No regression/);
  });

  test('nothing at all is an error, and the comment says so', async () => {
    const { log, exitCode } = await play();

    expect(log).toMatch(/shards: cannot be read/);
    expect(exitCode).not.toBe(0);
    expect(log).toContain('::set-output:: outcome=incomplete');
    expect(github.state.comments[0]?.body).toMatch(/Commit [0-9a-f]{7} was not judged: .*shards: cannot be read/);
  });
});

const SUITE = `name: small
title: A small suite
services: [one, two, three]
operations:
  - { name: Get, arguments: [{ id: 1 }], rest: 'GET /item/{id}' }
tiers:
  - { name: low, users: 10, spawnPerSecond: 10, thinkSeconds: 0.1 }
saturation: { workers: 2 }
`;

const MANIFEST = JSON.stringify({
  name: 'NAME',
  title: 'A service',
  protocol: 'rest',
  port: 5000,
  image: { context: '.', dockerfile: 'Dockerfile' },
  process: { command: ['node', 'server.mjs'] },
  environment: {},
});
