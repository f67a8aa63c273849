import { ConfigError, KnownError, withFallback } from '../../foundation/errors.ts';
import { shortCommit } from '../../foundation/text.ts';
import type { GitHub } from '../../github/api/github.ts';
import { commandIn } from '../../github/command.ts';
import { ACCEPTED_LABEL } from '../../judge/verdict/label.ts';
import { gitHubOf } from './comment.ts';
import { MEASURED } from './measured.ts';

/** Comment on a pull request that may be a command, or a label added to it. */
export interface CommandFlags {
  /** "owner/name" of the repository. */
  readonly repository: string;
  readonly number: number;
  readonly by: string;
  readonly comment?: { readonly id: number; readonly body: string };
  readonly label?: string;
  readonly workflow: string;
}

/**
 * Handles a command in a comment on a pull request, or the label: restarts the jobs that judge its newest commit. That job reads what is accepted,
 * so no code of the pull request runs here. A comment gets a reaction and a line as the answer. Commands of users without write access are ignored.
 * Throws ConfigError if there is nothing to restart.
 */
export async function runCommentCommand(flags: CommandFlags, log: (line: string) => void): Promise<void> {
  const { by, comment, number, repository } = flags;
  const ofLabel = flags.label?.toLowerCase() === ACCEPTED_LABEL ? ({ kind: 'label' } as const) : undefined;
  const requested = comment === undefined ? ofLabel : commandIn(comment.body);
  if (requested === undefined) {
    log(
      `this is neither the label "${ACCEPTED_LABEL}" nor a command; commands are "/wiregauge accept 8%", "/wiregauge accept policy" and "/wiregauge rerun", on a separate line`,
    );
    return;
  }
  const github = gitHubOf(repository, log);
  if (!(await github.mayWrite(by))) {
    log(`the command is ignored: ${by} has no write access to ${repository}`);
    return;
  }
  /** Answers a comment, not a label, with a line of Markdown. Refusals by GitHub are only logged. */
  const answer = async (reaction: 'rocket' | 'eyes', line: string): Promise<void> => {
    if (comment !== undefined) {
      for (const say of [() => github.react(comment.id, reaction), () => github.comments(number).create(line)]) {
        await withFallback<unknown, void>(say, ({ message }) => log(message));
      }
    }
  };
  try {
    const { isStarted, line } = await started(github, flags, requested.kind === 'rerun');
    log(line);
    await answer(isStarted ? 'rocket' : 'eyes', line);
  } catch (thrown) {
    if (comment === undefined && thrown instanceof KnownError) {
      // For a fork the token is read-only, and a label may precede the first run: neither justifies a red check.
      log(`nothing was started: ${thrown.message}. ${thrown.next ?? ''}`);
      return;
    }
    if (comment !== undefined && thrown instanceof ConfigError) {
      await answer('eyes', `Nothing was started: ${thrown.message}. ${thrown.next ?? ''}`);
    }
    throw thrown;
  }
}

/** Restarts jobs, unless the newest run has passed or is still running: then it reads the comment when it judges. */
async function started(
  github: GitHub,
  { number, workflow }: CommandFlags,
  measuresAgain: boolean,
): Promise<{ readonly isStarted: boolean; readonly line: string }> {
  const { headSha, headRef, headRepository, isOpen } = await github.pullRequest(number);
  const file = workflow.split('/').at(-1) ?? workflow;
  const of = { workflow: file, headSha, headRef, headRepository, event: 'pull_request' };
  const [newest] = isOpen ? await github.workflowRuns(of) : [];
  if (newest === undefined) {
    throw new ConfigError(
      isOpen ? `${file} has no run for commit ${shortCommit(headSha)}` : `pull request #${number} is not open`,
      {
        code: 'WG-509',
        next: 'Push a commit, or set the file of the measuring workflow: `with: { workflow: .github/workflows/<file> }`.',
      },
    );
  }
  const run = `[workflow run](${newest.url})`;
  if (!newest.hasEnded) {
    return { isStarted: false, line: `The ${run} has not ended: it reads this when it judges.` };
  }
  const uploads = measuresAgain ? [] : await github.artifacts(newest.id);
  // If a separate job judges what another one uploaded, nothing has to be measured again.
  if (!uploads.some(({ name, isExpired }) => name.endsWith(MEASURED) && !isExpired)) {
    await github.rerun(newest.id, 'all');
    return { isStarted: true, line: `Measuring again: ${run}.` };
  }
  if (newest.hasPassed) {
    return { isStarted: false, line: `There is nothing to accept: the ${run} has passed.` };
  }
  await github.rerun(newest.id, 'failed');
  return { isStarted: true, line: `Judging the same measurement again, with what is accepted now: ${run}.` };
}
