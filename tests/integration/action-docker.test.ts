import { execFileSync } from 'node:child_process';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { textInZip } from '../../src/host/files/zip.ts';
import { formatRun, parseRun, type Run } from '../../src/model/run/run.ts';
import { MARK } from '../../src/runtime/docker/container.ts';
import { BOT, WORKFLOW_TOKEN } from '../github-api/state.ts';
import { buildArgsText } from '../stand-ins/build-args.ts';
import { requires } from '../support/requires.ts';
import { zipOf } from '../support/zip.ts';
import { actPerTest, FIRST_STAGE_RUN, NUMBER } from './act-bench.ts';
import { ACTION_NODE, type ActEnd, type JobSignals } from './act-job.ts';
import { SMALL_SUITE } from './compare-project.ts';
import { docker } from './docker-command.ts';
import { IMAGE_TURNS, leftInEngine, newInEngine, writeImage } from './docker-project.ts';

const WORKFLOW = `name: performance
on: [pull_request, workflow_run]
permissions: {}
jobs:
  performance:
    runs-on: ubuntu-24.04
    permissions: { contents: write, pull-requests: write }
    steps:
      - uses: actions/checkout@v5
        with: { fetch-depth: 0 }
      - uses: ./after-all
      - uses: wiregauge/wiregauge@v1
        id: wiregauge
        with: { suite: small, runtime: docker, profile: smoke, comment: always, profiler: never }
      - if: always()
        env:
          OUTCOME: \${{ steps.wiregauge.outputs.outcome }}
          EXIT_CODE: \${{ steps.wiregauge.outputs.exit-code }}
          REGRESSIONS: \${{ steps.wiregauge.outputs.regressions }}
        run: |
          echo "later: exit code $EXIT_CODE, outcome $OUTCOME, regressions $REGRESSIONS"
`;

// Its end comes after that of the steps behind it, and in their checkout, which act removes.
const AFTER_ALL = {
  'action.yml': 'runs: { using: node24, main: main.mjs, post: post.mjs, post-if: always() }\n',
  'main.mjs': '',
  'post.mjs': `import { execFileSync } from 'node:child_process';
const trees = execFileSync('git', ['worktree', 'list'], { encoding: 'utf8' }).trim().split('\\n');
console.log('after all: ' + trees.length + ' worktree');
`,
};

// By far more than noise, by far less than what is added.
const POLICY = 'policy: { thresholds: [{ threshold: 50% }] }\n';

const job = actPerTest(WORKFLOW, (project) => {
  writeImage(project);
  project.write('suites/small.yml', `${SMALL_SUITE}${POLICY}`);
  for (const [name, text] of Object.entries(AFTER_ALL)) {
    project.write(`after-all/${name}`, text);
  }
});

describe.runIf(requires('act') && requires('docker'))('the action with the Docker engine', () => {
  let before: readonly string[];

  beforeEach(() => {
    before = leftInEngine();
  });

  /** A commit of a pull request, or of the default branch, as the checkout has it. */
  function commit(): string {
    job.project.git('add', '--all');
    job.project.git('commit', '--quiet', '--allow-empty', '--message=@everyone: <b>A change</b>');
    return job.project.git('rev-parse', 'HEAD');
  }

  const environment = () => ({ WIREGAUGE_BUILD_ARGS: buildArgsText() });

  async function measured(from = 'one/service', onOutput?: (output: string, signals: JobSignals) => void) {
    const head = commit();
    const change = { environment: environment(), ...(onOutput !== undefined && { onOutput }) };
    return { head, end: await job.play('pull_request', job.pullRequest(head, from), change) };
  }

  /** Containers, networks, names of images, worktrees, temporary folders, processes. */
  function expectNothingLeft({ log }: ActEnd): void {
    expect(newInEngine(before)).toEqual([]);
    expect(log).toMatch(/after all: 1 worktree\b/);
    expect(job.left()).toEqual([]);
  }

  /** Waits until both versions of the service and their load tools are up. */
  const inMidRound = () =>
    vi.waitUntil(() => docker('ps', '--quiet', '--filter', `label=${MARK}`).split('\n').length >= 3, 20_000);

  const uploaded = () => job.artifacts.artifacts.get('wiregauge')?.zip ?? new Uint8Array();
  const inArtifact = (file: string) => textInZip(uploaded(), file, { entries: 100, bytes: 20e6 });
  const uploadedRun = async (): Promise<Run> => parseRun(await inArtifact('run.json'), 'run.json');

  /** What the first stage of a fork left: an artifact, and a pull request whose head is that commit. */
  function upload(headSha: string, zip: Uint8Array): void {
    const { artifacts, pulls } = job.github.state;
    artifacts.splice(0);
    pulls.splice(0);
    artifacts.push({ id: 500, runId: FIRST_STAGE_RUN, name: 'wiregauge', zip });
    pulls.push({
      number: NUMBER,
      state: 'open',
      head: 'two:topic',
      headRepository: 'two/service',
      headSha,
      baseSha: job.base,
    });
  }

  test('a slowdown of a fork fails its job, whose token may only read; the second stage comments by the rules of the default branch', async () => {
    const { accounts, comments } = job.github.state;
    accounts.set(WORKFLOW_TOKEN, { ...BOT, access: 'read' });
    writeImage(job.project, 3 * IMAGE_TURNS);

    const { head, end } = await measured('two/service');

    expect(end.log).toMatch(/later: exit code 1, outcome regressed, regressions \[\{"service":"good"/);
    expect(end.exitCode).not.toBe(0);
    expect(end.log).toContain('::error');
    expect(end.log).toMatch(/comment could not be written/i);
    expect(end.log).not.toContain(WORKFLOW_TOKEN);
    expect(comments).toEqual([]);
    // At the end of the step, and not again at the end of the job.
    expect(job.artifacts.requested.filter((one) => one === 'CreateArtifact')).toHaveLength(1);
    const run = await uploadedRun();
    expect(run.runtime.name).toBe('docker');
    expect(run.runner.node).toBe(execFileSync(ACTION_NODE, ['--version'], { encoding: 'utf8' }).trim());
    expect(run.rounds).toMatchObject({ base: { commit: job.base }, head: { commit: head } });
    expect(run.rounds?.rounds.filter(({ outcome }) => outcome === 'kept')).toHaveLength(8);
    expect(await inArtifact('report.md')).toContain('Regression');
    expectNothingLeft(end);

    accounts.set(WORKFLOW_TOKEN, BOT);
    const lenient = { ...run.rounds?.policy, thresholds: [{ threshold: 9 }] };
    const forged = { ...run, rounds: { ...run.rounds, policy: lenient } } as typeof run;
    const zip = zipOf([{ name: 'run.json', text: formatRun(forged) }]);
    job.project.git('checkout', '--quiet', 'main');
    upload(head, zip);
    const second = await job.play('workflow_run', job.finished(head));

    expect(second.log).toContain('comment created');
    expect(second.exitCode).toBe(1);
    expect(comments).toMatchObject([
      { issue: NUMBER, body: expect.stringMatching(/Regression: Get \d+% slower at saturation \(The good service\)/) },
    ]);
    expect(comments[0]?.body).not.toMatch(/@everyone|<b>/);
  });

  test('leaves nothing but its results when it is killed in the middle of a round', async () => {
    let isSent = false;
    writeImage(job.project, 2 * IMAGE_TURNS);
    const { end } = await measured('one/service', (output, signals) => {
      if (!isSent && /good round 1 of 8: kept/.test(output)) {
        isSent = true;
        void inMidRound().then(() => signals.job('SIGINT'));
      }
    });

    expect(end.log).toMatch(/removing the container .* left over from an earlier run/);
    expect((await uploadedRun()).rounds?.rounds.length).toBeGreaterThan(0);
    expect(job.github.state.comments).toEqual([]);
    expectNothingLeft(end);
  });
});
