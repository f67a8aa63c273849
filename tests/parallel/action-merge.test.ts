import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { parse, stringify } from 'yaml';
import { action as actionStep } from '../../src/commands/action/action.ts';
import { isInRounds } from '../../src/model/run/comparison.ts';
import { formatRun, type Run } from '../../src/model/run/run.ts';
import { type GitHubApi, startGitHubApi } from '../github-api/server.ts';
import { WORKFLOW_TOKEN } from '../github-api/state.ts';
import { type ActEnd, act, publishedAction } from '../integration/act-job.ts';
import { gitIn } from '../integration/git-repository.ts';
import { printedIn } from '../support/called-in.ts';
import { fakeWorkflowHost } from '../support/fake-workflow-host.ts';
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

// Shards of another commit and shards of which nothing is left: action-outcome.test.ts and action-unjudged.test.ts.
describe.runIf(requires('act'))('the action judges what several jobs measured', () => {
  let action: ReturnType<typeof publishedAction>;
  let github: GitHubApi;
  let folder: string;
  const root = () => join(folder, 'repository');

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
    gitIn(root(), 'init', '--quiet', '--initial-branch=main');
    gitIn(root(), 'add', '--all');
    gitIn(root(), 'commit', '--quiet', '--message=First');
    gitIn(root(), 'remote', 'add', 'origin', 'https://github.com/one/service.git');
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
  function ofHead(run: Run): string {
    if (!isInRounds(run)) {
      throw new Error('a shard without rounds');
    }
    const { rounds } = run;
    const commit = gitIn(root(), 'rev-parse', 'HEAD');
    return formatRun({
      ...run,
      suite: { ...run.suite, name: 'small' },
      rounds: { ...rounds, head: { ...rounds.head, commit, dirty: false } },
    });
  }

  function payload(): object {
    const sha = gitIn(root(), 'rev-parse', 'HEAD');
    const repo = { full_name: 'one/service' };
    return {
      number: NUMBER,
      pull_request: { number: NUMBER, base: { sha, ref: 'main', repo }, head: { sha, ref: 'topic', repo } },
      repository: { ...repo, default_branch: 'main' },
    };
  }

  async function play(): Promise<ActEnd> {
    return await act({
      root: root(),
      action: action.folder,
      event: 'pull_request',
      payload: payload(),
      token: WORKFLOW_TOKEN,
      environment: { GITHUB_API_URL: github.url, GITHUB_RUN_ID: '77' },
    });
  }

  /** The step that judges, alone and within this program, by the plan in the log of a workflow that was played. */
  async function judge(log: string) {
    const [, plan = ''] = /::set-output:: plan=(.+)$/m.exec(log) ?? [];
    const args = `--runs=${join(folder, 'shards')}`;
    const inputs = { mode: 'comment', plan, args, upload: 'false', publish: 'never' };
    const host = {
      ...fakeWorkflowHost({ ...inputs, token: WORKFLOW_TOKEN }),
      ...{ eventName: 'pull_request', payload: payload(), job: 'performance', temporaryFolder: join(folder, 'runner') },
    };
    vi.stubEnv('GITHUB_API_URL', github.url);
    const { exitCode } = await printedIn(root(), () => actionStep(host));
    return { exitCode, outcome: host.outputs.get('outcome') };
  }

  test('a shard that was lost is reported in the comment, and the job fails', async () => {
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
    const accepted = await judge(red.log);
    const reported = github.state.comments[0]?.body;
    github.state.labels.set(NUMBER, []);
    gitIn(root(), 'commit', '--quiet', '--allow-empty', '--message=A later push');
    download([1, 2, 3]);
    const mended = await judge(red.log);

    expect(red.log).toContain('::set-output:: outcome=regressed');
    expect(red.exitCode).not.toBe(0);
    expect(accepted.outcome).toMatch(/^(passed|inconclusive)$/);
    expect(accepted.exitCode).toBe(0);
    expect(reported).toMatch(/accepted by ada/);
    expect(mended.exitCode).toBe(0);
    expect(github.state.comments).toHaveLength(1);
    expect(github.state.comments[0]?.body).not.toBe(reported);
    expect(github.state.comments[0]?.body).toMatch(/Earlier results/);
    expect(github.state.comments[0]?.body.split('\n')[1]).not.toMatch(/Regression/);
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
