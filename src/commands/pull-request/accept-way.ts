import { posix } from 'node:path';
import { knownError } from '../../foundation/errors.ts';
import type { GitHub } from '../../github/api/github.ts';
import type { ComparisonResult } from '../../judge/verdict/finding.ts';
import { ACCEPTED_LABEL } from '../../judge/verdict/label.ts';
import type { AcceptWay } from '../../report/comment/sections.ts';

/** Default file of the workflow that measures. */
export const USUAL_WORKFLOW = '.github/workflows/performance.yml';

/** The file of the workflow that obeys commands to the one that measures: `performance-command.yml` next to `performance.yml`. */
export function commandWorkflowOf(workflow: string): string {
  const { dir, name, ext } = posix.parse(workflow);
  return posix.join(dir, `${name.replace(/^[^-]+/, '$&-command')}${ext}`);
}

/**
 * The way to accept what regressed that works in a repository: commands only if its default branch has the workflow that obeys them.
 * Makes the label if there is none yet and the token may. Never rejects for what GitHub refuses.
 */
export async function acceptWay(
  github: Pick<GitHub, 'hasFile' | 'makeLabel'>,
  { outcome }: Pick<ComparisonResult, 'outcome'>,
  workflow: string = USUAL_WORKFLOW,
): Promise<AcceptWay> {
  if (outcome !== 'regressed') {
    return 'label';
  }
  const description = 'Accepts the regressions that Wiregauge has shown on this pull request';
  await tolerating(() => github.makeLabel({ name: ACCEPTED_LABEL, description }));
  const hasCommands = await tolerating(() => github.hasFile({ path: commandWorkflowOf(workflow) }));
  return hasCommands === true ? 'command' : 'label';
}

async function tolerating<Value>(ask: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await ask();
  } catch (thrown) {
    knownError(thrown);
    return undefined;
  }
}
