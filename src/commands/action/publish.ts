import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../foundation/index.ts';
import type { GithubEvent, WorkflowHost } from '../../github/index.ts';
import { USUAL_PLACE } from '../history/list.ts';
import { pagesUrl } from '../history/origin.ts';
import { publishFile } from '../history/publish.ts';
import { tellFailure } from '../program/failure.ts';
import type { ActionMode } from './command.ts';

/** When the results of a step enter the history. */
export type PublishSetting = 'auto' | 'always' | 'never';

/** A step that has measured. */
export interface MeasuredStep {
  readonly event: GithubEvent;
  readonly mode: ActionMode;
  /** The folder with run.json. */
  readonly out: string;
  readonly exitCode: number;
  /** Page of the artifact. */
  readonly reportUrl: string | undefined;
}

const SETTINGS: readonly PublishSetting[] = ['auto', 'always', 'never'];

/** Reads the input `publish`. Throws ConfigError for a value that is none. */
export function publishSetting(inputs: ReadonlyMap<string, string>): PublishSetting {
  const asked = inputs.get('publish') ?? 'auto';
  const setting = SETTINGS.find((known) => known === asked);
  if (setting === undefined) {
    throw new ConfigError(`the input \`publish\` is "${asked}"`, { next: `Write one of: ${SETTINGS.join(', ')}.` });
  }
  return setting;
}

/** Whether what an event led to enters the history: by itself only a push to the default branch, never a pull request or a fork. */
export function isPublished(event: GithubEvent, setting: PublishSetting): boolean {
  if (setting === 'never') {
    return false;
  }
  if (event.kind === 'push') {
    return setting === 'always' || event.isDefaultBranch;
  }
  return setting === 'always' && (event.kind === 'by-hand' || event.kind === 'by-schedule');
}

/**
 * Publishes the run of a step where it is to be, and begins the branch where it is missing. A token that may only read is a warning,
 * unless publishing was asked for. Gives the exit code of the step.
 */
export async function publishResults(host: WorkflowHost, step: MeasuredStep): Promise<number> {
  const { event, mode, out, exitCode, reportUrl } = step;
  const setting = publishSetting(host.inputs);
  const file = join(out, 'run.json');
  const isWhole = MEASURING.has(mode) && !host.inputs.has('shard') && exitCode <= 1 && existsSync(file);
  if (!isWhole || !isPublished(event, setting)) {
    return exitCode;
  }
  if (setting === 'auto' && !existsSync('.git')) {
    host.annotate({ level: 'warning', title: 'Wiregauge', message: NO_CHECKOUT });
    return exitCode;
  }
  try {
    const { remote, branch, branchFolder: folder } = USUAL_PLACE;
    const reports = reportUrl === undefined ? {} : { reportUrl };
    const flags = { remote, branch, folder, createBranch: true, ifAllowed: setting === 'auto', ...reports };
    if ((await publishFile(file, flags)) !== 'not-allowed') {
      tellPage(host, folder);
    }
    return exitCode;
  } catch (thrown) {
    return Math.max(exitCode, tellFailure(thrown));
  }
}

/** Where the history is shown, now that there is one. */
function tellPage(host: WorkflowHost, folder: string): void {
  const { origin } = new URL(host.runUrl(host.runId));
  const url = pagesUrl(`${origin}/${host.owner}/${host.repository}`, folder);
  if (url !== undefined) {
    host.output('history-url', url);
  }
}

/** Jobs that only merge need none. */
const NO_CHECKOUT =
  'Nothing was published: this job has no checkout, which says what was measured and where the history lies. Add `uses: actions/checkout`, or say `with: { publish: never }`.';

const MEASURING: ReadonlySet<ActionMode> = new Set<ActionMode>(['run', 'compare', 'merge']);
