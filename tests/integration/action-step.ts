import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { makeProject } from './project.ts';

/** A commit that a job can be for. */
export const HEAD = 'b'.repeat(40);

/** A checkout, and the folder that the runner keeps its own files in. */
export interface StepBench {
  readonly project: ReturnType<typeof makeProject>;
  readonly folder: string;
}

/** A bench anew for each test of a file. */
export function useStep(): StepBench {
  let project: StepBench['project'];
  let folder: string;
  beforeEach(() => {
    project = makeProject();
    folder = mkdtempSync(join(tmpdir(), 'runner-'));
  });
  afterEach(() => {
    project.remove();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    get project() {
      return project;
    },
    get folder() {
      return folder;
    },
  };
}

/** What differs from a push for which nothing is said. */
export interface Step {
  readonly inputs?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly event?: string;
  readonly payload?: object;
  readonly root?: string;
}

/** Log of the bundled action, which must refuse in good order. */
export async function refusal({ project, folder }: StepBench, step: Step): Promise<string> {
  const inputs = { suite: 'small', ...step.inputs };
  const { exitCode, log } = await actionStep(folder, { root: project.root, ...step, inputs });
  expect(log).not.toMatch(/^\s+at |should not happen/m);
  expect(exitCode).toBe(2);
  return log;
}

/** Starts the bundled action as a runner does; `folder` gets the files of the runner. */
export async function actionStep(
  folder: string,
  { inputs = {}, environment = {}, event = 'push', payload = {}, root = '.' }: Step,
): Promise<{ readonly exitCode: number | null; readonly log: string }> {
  const repository = { full_name: 'one/service', default_branch: 'main' };
  for (const name of ['output', 'state', 'summary']) {
    writeFileSync(join(folder, name), '');
  }
  writeFileSync(
    join(folder, 'event.json'),
    JSON.stringify({ ref: 'refs/heads/main', after: HEAD, repository, ...payload }),
  );
  const child = spawn(process.execPath, [resolve('dist/action.js')], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      RUNNER_TEMP: folder,
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      GITHUB_ACTIONS: 'true',
      GITHUB_REPOSITORY: 'one/service',
      GITHUB_EVENT_NAME: event,
      GITHUB_EVENT_PATH: join(folder, 'event.json'),
      GITHUB_OUTPUT: join(folder, 'output'),
      GITHUB_STATE: join(folder, 'state'),
      GITHUB_STEP_SUMMARY: join(folder, 'summary'),
      INPUT_UPLOAD: 'false',
      ...Object.fromEntries(Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value])),
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  child.stdout.on('data', (chunk) => {
    log += chunk;
  });
  child.stderr.on('data', (chunk) => {
    log += chunk;
  });
  const [exitCode] = await once(child, 'close');
  return { exitCode, log };
}
