import { NAME } from '../../foundation/names.ts';
import { escapeMarkdown } from '../../foundation/text.ts';
import { FEWEST_ROUNDS } from '../../judge/inference/location.ts';
import { isFullPass } from '../../judge/verdict/coverage.ts';
import type { ComparisonResult, Finding } from '../../judge/verdict/finding.ts';
import { ACCEPTED_LABEL, MOST_ACCEPTED } from '../../judge/verdict/label.ts';
import { METRICS } from '../../model/metric.ts';
import { regressionsOf } from '../comparison/claims.ts';
import type { ComparisonView } from '../comparison/view.ts';
import type { MarkdownSection } from '../render/markdown.ts';
import { markdownLink } from '../render/markdown.ts';
import { startOf } from '../views/facts.ts';
import type { EarlierResult } from './state.ts';

/** Stands before the verdict, so that it is seen in a list of comments. The check mark is for what saw and told everything, and found no other answers. */
export function symbolOf({ outcome, isPartial }: Pick<EarlierResult, 'outcome' | 'isPartial'>): string {
  return outcome === 'passed' && isPartial === true ? SYMBOLS.inconclusive : SYMBOLS[outcome];
}

/** The same of a comparison that was just judged. */
export function symbolOfResult(result: ComparisonResult): string {
  return symbolOf({ outcome: result.outcome, ...(!isFullPass(result) && { isPartial: true }) });
}

const SYMBOLS: Readonly<Record<ComparisonResult['outcome'], string>> = {
  passed: '✅',
  regressed: '🔴',
  failed: '❌',
  inconclusive: '🟡',
  incomplete: '⚪',
};

/** Addresses of the workflow run, the report artifact and the trend page; one that is no safe link is left out. */
export interface CommentLinks {
  readonly run?: string | undefined;
  readonly report?: string | undefined;
  /** A report from a stranger's job, which readers have to know before they open it. */
  readonly foreignReport?: string | undefined;
  readonly trend?: string | undefined;
}

/** Which version a comment is about, and the place of more. */
export function linksLine(versions: string, links: CommentLinks): string {
  const found = [
    markdownLink('Workflow run', links.run),
    markdownLink('Full report', links.report),
    markdownLink(
      "Artifact of the pull request's own job, which is not trusted: its pages may contain anything",
      links.foreignReport,
    ),
    markdownLink('Trend', links.trend),
  ].filter((link) => link !== undefined);
  return [escapeMarkdown(versions, 80), ...found].join(' · ');
}

/** Results of the same pull request before this one, newest first. */
export function earlierSection(earlier: readonly EarlierResult[]): MarkdownSection {
  const lines = earlier.map((result) => {
    const { head, finishedAt, headline, runUrl } = result;
    const link = markdownLink('run', runUrl);
    const when = escapeMarkdown(`${startOf({ startedAt: finishedAt })}, ${head.slice(0, 10)}`, 80);
    return `- ${symbolOf(result)} ${when}${link === undefined ? '' : ` (${link})`}: ${escapeMarkdown(headline)}`;
  });
  return { title: 'Earlier results of this pull request', lines };
}

/** How to accept what regressed, in one sentence; empty if nothing did that can be accepted. */
export function intendedSentence({ gate, result }: ComparisonView, way: AcceptWay): string {
  const found = regressionsOf(gate);
  if (found.length === 0 || result.exitCode === 0) {
    return '';
  }
  return isTooLarge(found) ? `Intended? ${TOO_LARGE}` : `Intended? ${acceptSentence(way, found)}`;
}

/** How a regression can be accepted where the comment is: by a command or the label, by the label alone, or by a file. */
export type AcceptWay = 'command' | 'label' | 'file';

function acceptSentence(way: AcceptWay, found: readonly Finding[]): string {
  switch (way) {
    case 'command':
      return `Add the label \`${ACCEPTED_LABEL}\`, or comment ${acceptCommand(found)}.`;
    case 'label':
      return `Add the label \`${ACCEPTED_LABEL}\`, then re-run the failed jobs of the workflow run.`;
    case 'file':
      return 'Accept it in `.wiregauge/accepted.yml`.';
  }
}

/** How to apply at once what the head loosens of the policy; empty if that would change nothing. */
function acceptPolicyLines({ result }: ComparisonView, way: AcceptWay): readonly string[] {
  const isPending = (result.rules?.proposed && result.rules.pending.length > 0) ?? false;
  if (!isPending || way === 'file') {
    return [];
  }
  return [
    way === 'command'
      ? `- To apply the changed policy now, comment \`/wiregauge accept policy\`, or add the label \`${ACCEPTED_LABEL}\`.`
      : `- To apply the changed policy now, add the label \`${ACCEPTED_LABEL}\`, then re-run the failed jobs of the workflow run.`,
  ];
}

const TOO_LARGE =
  'A change of over 1000% cannot be accepted: set `gate: false` for its metric in `thresholds` of the policy.';

/** Whether one of them is beyond every size. */
function isTooLarge(found: readonly Finding[]): boolean {
  return found.some(({ change }) => Math.abs(change.estimate) > MOST_ACCEPTED);
}

/** The command that accepts all of them: the largest size, since it holds for each. */
function acceptCommand(found: readonly Finding[]): string {
  return `\`/wiregauge accept ${Math.max(...found.map(percentToAccept))}%\``;
}

/** The smallest whole per cent beyond the interval, so that the next measurement of the same change is accepted, too. */
function percentToAccept({ change: { estimate, low = estimate, high = estimate } }: Finding): number {
  const percent = Math.max(...[estimate, low, high].map(Math.abs)) * 100;
  // 0.07 is 7.000000000000001 per cent in binary, and 7 is enough for it.
  return Math.min(MOST_ACCEPTED * 100, Math.ceil(Number(percent.toPrecision(12))));
}

/** What can be done if a comparison does not pass; without lines if it does. */
export function whatToDoSection(view: ComparisonView, finishedAt: string, way: AcceptWay = 'command'): MarkdownSection {
  const { result } = view;
  const { outcome, exitCode, uncompared, errors, budgets, answers } = result;
  const hasFailed =
    uncompared.some(({ reason }) => reason === 'head-failed') || errors.some(({ verdict }) => verdict === 'regressed');
  const hasLostShard = uncompared.some(({ reason }) => reason === 'shard-lost');
  const lines = [
    ...(hasFailed ? [FAILED] : []),
    ...(answers.some(({ verdict }) => verdict === 'fails') ? [ANSWERS_FAIL] : []),
    ...acceptLines(regressionsOf(view.gate), finishedAt),
    ...acceptPolicyLines(view, way),
    ...(budgets.some(({ verdict }) => verdict === 'over') ? [OVER_BUDGET] : []),
    ...(outcome === 'inconclusive' && exitCode === 1 ? [OPEN_FAILS] : []),
    ...(hasLostShard ? [LOST] : []),
    ...(outcome === 'incomplete' && !hasLostShard ? [TOO_FEW] : []),
  ];
  return { title: 'What to do', lines: exitCode === 0 ? [] : lines };
}

const FAILED =
  '- A version that does not build, fails or answers with errors cannot be accepted. Its full output is in the log of the workflow run.';

const ANSWERS_FAIL =
  '- The policy sets `answers: fail`, and a label cannot accept a changed answer. Fix the answer, list what may differ in `ignore` of the operation, or set `answers: warn`.';

const OVER_BUDGET = "- A budget is a limit in the suite's `policy:`; it cannot be accepted, only raised there.";

const OPEN_FAILS =
  '- The policy sets `inconclusive: fail`. More rounds may decide it: raise `budget`, or set `inconclusive: warn`.';

const TOO_FEW = `- A verdict needs ${FEWEST_ROUNDS} rounds of each service: raise \`budget\`, or compare fewer services at once.`;

const LOST =
  '- A shard is lost if its job failed, was canceled or left an unreadable file: check the jobs of the workflow run, and re-run the failed ones.';

/** Lines of `.wiregauge/accepted.yml` that are written out; people add the rest by this example. */
const MOST_EXAMPLES = 5;

function acceptLines(regressions: readonly Finding[], finishedAt: string): readonly string[] {
  if (regressions.length === 0) {
    return [];
  }
  const until = untilText(finishedAt);
  const examples = regressions
    .filter(isNameable)
    .slice(0, MOST_EXAMPLES)
    .flatMap((finding) => exampleLines(finding, until));
  return [
    '- If it is unexpected, check what this pull request changed in the code behind these figures.',
    isTooLarge(regressions) ? `- ${TOO_LARGE}` : intendedLine(regressions),
    '- To accept it in later pull requests, too, add it to `.wiregauge/accepted.yml`, with a maximum size and an expiry date.',
    ...(examples.length === 0 ? [] : ['', '```yaml', ...examples, '```']),
  ];
}

function intendedLine(regressions: readonly Finding[]): string {
  return `- If it is intended, add the label \`${ACCEPTED_LABEL}\` to the pull request and re-run the job. The label accepts the regressions shown here, up to their size, but no failures, errors or budgets; if a later commit makes anything slower, the check fails again. The comment ${acceptCommand(regressions)} accepts all regressions up to that size: the worst end of their intervals, rounded up. Both need write access.`;
}

/** Names that are written into a file must be names, and an acceptance must be one that the policy takes. */
function isNameable({ cell, metric, change }: Finding): boolean {
  const names = [cell.service, cell.operation, cell.tier];
  const isNamed = names.every((name) => NAME.test(name));
  return isNamed && Object.hasOwn(METRICS, metric) && Math.abs(change.estimate) <= MOST_ACCEPTED;
}

function exampleLines(finding: Finding, until: string): readonly string[] {
  const { cell, metric } = finding;
  return [
    `- cell: ${cell.service}/${cell.operation}/${cell.tier}`,
    `  metric: ${metric}`,
    `  upTo: ${percentToAccept(finding)}%`,
    `  until: ${until}`,
    '  why: explain here why it is intended',
  ];
}

const DAYS_ACCEPTED = 90;

/** A day about three months after the comparison. */
function untilText(finishedAt: string): string {
  const finished = Date.parse(finishedAt);
  const until = finished + DAYS_ACCEPTED * 24 * 60 * 60 * 1000;
  return Math.abs(until) < 8.64e15 ? new Date(until).toISOString().slice(0, 10) : 'YYYY-MM-DD';
}
