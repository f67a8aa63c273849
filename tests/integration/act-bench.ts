import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { allProcesses } from '../../src/host/machine/proc.ts';
import { type GitHubApi, startGitHubApi } from '../github-api/server.ts';
import { WORKFLOW_TOKEN } from '../github-api/state.ts';
import { type ArtifactService, startArtifactService } from '../support/artifact-service.ts';
import { type ActEnd, type ActJob, act, publishedAction } from './act-job.ts';
import { type CompareProject, compareProject } from './compare-project.ts';

/** The pull request of every test. */
export const NUMBER = 12;

/** A repository with a workflow, on a branch `topic`, and GitHub around it; anew for each test of a file. */
export interface ActBench {
  readonly project: CompareProject;
  readonly github: GitHubApi;
  readonly artifacts: ArtifactService;
  /** The newest commit of `main`. */
  readonly base: string;
  /** What jobs left on this machine: temporary folders with all that is in them, and processes that were started there. */
  left(): readonly string[];
  /** Plays the workflow for an event. */
  play(event: string, payload: object, change?: Partial<ActJob>): Promise<ActEnd>;
  /** The payload for a commit of a pull request, which may come from a fork. */
  pullRequest(head: string, from?: string): object;
  /** The payload of the second stage, when the first has measured that commit of a fork. */
  finished(head: string): object;
}

const REPOSITORY = { full_name: 'one/service', default_branch: 'main' };
/** Of the fork's commits, in the second stage. */
export const FIRST_STAGE_RUN = 4711;

interface Made extends Pick<ActBench, 'project' | 'github' | 'artifacts' | 'base'> {
  /** The temporary folder of whatever runs in jobs. */
  readonly scratch: string;
}

/** A bench for each test of a file; `prepare` adds to the repository's first commit. */
export function actPerTest(workflow: string, prepare: (project: CompareProject) => void = () => undefined): ActBench {
  let action: ReturnType<typeof publishedAction> | undefined;
  let made: Made | undefined;
  const bench = () => made ?? expect.fail('outside a test');
  beforeAll(() => {
    action = publishedAction();
  });
  afterAll(() => action?.remove());
  beforeEach(async () => {
    const [github, artifacts] = [await startGitHubApi(), await startArtifactService()];
    const project = compareProject();
    prepare(project);
    project.write('.github/workflows/performance.yml', workflow);
    project.git('add', '--all');
    project.git('commit', '--quiet', '--message=A workflow');
    project.git('remote', 'add', 'origin', 'https://github.com/one/service.git');
    const base = project.git('rev-parse', 'HEAD');
    project.git('checkout', '--quiet', '-b', 'topic');
    made = { project, github, artifacts, base, scratch: mkdtempSync(join(tmpdir(), 'act-scratch-')) };
  });
  afterEach(async () => {
    const { github, artifacts, project, scratch } = bench();
    await github[Symbol.asyncDispose]();
    await artifacts[Symbol.asyncDispose]();
    project.remove();
    rmSync(scratch, { recursive: true, force: true });
  });
  return {
    get project() {
      return bench().project;
    },
    get github() {
      return bench().github;
    },
    get artifacts() {
      return bench().artifacts;
    },
    get base() {
      return bench().base;
    },
    left: () => leftIn(bench().scratch),
    async play(event, payload, change = {}) {
      const { project, artifacts, github, scratch } = bench();
      const lock = process.env['WIREGAUGE_LOCK'] ?? '';
      const own = { GITHUB_API_URL: github.url, GITHUB_RUN_ID: '77', TMPDIR: scratch, WIREGAUGE_LOCK: lock };
      return await act({
        root: project.root,
        action: action?.folder ?? '',
        event,
        payload,
        token: WORKFLOW_TOKEN,
        ...change,
        environment: { ...artifacts.environment, ...own, ...change.environment },
      });
    },
    pullRequest: (head, from = REPOSITORY.full_name) => pullRequestPayload(bench().base, head, from),
    finished: finishedPayload,
  };
}

function leftIn(scratch: string): readonly string[] {
  const isThere = ({ pid }: { readonly pid: number }): boolean => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`).startsWith(scratch);
    } catch {
      // It has ended meanwhile.
      return false;
    }
  };
  const processes = allProcesses().filter(isThere);
  return [...readdirSync(scratch), ...processes.map(({ pid, name }) => `${name} (pid ${pid})`)];
}

function pullRequestPayload(base: string, head: string, from: string): object {
  return {
    number: NUMBER,
    pull_request: {
      number: NUMBER,
      base: { sha: base, ref: 'main', repo: REPOSITORY },
      head: { sha: head, ref: 'topic', repo: { full_name: from } },
    },
    repository: REPOSITORY,
  };
}

function finishedPayload(headSha: string): object {
  return {
    action: 'completed',
    workflow_run: {
      id: FIRST_STAGE_RUN,
      run_attempt: 1,
      event: 'pull_request',
      path: '.github/workflows/performance.yml',
      head_sha: headSha,
      head_branch: 'topic',
      head_repository: { full_name: 'two/service', owner: { login: 'two' } },
    },
    repository: REPOSITORY,
  };
}
