import { KnownError } from '../../foundation/index.ts';
import { type GitHub, openGitHub } from '../../github/index.ts';
import { ACCEPTED_LABEL, acceptedByLabel, judgeRun } from '../../judge/index.ts';
import type { RunInRounds } from '../../model/index.ts';
import { access, pullRequestNamed } from './comment.ts';

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
