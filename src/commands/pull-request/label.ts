import { withFallback } from '../../foundation/errors.ts';
import { once } from '../../foundation/once.ts';
import { shortCommit } from '../../foundation/text.ts';
import type { GitHub } from '../../github/api/github.ts';
import { commandIn } from '../../github/command.ts';
import { type JudgedRun, judgedRun } from '../../judge/verdict/judge.ts';
import {
  ACCEPTED_LABEL,
  type AcceptedRows,
  policyText,
  withAcceptedPolicy,
  withAcceptedRows,
} from '../../judge/verdict/label.ts';
import { hasMarker, isOurs, resultsIn, shownAt, shownPolicyAt } from '../../report/comment/state.ts';
import { gitHubOf, pullRequestNamed } from './comment.ts';

/** Pull request whose label and comments may accept regressions. */
interface AcceptingPullRequest {
  readonly number: number;
  /** ID of the comment that shows the regressions. */
  readonly commentId: string;
}

/**
 * Comparison as users with write access accept it, by the label or the newest command: rows that a comment had reported by then, up to their
 * reported size, or for "/wiregauge accept 8%" up to that; by the label or "/wiregauge accept policy" also the loosened policy that was reported.
 * Sends nothing to GitHub if there is nothing to accept. Rejects with GitHubRefusal if GitHub does not answer.
 */
export async function labeled(github: GitHub, of: AcceptingPullRequest, judged: JudgedRun): Promise<JudgedRun> {
  const byLabel = once(() => labelOf(github, of.number));
  let accepted = judged;
  const byCommand = (kind: 'accept' | 'policy') => () => newestOf(github, of.number, kind);
  for (const request of [byLabel, byCommand('accept')]) {
    if (accepted.result.outcome === 'regressed') {
      accepted = await withRequest(github, of, accepted, await request());
    }
  }
  for (const request of [byLabel, byCommand('policy')]) {
    accepted = await withPolicy(github, of, accepted, request);
  }
  return accepted;
}

async function withPolicy(
  github: GitHub,
  of: AcceptingPullRequest,
  judged: JudgedRun,
  requestOf: () => Promise<Request | undefined>,
): Promise<JudgedRun> {
  const { rules } = judged.run.rounds;
  const text = policyText(rules);
  if (judged.result.exitCode === 0 || rules?.proposed === undefined || text === undefined) {
    return judged;
  }
  const request = await requestOf();
  if (request === undefined || 'refusal' in request) {
    return judged;
  }
  const bodies = await shownBodies(github, of);
  const isShown = bodies.some((body) => shownPolicyAt(resultsIn(body), request.at) === text);
  return isShown ? withNotes(judged, judgedRun(withAcceptedPolicy(judged.run, request))) : judged;
}

/** Request to accept regressions, by the label or a command, or the reason for its refusal. */
type Request = Omit<AcceptedRows, 'shown'> | { readonly refusal: string };

async function withRequest(
  github: GitHub,
  of: AcceptingPullRequest,
  judged: JudgedRun,
  request: Request | undefined,
): Promise<JudgedRun> {
  if (request === undefined) {
    return judged;
  }
  if ('refusal' in request) {
    return noted(judged, request.refusal);
  }
  const { by, how } = request;
  // From the job's comment, or another comment of Wiregauge: the first stage also accepts what a second stage shows.
  const all = (await shownBodies(github, of)).map((body) => shownAt(resultsIn(body), request.at));
  const shown = all.find((one) => one !== undefined);
  if (shown === undefined) {
    const why = `when ${by} set it, no comment had reported the regressions yet. Remove it and add it again.`;
    return noted(judged, `The ${how} accepts nothing: ${why}`);
  }
  const accepted = withNotes(judged, judgedRun(withAcceptedRows(judged, { ...request, shown })));
  const left = accepted.result.answers.filter(({ by, fails }) => by === 'change' && fails).length;
  const head = shortCommit(shown.head);
  return left === 0
    ? accepted
    : noted(accepted, `The ${how} accepts what was reported for commit ${head}; ${left} more regressed, or by more.`);
}

async function labelOf(github: GitHub, number: number): Promise<Request | undefined> {
  const how = `label "${ACCEPTED_LABEL}"`;
  const event = await github.labelEvent(number, ACCEPTED_LABEL);
  if (event === 'unknown') {
    return { refusal: `The ${how} accepts nothing: no event shows who added it. Remove it and add it again.` };
  }
  if (event !== undefined && !(await github.mayWrite(event.by))) {
    return { refusal: `The ${how} accepts nothing: ${event.by} has no write access to this repository.` };
  }
  return event && { ...event, how };
}

async function shownBodies(github: GitHub, { number, commentId }: AcceptingPullRequest): Promise<readonly string[]> {
  const bodies = (await github.comments(number).all()).map(({ body }) => body).filter(isOurs);
  return [...bodies.filter((body) => hasMarker(body, commentId)), ...bodies];
}

/** Limit of checked accounts outside the repository: any user may write commands. */
const MAX_OTHERS_CHECKED = 10;

/** Newest command of a kind from a user with write access. */
async function newestOf(github: GitHub, number: number, kind: 'accept' | 'policy'): Promise<Request | undefined> {
  const remarks = (await github.remarks(number)).flatMap(({ by, isAssociated, at, body }) => {
    const command = commandIn(body);
    return command?.kind === kind ? [{ by, isAssociated, at, ...('upTo' in command && { upTo: command.upTo }) }] : [];
  });
  const newest = remarks.toSorted((left, right) => Date.parse(right.at) - Date.parse(left.at));
  const namesOf = (remarked: typeof newest) => [...new Set(remarked.map(({ by }) => by))];
  const own = namesOf(newest.filter(({ isAssociated }) => isAssociated));
  const others = namesOf(newest.filter(({ isAssociated }) => !isAssociated));
  const requested = [...own, ...others.slice(0, MAX_OTHERS_CHECKED)];
  for (const by of requested) {
    const found = newest.find((one) => one.by === by);
    if (found !== undefined && (await github.mayWrite(by))) {
      const { isAssociated: _isAssociated, ...command } = found;
      const percent = Number(((command.upTo ?? 0) * 100).toPrecision(6));
      return { ...command, how: `comment "/wiregauge accept ${kind === 'policy' ? kind : `${percent}%`}"` };
    }
  }
  return undefined;
}

function noted({ run, result }: JudgedRun, note: string): JudgedRun {
  return { run, result: { ...result, notes: [note, ...result.notes] } };
}

/** Verdict with the notes that concern only the pull request. */
function withNotes(before: JudgedRun, { run, result }: JudgedRun): JudgedRun {
  const own = before.result.notes.filter((note) => typeof note === 'string' && !result.notes.includes(note));
  return { run, result: { ...result, notes: [...own, ...result.notes] } };
}

/** Accepted comparison of a pull request by its name, if any. If GitHub does not answer, nothing is accepted, and a note gives the reason. */
export async function withLabel(
  judged: JudgedRun,
  { pullRequest, commentId = 'wiregauge' }: { pullRequest?: string | undefined; commentId?: string | undefined },
  log: (line: string) => void,
): Promise<JudgedRun> {
  if (pullRequest === undefined) {
    return judged;
  }
  const { repository, number } = pullRequestNamed(pullRequest);
  return await withFallback(
    () => labeled(gitHubOf(repository, log), { number, commentId }, judged),
    ({ message }) => noted(judged, `Nothing is accepted: ${message}`),
  );
}
