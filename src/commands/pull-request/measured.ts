import { join } from 'node:path';
import { ConfigError, withFallback } from '../../foundation/errors.ts';
import type { GitHub } from '../../github/api/github.ts';
import { isArtifactName, MAX_ARTIFACT_BYTES, MAX_ARTIFACT_FILES } from '../../github/host/artifacts.ts';
import type { WorkflowHost } from '../../github/host/workflow-host.ts';
import { outputFolder } from '../../host/files/output.ts';
import { textInZip } from '../../host/files/zip.ts';
import { printLine } from '../../host/terminal/output.ts';
import { RUN_FILE } from '../../measure/trial/keep.ts';
import { CAUSE_FILE, formatCause, parseCause } from '../../report/comment/unjudged.ts';
import { USUAL_ARTIFACT } from '../program/options.ts';
import { gitHubOf } from './comment.ts';

/** Reason that a measuring job gave for ending early. */
type Cause = NonNullable<ReturnType<typeof parseCause>>;

/** End of the names of artifacts that a later job of the same workflow run judges. */
export const MEASURED = '-measured';

/** Limit for an untrusted artifact: all that the action uploads, uncompressed. */
const MAX_ZIP_BYTES = 1.01 * MAX_ARTIFACT_BYTES;
const LIMITS = { entries: MAX_ARTIFACT_FILES, bytes: MAX_ARTIFACT_BYTES };

export class NothingMeasured extends ConfigError {
  static override readonly code = 'WG-507';
}

/** Error for a measuring job that left no run.json, with its own cause if there is one. */
export function nothingMeasured(
  { cause, printed, next }: Cause = { cause: `its artifact has no ${RUN_FILE}` },
): NothingMeasured {
  return new NothingMeasured(cause, {
    ...(printed !== undefined && { printed }),
    next: next ?? 'See the log of that workflow run for the reason.',
  });
}

/**
 * Downloads the artifact of a measuring job, which may have written anything into it, and reads the text of run.json and the cause. Rejects with
 * KnownError for an artifact without both, or a damaged one.
 */
export async function measuredFiles(github: GitHub, artifactId: number) {
  const zip = await github.artifactZip(artifactId, MAX_ZIP_BYTES);
  const textIn = (name: string) => textInZip(zip, name, LIMITS);
  const optional = (name: string) => withFallback(() => textIn(name));
  const cause = parseCause((await optional(CAUSE_FILE)) ?? '');
  return { run: await (cause === undefined ? textIn : optional)(RUN_FILE), cause };
}

/**
 * Downloads the results of the measuring jobs of this workflow run, from all its attempts: the newest artifact of each name that begins with
 * `<artifact>-measured`. Extracts only run.json and the cause of a failure, as data. Returns the folder. Rejects with NothingMeasured if there is
 * none.
 */
export async function downloadMeasured(
  host: WorkflowHost,
  { artifact = USUAL_ARTIFACT, to }: { readonly artifact: string | undefined; readonly to: string },
): Promise<string> {
  const github = gitHubOf(`${host.owner}/${host.repository}`, printLine);
  const prefix = `${artifact}${MEASURED}`;
  const isSelected = (name: string) => isArtifactName(name) && (name === prefix || name.startsWith(`${prefix}-`));
  const all = (await github.artifacts(host.runId)).filter(({ name, isExpired }) => isSelected(name) && !isExpired);
  // The newest comes first, so that it is kept.
  const found = new Map(all.toReversed().map(({ name, id }) => [name, id]));
  if (found.size === 0) {
    throw new NothingMeasured(`no job has measured anything: this workflow run has no artifact "${prefix}"`, {
      next: `See the log of the job that measures; it needs \`with: { shard: 1/1, artifact: ${prefix} }\`.`,
    });
  }
  for (const [name, id] of found) {
    const { run, cause } = await measuredFiles(github, id);
    const folder = await outputFolder(join(to, name));
    await Promise.all([
      ...(run === undefined ? [] : [folder.write(RUN_FILE, run)]),
      ...(cause === undefined ? [] : [folder.write(CAUSE_FILE, formatCause({ head: undefined, ...cause }))]),
    ]);
  }
  return to;
}
