import { posix } from 'node:path';
import { withFallback } from '../../foundation/errors.ts';
import type { GitHub } from '../../github/api/github.ts';
import type { ComparisonResult } from '../../judge/verdict/finding.ts';
import { ACCEPTED_LABEL } from '../../judge/verdict/label.ts';
import type { AcceptWay } from '../../report/comment/sections.ts';

/** Default file of the workflow that measures. */
export const USUAL_WORKFLOW = '.github/workflows/performance.yml';

/** File of the workflow that runs commands for a measuring one: `performance-command.yml` next to `performance.yml`. */
export function commandWorkflowOf(workflow: string): string {
  const { dir, name, ext } = posix.parse(workflow);
  return posix.join(dir, `${name.replace(/^[^-]+/, '$&-command')}${ext}`);
}

/**
 * Way to accept a regression in a repository: commands only if its default branch has the workflow that runs them. Creates the label if it is
 * missing and the token may. Never rejects for a refusal by GitHub.
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
  await withFallback(() => github.makeLabel({ name: ACCEPTED_LABEL, description }));
  const hasCommands = await withFallback(() => github.hasFile({ path: commandWorkflowOf(workflow) }));
  return hasCommands === true ? 'command' : 'label';
}
