import { ConfigError } from '../../foundation/errors.ts';
import { remarkLog } from '../../host/terminal/output.ts';
import { judgedRun } from '../../judge/verdict/judge.ts';
import type { FailOn } from '../program/options.ts';
import { printResult } from '../program/result.ts';
import { readVersions } from '../runs/run-files.ts';
import { type CommentFlags, gitHubOf } from './comment.ts';
import { type Verdict, verdictOf, verdictPage } from './verdict.ts';

interface PublishCheckFlags extends Pick<CommentFlags, 'runUrl' | 'reportUrl' | 'json' | 'command'> {
  /** "owner/name". */
  readonly repository: string;
  readonly name: string;
  readonly failOn?: FailOn | undefined;
  /** File with the thresholds, if not those of the suite. */
  readonly policy?: string | undefined;
}

/**
 * `wiregauge publish --to check`: writes the verdict of a `run.json` as a check run on the commit of its head, or updates the one of that name,
 * with the token in GITHUB_TOKEN. Throws ConfigError if the head is not a commit, GitHubRefusal if GitHub refuses.
 */
export async function publishCheck(file: string, flags: PublishCheckFlags): Promise<void> {
  await putCheck(verdictOf({ judged: judgedRun(readVersions(file)) }, flags), flags);
}

/** Writes the check run of a verdict, replacing an earlier one of that name on the commit: `headSha`, or the measured one. */
export async function putCheck(
  verdict: Verdict,
  flags: PublishCheckFlags & { readonly headSha?: string },
  page = verdictPage(verdict, flags),
): Promise<void> {
  const { name, runUrl } = flags;
  const { head = 'a working tree with changes', outcome, conclusion } = verdict;
  if (verdict.head === undefined || head !== (flags.headSha ?? head)) {
    throw new ConfigError(
      `a check run belongs to a commit, ${flags.headSha ?? 'that of the head'}, but ${head} was measured`,
      {
        code: 'WG-509',
        next: 'Compare that commit: `wiregauge compare --head <commit>`.',
      },
    );
  }
  const { url } = await gitHubOf(flags.repository, remarkLog(flags)).checkRun({
    ...{ name, headSha: head, conclusion, ...page },
    ...(runUrl !== undefined && { detailsUrl: runUrl }),
  });
  printResult(
    { command: flags.command ?? 'publish', json: flags.json },
    { name, conclusion, outcome, url },
    `check run "${name}": ${url ?? 'written'}\n`,
  );
}
