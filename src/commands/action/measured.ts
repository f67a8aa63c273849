import { join } from 'node:path';
import { isArtifactName } from '../../github/host/upload.ts';
import type { WorkflowHost } from '../../github/host/workflow-host.ts';
import { outputFolder } from '../../host/files/output.ts';
import { printLine } from '../../host/terminal/output.ts';
import { RUN_FILE } from '../../measure/trial/keep.ts';
import { CAUSE_FILE, formatCause } from '../../report/comment/unjudged.ts';
import { USUAL } from '../program/options.ts';
import { gitHubOf } from '../pull-request/comment.ts';
import { MEASURED, measuredFiles, NothingMeasured } from '../pull-request/measured.ts';

/**
 * Downloads what the measuring jobs of this workflow run left, from all of its attempts: the newest artifact of each name that is
 * `<artifact>-measured`, or begins so. Only run.json and the cause of a failure are taken out, as data. Returns the folder. Rejects with
 * NothingMeasured if there is none.
 */
export async function downloadMeasured(
  host: WorkflowHost,
  { artifact = USUAL.artifact, to }: { readonly artifact: string | undefined; readonly to: string },
): Promise<string> {
  const github = gitHubOf(`${host.owner}/${host.repository}`, printLine);
  const prefix = `${artifact}${MEASURED}`;
  const isSelected = (name: string) => isArtifactName(name) && (name === prefix || name.startsWith(`${prefix}-`));
  const all = (await github.artifacts(host.runId)).filter(({ name, isExpired }) => isSelected(name) && !isExpired);
  // The newest first, so that it is the one that stays.
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
