import { KnownError } from '../../foundation/index.ts';
import { type GitHub, openGitHub } from '../../github/index.ts';
import { ACCEPTED_LABEL, acceptedByLabel, type JudgedRun, judgedRun } from '../../judge/index.ts';
import { access, pullRequestNamed } from './comment.ts';

/**
 * The comparison as the label of a pull request leaves it: with its regressions accepted if the label is on at this moment. GitHub is
 * asked only if something regressed. Rejects with GitHubRefusal if it does not answer.
 */
export async function labelled(github: GitHub, number: number, judged: JudgedRun): Promise<JudgedRun> {
  if (judged.result.outcome !== 'regressed') {
    return judged;
  }
  const event = await github.labelEvent(number, ACCEPTED_LABEL);
  return event === undefined ? judged : judgedRun(acceptedByLabel(judged, event));
}

/**
 * The same for a pull request by its name, or none. If GitHub does not answer, nothing is accepted, and the log says so.
 */
export async function withLabel(
  judged: JudgedRun,
  pullRequest: string | undefined,
  log: (line: string) => void,
): Promise<JudgedRun> {
  if (pullRequest === undefined) {
    return judged;
  }
  const { owner, repository, number } = pullRequestNamed(pullRequest);
  try {
    const github = openGitHub({ ...access(), owner, repo: repository, log });
    return await labelled(github, number, judged);
  } catch (thrown) {
    if (!(thrown instanceof KnownError)) {
      throw thrown;
    }
    log(`the label "${ACCEPTED_LABEL}" could not be asked for, so it accepts nothing: ${thrown.message}`);
    return judged;
  }
}
