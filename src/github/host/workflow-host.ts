import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { error, getState, notice, saveState, setOutput, setSecret, summary, warning } from '@actions/core';
import { EnvironmentError, messageOf } from '../../foundation/errors.ts';
import type { Annotation } from '../../project/annotation.ts';
import type { WorkflowHost } from './port.ts';

/** GitHub cuts a longer summary off. */
const MOST_SUMMARY_BYTES = 1000 * 1024;
const INPUT = 'INPUT_';

/** The job that this program runs in, as the runner's environment describes it. Throws EnvironmentError outside a workflow. */
export function workflowHost(environment: NodeJS.ProcessEnv = process.env): WorkflowHost {
  const read = (name: string): string => environment[name] ?? '';
  const [owner = '', repository = ''] = required(environment, 'GITHUB_REPOSITORY').split('/');
  const runId = Number(read('GITHUB_RUN_ID'));
  const server = read('GITHUB_SERVER_URL') || 'https://github.com';
  return {
    eventName: required(environment, 'GITHUB_EVENT_NAME'),
    payload: payloadIn(read('GITHUB_EVENT_PATH')),
    owner,
    repository,
    apiUrl: read('GITHUB_API_URL') || 'https://api.github.com',
    runId,
    runUrl: (id) => `${server}/${owner}/${repository}/actions/runs/${id}`,
    attempt: Number(read('GITHUB_RUN_ATTEMPT') || '1'),
    step: read('GITHUB_ACTION') || 'wiregauge',
    job: read('GITHUB_JOB') || 'job',
    temporaryFolder: read('RUNNER_TEMP') || tmpdir(),
    inputs: inputsIn(environment),
    conceal: setSecret,
    output: setOutput,
    remember: saveState,
    remembered: getState,
    annotate,
    summary: async (markdown) => {
      if (read('GITHUB_STEP_SUMMARY') !== '') {
        await summary.addRaw(cut(markdown), true).write();
      }
    },
  };
}

function required(environment: NodeJS.ProcessEnv, name: string): string {
  const value = environment[name];
  if (value === undefined || value === '') {
    throw new EnvironmentError(`${name} is not set: this is no job of GitHub Actions`, {
      next: 'The action runs in workflows only; elsewhere use the command line, `npx wiregauge --help`.',
    });
  }
  return value;
}

function payloadIn(path: string): unknown {
  if (path === '') {
    return {};
  }
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (thrown) {
    throw new EnvironmentError(`the event in ${path} cannot be read: ${messageOf(thrown)}`, { cause: thrown });
  }
}

/** The runner hands inputs over as variables: `fail-on` as INPUT_FAIL-ON. */
function inputsIn(environment: NodeJS.ProcessEnv): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(environment)
      .filter(([name, value]) => name.startsWith(INPUT) && (value ?? '').trim() !== '')
      .map(([name, value]) => [name.slice(INPUT.length).toLowerCase(), (value ?? '').trim()]),
  );
}

const ANNOTATIONS = { error, warning, notice } as const;

function annotate({ level, title, message, path, line }: Annotation): void {
  const place = { ...(path !== undefined && { file: path }), ...(line !== undefined && { startLine: line }) };
  ANNOTATIONS[level](message, { title, ...place });
}

function cut(markdown: string): string {
  const bytes = Buffer.from(markdown, 'utf8');
  if (bytes.length <= MOST_SUMMARY_BYTES) {
    return markdown;
  }
  const kept = bytes.subarray(0, MOST_SUMMARY_BYTES - 1024).toString('utf8');
  return `${kept.slice(0, kept.lastIndexOf('\n'))}\n\nThe rest was cut off; report.md has all of it.\n`;
}
