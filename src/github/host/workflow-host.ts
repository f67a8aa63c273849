import { tmpdir } from 'node:os';
import { getState, saveState, setOutput, setSecret, summary } from '@actions/core';
import { EnvironmentError, messageOf } from '../../foundation/errors.ts';
import { readText } from '../../host/files/reader.ts';
import { printCommand } from '../../host/terminal/output.ts';
import type { Annotation } from '../../project/places.ts';

/** GitHub truncates longer summaries. */
const MAX_SUMMARY_BYTES = 1000 * 1024;

const INPUT = 'INPUT_';

/** Job of a workflow that a step runs in. */
export type WorkflowHost = Readonly<ReturnType<typeof workflowHost>>;

/** Job that this program runs in, from the environment of the runner. Throws EnvironmentError outside a workflow. */
export function workflowHost(environment: NodeJS.ProcessEnv = process.env) {
  const read = (name: string): string => environment[name] ?? '';
  const [owner = '', repository = ''] = required(environment, 'GITHUB_REPOSITORY').split('/');
  const runId = Number(read('GITHUB_RUN_ID'));
  const server = read('GITHUB_SERVER_URL') || 'https://github.com';
  return {
    eventName: required(environment, 'GITHUB_EVENT_NAME'),
    /** Payload of the event: untrusted text. */
    payload: payloadIn(read('GITHUB_EVENT_PATH')),
    owner,
    repository,
    /** Commit of the workflow run; for a pull request its merge commit. */
    sha: read('GITHUB_SHA'),
    runId,
    /** Address of the page of a workflow run. */
    runUrl: (id: number) => `${server}/${owner}/${repository}/actions/runs/${id}`,
    attempt: Number(read('GITHUB_RUN_ATTEMPT') || '1'),
    /** Id of the step within the job. */
    step: read('GITHUB_ACTION') || 'wiregauge',
    job: read('GITHUB_JOB') || 'job',
    /** Path of the workflow file from the root of the repository; undefined if unknown. */
    workflow: /^[^/]+\/[^/]+\/([^@]+)@/.exec(read('GITHUB_WORKFLOW_REF'))?.[1],
    /** Folder that the runner empties after the job. */
    temporaryFolder: read('RUNNER_TEMP') || tmpdir(),
    /** Non-empty inputs by name. */
    inputs: inputsIn(environment),
    /** Masks a secret in the log. */
    conceal: (secret: string): void => setSecret(secret),
    output: (name: string, value: string): void => setOutput(name, value),
    /** Saves a text for the post step of the job, which is another process. */
    remember: (name: string, value: string): void => saveState(name, value),
    /** Text that the main step saved for the post step; empty in the main step. */
    remembered: (name: string): string => getState(name),
    annotate: ({ level, message, ...others }: Annotation): void =>
      printCommand({ name: level, text: message, ...others }),
    /** Appends to the summary of the job. */
    summary: async (markdown: string): Promise<void> => {
      if (read('GITHUB_STEP_SUMMARY') !== '') {
        await summary.addRaw(cut(markdown), true).write();
      }
    },
  };
}

function required(environment: NodeJS.ProcessEnv, name: string): string {
  const value = environment[name];
  if (value === undefined || value === '') {
    throw new EnvironmentError(`${name} is not set: this is not a GitHub Actions job`, {
      code: 'WG-504',
      next: 'The action runs only in workflows; elsewhere, use the command line: `npx wiregauge --help`.',
    });
  }
  return value;
}

/** Payload of an event in its file; empty without one. Throws EnvironmentError if it cannot be read. */
export function payloadIn(path: string): unknown {
  if (path === '') {
    return {};
  }
  try {
    return JSON.parse(readText(path, ''));
  } catch (thrown) {
    throw new EnvironmentError(`the event in ${path} cannot be read: ${messageOf(thrown)}`, {
      code: 'WG-504',
      next: 'If you run the workflow outside GitHub, put the full event into the event file.',
      cause: thrown,
    });
  }
}

/** The runner passes inputs as variables: `fail-on` as INPUT_FAIL-ON. */
function inputsIn(environment: NodeJS.ProcessEnv): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(environment)
      .filter(([name, value]) => name.startsWith(INPUT) && (value ?? '').trim() !== '')
      .map(([name, value]) => [name.slice(INPUT.length).toLowerCase(), (value ?? '').trim()]),
  );
}

function cut(markdown: string): string {
  const bytes = Buffer.from(markdown, 'utf8');
  if (bytes.length <= MAX_SUMMARY_BYTES) {
    return markdown;
  }
  const kept = bytes.subarray(0, MAX_SUMMARY_BYTES - 1024).toString('utf8');
  return `${kept.slice(0, kept.lastIndexOf('\n'))}\n\nThe rest was cut off; see report.md for all of it.\n`;
}
