import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parse, stringify } from 'yaml';
import { action as actionStep } from '../../src/commands/action/action.ts';
import { formatRun } from '../../src/model/run/run.ts';
import { type GitHubApi, startGitHubApi } from '../github-api/server.ts';
import { BOT, WORKFLOW_TOKEN } from '../github-api/state.ts';
import { type ActEnd, act, publishedAction } from '../integration/act-job.ts';
import { gitIn } from '../integration/git-repository.ts';
import { printedIn } from '../support/called-in.ts';
import { fakeWorkflowHost } from '../support/fake-workflow-host.ts';
import { requires } from '../support/requires.ts';
import { sampleRounds } from '../support/sample-rounds.ts';
import { sampleShard } from '../support/sample-shards.ts';
import type { Step } from '../support/workflow-files.ts';
import { zipOf } from '../support/zip.ts';

const NUMBER = 12;
const BASE = 'b'.repeat(40);
const LABEL = 'wiregauge: accepted';
const REPOSITORY = { full_name: 'one/service', default_branch: 'main' };

/** A workflow of an example as it is, but for what act has not: a measuring job, and a checkout of a commit. */
function workflowOf(example: string, name: string): string {
  const workflow = parse(readFileSync(join('examples', example, '.github/workflows', name), 'utf8')) as Workflow;
  const jobs = Object.entries(workflow.jobs).map(([id, job]) => {
    const steps = job.steps.map((step) =>
      step.uses?.startsWith('actions/checkout@') ? { uses: 'actions/checkout@v5' } : step,
    );
    return [id, { ...job, steps: id === 'measure' ? [{ run: 'echo measured' }] : steps }];
  });
  return stringify({ ...workflow, jobs: Object.fromEntries(jobs) });
}

interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
}

/** The repositories by the workflow that act plays there. */
const WORKFLOWS = {
  performance: workflowOf('minimal', 'performance.yml'),
  command: workflowOf('minimal', 'performance-command.yml'),
  comment: workflowOf('fork-safe', 'performance-comment.yml'),
};

/** By the same names, their jobs and inputs of the action. */
const STEPS = {
  performance: stepOf(WORKFLOWS.performance),
  command: stepOf(WORKFLOWS.command),
  comment: stepOf(WORKFLOWS.comment),
};

function stepOf(workflow: string): { readonly job: string; readonly inputs: Readonly<Record<string, string>> } {
  const { jobs } = parse(workflow) as Workflow;
  const [[job, inputs] = ['', {}]] = Object.entries(jobs).flatMap(([id, { steps }]) =>
    steps.flatMap(({ uses, with: given }) => (uses === 'wiregauge/wiregauge@v1' ? [[id, given] as const] : [])),
  );
  return { job, inputs: Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, String(value)])) };
}

/** An event for a step of the action. */
interface ActionStep {
  readonly workflow: keyof typeof WORKFLOWS;
  readonly root: string;
  readonly event: string;
  readonly payload: object;
  readonly token: string;
}

const sha = (digit: string): string => digit.repeat(40);

/** Text of the run.json of a head whose CPU time at saturation is higher by a share. */
function measured(head: string, by: number, adopted?: 'no-configuration'): string {
  const worse = by === 0 ? [] : [{ tier: 'saturation', metric: 'cpuMicrosPerRequest' as const, by }];
  const run = sampleShard({ index: 1, services: [['rest']], noise: 0.3, rounds: 15, worse });
  const { rounds } = run;
  const versions = {
    base: { ...rounds.base, ...(adopted && { adopted }) },
    head: { ...rounds.head, commit: head, dirty: false },
  };
  return formatRun({ ...run, rounds: { ...rounds, ...versions } });
}

describe.runIf(requires('act'))('the life of a pull request', () => {
  let action: ReturnType<typeof publishedAction>;
  let github: GitHubApi;
  let folder: string;
  let runId = 100;
  const played = new Set<string>();

  beforeAll(async () => {
    // What its jobs use of it: none of them measures.
    action = publishedAction(['dist']);
    github = await startGitHubApi();
    vi.stubEnv('GITHUB_API_URL', github.url);
    vi.stubEnv('GITHUB_TOKEN', '');
    folder = mkdtempSync(join(tmpdir(), 'life-'));
    for (const [name, text] of Object.entries(WORKFLOWS)) {
      write(`${name}/.github/workflows/performance.yml`, text);
      write(`${name}/suites/users.yml`, SUITE);
      for (const service of ['rest', 'grpc']) {
        write(`${name}/services/${service}/service.yml`, manifest(service));
      }
      const root = join(folder, name);
      gitIn(root, 'init', '--quiet', '--initial-branch=main');
      gitIn(root, 'add', '--all');
      gitIn(root, 'commit', '--quiet', '--message=First');
      gitIn(root, 'remote', 'add', 'origin', 'https://github.com/one/service.git');
    }
    github.state.permissions.set('ada', 'write');
    github.state.files.add('main:.github/workflows/performance-command.yml');
    github.state.pulls.push(pull(NUMBER, sha('1')));
  });
  afterAll(async () => {
    action.remove();
    await github[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  function write(path: string, text: string): void {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }

  /** Plays a workflow as a whole for the first event of a kind; for others its step of the action alone, within this program. */
  async function play(
    workflow: keyof typeof WORKFLOWS,
    event: string,
    more: object,
    token = WORKFLOW_TOKEN,
  ): Promise<ActEnd> {
    const root = join(folder, workflow);
    const payload = { repository: REPOSITORY, ...more };
    const kind = `${workflow} ${event}`;
    if (played.has(kind)) {
      return await step({ workflow, root, event, payload, token });
    }
    played.add(kind);
    const environment = { GITHUB_API_URL: github.url, GITHUB_RUN_ID: String(runId) };
    return await act({ root, action: action.folder, event, token, payload, environment });
  }

  async function step({ workflow, root, event, payload, token }: ActionStep): Promise<ActEnd> {
    const host = {
      ...fakeWorkflowHost({ ...STEPS[workflow].inputs, upload: 'false', token }),
      ...{ eventName: event, payload, runId, job: STEPS[workflow].job, temporaryFolder: join(folder, 'runner') },
    };
    const { exitCode, stdout, stderr } = await printedIn(root, () => actionStep(host));
    const told = [...host.outputs].map(([name, value]) => `::set-output:: ${name}=${value}`);
    const annotated = host.annotations.map(({ message }) => message);
    return { exitCode, log: [stdout, stderr, ...annotated, ...told].join('\n') };
  }

  /** A job that measured the head in a workflow run of its own, and what it left: nothing if it was cancelled. */
  function measure(head: string, text: string | undefined, artifact = 'wiregauge-measured'): void {
    runId += 1;
    const { artifacts, runs } = github.state;
    if (text !== undefined) {
      artifacts.push({ id: runId, runId, name: artifact, zip: zipOf([{ name: 'run.json', text }]) });
    }
    const of = { headSha: head, headRef: 'topic', headRepository: REPOSITORY.full_name };
    const run = { workflow: 'performance.yml', event: 'pull_request', status: 'completed', conclusion: 'failure' };
    runs.push({ id: runId, ...of, ...run });
  }

  /** The job that is required, for the head of the pull request, or for an earlier one. */
  async function judge(head: string, { now = head, token }: { now?: string; token?: string } = {}): Promise<ActEnd> {
    github.state.pulls.splice(0, 1, pull(NUMBER, now));
    return await play('performance', 'pull_request', { number: NUMBER, pull_request: pullRequest(head) }, token);
  }

  async function push(head: string, text: string | undefined): Promise<ActEnd> {
    measure(head, text);
    return await judge(head);
  }

  async function remark(login: string, body: string): Promise<ActEnd> {
    const { comments } = github.state;
    const id = 5000 + comments.length;
    const [createdAt, association] = [new Date().toISOString(), login === 'ada' ? 'MEMBER' : 'NONE'];
    comments.push({ id, issue: NUMBER, author: { login, type: 'User' }, createdAt, association, body });
    const issue = { number: NUMBER, pull_request: {} };
    return await play('command', 'issue_comment', { issue, comment: { id, body, user: { login } } });
  }

  /** The comment of a job. */
  const comment = (job = 'wiregauge') =>
    github.state.comments.find(({ body }) => body.startsWith(`<!-- wiregauge:comment ${job} -->`))?.body ?? '';
  const open = (job?: string) => comment(job).split('<details>')[0] ?? '';

  test('is green if it adds Wiregauge, and says by whose configuration its base was measured', async () => {
    const { exitCode, log } = await push(sha('1'), measured(sha('1'), 0, 'no-configuration'));

    expect(exitCode).toBe(0);
    expect(log).toMatch(/its code is built and measured with the configuration of the head/);
  });

  test('is green on a commit that changes nothing, without a comment', async () => {
    const { exitCode, log } = await push(sha('2'), measured(sha('2'), 0));

    expect(exitCode).toBe(0);
    expect(log).toContain('::set-output:: outcome=passed');
    expect(comment()).toBe('');
  });

  test('is red on a commit that is slower, and offers the command', async () => {
    expect((await push(sha('3'), measured(sha('3'), 0.1))).exitCode).not.toBe(0);
    expect(open()).toMatch(/Regression: /);
    expect(comment()).toContain('/wiregauge accept');
  });

  test('is not judged again if a stranger accepts it', async () => {
    await remark('mallory', '/wiregauge accept 12%');

    expect(github.state.rerunFailed).toEqual([]);
  });

  test('is judged again as soon as a writer accepts it, and green', async () => {
    const { exitCode } = await remark('ada', '/wiregauge accept 12%');

    expect(exitCode).toBe(0);
    expect(github.state.rerunFailed).toEqual([runId]);
    expect(github.state.reactions).toHaveLength(1);
    expect((await judge(sha('3'))).exitCode).toBe(0);
    expect(comment()).toMatch(/accepted by ada/);
  });

  test('stays accepted on the next commit, and is red on one that is slower than that', async () => {
    expect((await push(sha('4'), measured(sha('4'), 0.1))).exitCode).toBe(0);
    expect((await push(sha('5'), measured(sha('5'), 0.4))).exitCode).not.toBe(0);
  });

  test('is green by the label of a writer, and red again without it', async () => {
    const labeled = { action: 'labeled', label: { name: LABEL }, sender: { login: 'ada' } };
    github.state.labels.set(NUMBER, [LABEL]);
    const at = new Date().toISOString();
    github.state.events.push({ issue: NUMBER, event: 'labeled', label: LABEL, actor: 'ada', at });
    await play('command', 'pull_request', { ...labeled, number: NUMBER, pull_request: pullRequest(sha('5')) });

    expect(github.state.rerunFailed.at(-1)).toBe(runId);
    expect((await judge(sha('5'))).exitCode).toBe(0);

    github.state.labels.set(NUMBER, []);
    expect((await judge(sha('5'))).exitCode).not.toBe(0);
  });

  test('is measured again by a command', async () => {
    await remark('ada', '/wiregauge rerun');

    expect(github.state.rerun).toEqual([runId]);
  });

  test('is green once it is repaired', async () => {
    expect((await push(sha('6'), measured(sha('6'), 0))).exitCode).toBe(0);
    expect(open()).toMatch(/No regression/);
  });

  // That of another commit: action-measured.test.ts; one that left a damaged file: action-merge.test.ts.
  test('is red on a commit whose measuring job was cancelled or has timed out', async () => {
    const { log, exitCode } = await push(sha('7'), undefined);

    expect(exitCode).not.toBe(0);
    expect(log).toContain('::set-output:: outcome=incomplete');
    expect(open()).toMatch(/Commit 7777777 was not judged/);
    expect(open()).not.toContain('✅');
  });

  test('is judged in the merge queue by the commit of its group, and by no other', async () => {
    const group = (head: string) => ({
      merge_group: {
        ...{ base_sha: BASE, base_ref: 'refs/heads/main', head_sha: head },
        head_ref: `refs/heads/gh-readonly-queue/main/pr-${NUMBER}-${BASE}`,
      },
    });
    measure(sha('9'), measured(sha('9'), 0));

    expect((await play('performance', 'merge_group', group(sha('9')))).exitCode).toBe(0);
    expect((await play('performance', 'merge_group', group(sha('8')))).exitCode).not.toBe(0);
  });

  test('keeps the comment of the newer commit whose push cancelled an older one', async () => {
    expect((await push(sha('b'), measured(sha('b'), 0))).exitCode).toBe(0);
    const before = comment();
    measure(sha('9'), undefined);
    const { exitCode, log } = await judge(sha('9'), { now: sha('b') });

    expect(exitCode).not.toBe(0);
    expect(log).toContain(`no comment: pull request #${NUMBER} is closed, or has another head now`);
    expect(comment()).toBe(before);
  });

  test('of Dependabot, whose token can only read, is judged without a comment', async () => {
    const token = 'ghs_0123456789TokenOfDependabot';
    github.state.accounts.set(token, { ...BOT, access: 'read' });
    const before = comment();
    measure(sha('c'), measured(sha('c'), 0.3));
    const { exitCode, log } = await judge(sha('c'), { token });

    expect(exitCode).not.toBe(0);
    expect(log).toContain('::set-output:: outcome=regressed');
    expect(log).toMatch(/The comment could not be written/);
    expect(comment()).toBe(before);
  });

  test('is judged as before if its branch is deleted meanwhile, without a new comment', async () => {
    measure(sha('d'), undefined);
    const before = comment();
    github.state.pulls.splice(0, 1);
    github.state.pulls.push({ ...pull(NUMBER, sha('d')), state: 'closed' });
    const { exitCode, log } = await play('performance', 'pull_request', {
      number: NUMBER,
      pull_request: pullRequest(sha('d')),
    });

    expect(exitCode).not.toBe(0);
    expect(log).toContain('is closed, or has another head now');
    expect(comment()).toBe(before);
  });

  describe('of a fork', () => {
    const HEAD = sha('a');
    const ended = (conclusion: string, path = '.github/workflows/performance.yml') => ({
      workflow_run: { id: runId, run_attempt: 1, event: 'pull_request', path, head_sha: HEAD, conclusion },
    });
    const fork = (by: number): string => {
      const worse = by === 0 ? [] : [{ tier: 'saturation', metric: 'cpuMicrosPerRequest' as const, by }];
      const run = sampleRounds({ noise: 0.3, rounds: 15, worse });
      return formatRun({
        ...run,
        rounds: { ...run.rounds, head: { ...run.rounds.head, commit: HEAD, dirty: false } },
      });
    };

    beforeAll(() => {
      github.state.pulls.splice(0, 1, pull(NUMBER, HEAD, 'two/service'));
    });

    test.each([
      ['is red by the second workflow', fork(0.1), 'failure', 1, /Regression: /],
      ['is green by it', fork(0), 'success', 0, /No regression/],
      ['is red if the first workflow is cancelled', undefined, 'cancelled', 2, /was not judged/],
    ])('%s', async (_case, text, conclusion, exit, says) => {
      measure(HEAD, text, 'wiregauge');
      const { exitCode, log } = await play('comment', 'workflow_run', ended(conclusion));

      expect(exitCode === 0, log).toBe(exit === 0);
      expect(log).toContain(`::set-output:: exit-code=${exit}`);
      expect(open('comment')).toMatch(says);
    });

    test('is red if the measuring workflow is another file', async () => {
      measure(HEAD, fork(0), 'wiregauge');
      const { exitCode } = await play('comment', 'workflow_run', ended('success', '.github/workflows/mine.yml'));

      expect(exitCode).not.toBe(0);
      expect(open('comment')).toMatch(/was not judged: the workflow that ended is .*mine/);
    });

    test('gets nothing any more once it is closed', async () => {
      github.state.pulls.splice(0, 1);
      const { exitCode, log } = await play('comment', 'workflow_run', ended('success'));

      expect(exitCode).toBe(0);
      expect(log).toContain('no open pull request has this commit as its head');
    });
  });
});

function pull(number: number, headSha: string, headRepository = REPOSITORY.full_name) {
  const head = `${headRepository.split('/')[0]}:topic`;
  return { number, state: 'open', head, headRepository, headSha, baseSha: BASE } as const;
}

function pullRequest(head: string): object {
  return {
    number: NUMBER,
    base: { sha: BASE, ref: 'main', repo: REPOSITORY },
    head: { sha: head, ref: 'topic', repo: REPOSITORY },
  };
}

/** As that of the runs. */
const SUITE = `name: users
title: Users
services: [rest, grpc]
operations:
  - { name: GetUser, weight: 3, arguments: [{ id: 1 }], rest: 'GET /user/{id}' }
  - { name: ListUsers, arguments: [{}], rest: GET /users }
tiers:
  - { name: low, users: 100, spawnPerSecond: 10, thinkSeconds: 0.3 }
  - { name: medium, users: 500, spawnPerSecond: 50, thinkSeconds: 0.3 }
  - { name: high, users: 1000, spawnPerSecond: 100, thinkSeconds: 0.3 }
saturation: { workers: 50 }
`;

function manifest(name: string): string {
  return JSON.stringify({
    ...{ name, title: 'A service', protocol: 'rest', port: 5000, environment: {} },
    image: { context: '.', dockerfile: 'Dockerfile' },
    process: { command: ['node', 'server.mjs'] },
  });
}
