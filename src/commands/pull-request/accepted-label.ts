import { KnownError } from '../../foundation/errors.ts';
import { type GitHub, openGitHub } from '../../github/api/github.ts';
import { judgeRun } from '../../judge/verdict/judge.ts';
import { ACCEPTED_LABEL, acceptedByLabel } from '../../judge/verdict/label-acceptance.ts';
import type { RunInRounds } from '../../model/run/kept-cells.ts';
import { access } from './publish-comment.ts';
import { pullRequestNamed } from './pull-request.ts';

/**
 * The run as the label of a pull request has it: with its regressions accepted where the label is on at this moment. GitHub is asked
 * only where something regressed. Rejects with GitHubRefusal where it does not answer.
 */
export async function labelled(github: GitHub, number: number, run: RunInRounds): Promise<RunInRounds> {
  if (judgeRun(run).outcome !== 'regressed') {
    return run;
  }
  const event = await github.labelEvent(number, ACCEPTED_LABEL);
  return event === undefined ? run : acceptedByLabel(run, event);
}

/**
 * The same for a pull request by its name, or none. Where GitHub does not answer, nothing is accepted, and the log says so.
 */
export async function withLabel(
  run: RunInRounds,
  pullRequest: string | undefined,
  log: (line: string) => void,
): Promise<RunInRounds> {
  if (pullRequest === undefined) {
    return run;
  }
  const { owner, repository, number } = pullRequestNamed(pullRequest);
  try {
    const github = openGitHub({ ...access(), owner, repo: repository, log });
    return await labelled(github, number, run);
  } catch (thrown) {
    if (!(thrown instanceof KnownError)) {
      throw thrown;
    }
    log(`the label "${ACCEPTED_LABEL}" could not be asked for, so it accepts nothing: ${thrown.message}`);
    return run;
  }
}
