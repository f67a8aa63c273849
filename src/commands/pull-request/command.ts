import { ConfigError, KnownError } from '../../foundation/index.ts';
import { commandIn, type GitHub, openGitHub } from '../../github/index.ts';
import { access } from './comment.ts';

/** A comment on a pull request that may be a command. */
export interface CommandFlags {
  /** "owner/name" of the repository. */
  readonly repository: string;
  /** Of the pull request. */
  readonly number: number;
  readonly commentId: number;
  readonly by: string;
  readonly body: string;
  /** The file of the workflow that measures. */
  readonly workflow: string;
}

/**
 * Does what a comment on a pull request asks for: starts the workflow again that measured its newest commit. What it accepts is read
 * from the comment by the job that judges, so nothing of the pull request is run here, and nothing is written but a reaction. Commands
 * of users who may not write to the repository are ignored. Exit code 0; throws ConfigError if there is nothing to start again.
 */
export async function obeyCommand(flags: CommandFlags, log: (line: string) => void): Promise<number> {
  const { by, body, commentId, repository } = flags;
  if (commandIn(body) === undefined) {
    log(
      'this comment is not a command; commands are "/wiregauge accept 8%" and "/wiregauge rerun", on a separate line',
    );
    return 0;
  }
  const [owner = '', repo = ''] = repository.split('/');
  const github = openGitHub({ ...access(), owner, repo, log });
  if (!(await github.mayWrite(by))) {
    log(`the command is ignored: ${by} has no write access to ${repository}`);
    return 0;
  }
  const isStarted = await started({ github, log }, flags);
  try {
    await github.react(commentId, isStarted ? 'rocket' : 'eyes');
  } catch (thrown) {
    if (!(thrown instanceof KnownError)) {
      throw thrown;
    }
    log(thrown.message);
  }
  return 0;
}

interface Asking {
  readonly github: GitHub;
  readonly log: (line: string) => void;
}

/** False if the newest run goes on: it reads the comment when it judges. */
async function started({ github, log }: Asking, { number, workflow }: CommandFlags): Promise<boolean> {
  const { headSha, headRef, headRepository, isOpen } = await github.pullRequest(number);
  const file = workflow.split('/').at(-1) ?? workflow;
  const of = { workflow: file, headSha, headRef, headRepository, event: 'pull_request' };
  const [newest] = isOpen ? await github.workflowRuns(of) : [];
  if (newest === undefined) {
    throw new ConfigError(
      isOpen ? `${file} has no run for commit ${headSha.slice(0, 10)}` : `pull request #${number} is not open`,
      {
        code: 'WG-509',
        next: 'Push a commit, or set the file of the measuring workflow: `with: { workflow: .github/workflows/<file> }`.',
      },
    );
  }
  if (!newest.hasEnded) {
    log(`${newest.url} is still running: it reads the comment when it judges`);
    return false;
  }
  await github.rerun(newest.id);
  log(`started again: ${newest.url}`);
  return true;
}
