import { ConfigError, knownError } from '../../foundation/errors.ts';
import type { GitHub } from '../../github/api/github.ts';
import { MAX_ARTIFACT_BYTES, MAX_ARTIFACT_FILES } from '../../github/host/upload.ts';
import { textInZip } from '../../host/files/zip.ts';
import { RUN_FILE } from '../../measure/trial/keep.ts';
import { CAUSE_FILE, parseCause } from '../../report/comment/unjudged.ts';

/** Reason that a measuring job gave for ending early. */
export type Cause = NonNullable<ReturnType<typeof parseCause>>;

/** Files of interest in the artifact of a measuring job, which may have written anything into them. */
export interface MeasuredFiles {
  /** Text of run.json. */
  readonly run: string | undefined;
  readonly cause: Cause | undefined;
}

/** End of the names of artifacts that a later job of the same workflow run judges. */
export const MEASURED = '-measured';

/** The artifact is untrusted: as much as the action uploads, if nothing in it can be packed, and little enough to be read. */
const MAX_ZIP_BYTES = 1.01 * MAX_ARTIFACT_BYTES;
const LIMITS = { entries: MAX_ARTIFACT_FILES, bytes: MAX_ARTIFACT_BYTES };

/** Error of a measuring job that left nothing to judge: it did not get as far, and says why, or its log does. */
export class NothingMeasured extends ConfigError {
  static override readonly code = 'WG-507';
}

/** The error for a measuring job that left no run.json, with its own cause if there is one. */
export function nothingMeasured(
  { cause, printed, next }: Cause = { cause: `its artifact has no ${RUN_FILE}` },
): NothingMeasured {
  return new NothingMeasured(cause, {
    ...(printed !== undefined && { printed }),
    next: next ?? 'See the log of that workflow run for the reason.',
  });
}

/** Downloads an artifact and reads run.json and the cause in it. Rejects with KnownError for an artifact without both, or a damaged one. */
export async function measuredFiles(github: GitHub, artifactId: number): Promise<MeasuredFiles> {
  const zip = await github.artifactZip(artifactId, MAX_ZIP_BYTES);
  const cause = parseCause((await textIn(zip, CAUSE_FILE)) ?? '');
  const run = cause === undefined ? await textInZip(zip, RUN_FILE, LIMITS) : await textIn(zip, RUN_FILE);
  return { run, cause };
}

/** The text of a file that need not be there. */
async function textIn(zip: Uint8Array, name: string): Promise<string | undefined> {
  try {
    return await textInZip(zip, name, LIMITS);
  } catch (thrown) {
    knownError(thrown);
    return undefined;
  }
}
