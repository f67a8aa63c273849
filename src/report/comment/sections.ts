import { documentAddress, escapeMarkdown, shortCommit } from '../../foundation/text.ts';
import { isFullPass } from '../../judge/verdict/coverage.ts';
import type { ComparisonResult, Finding } from '../../judge/verdict/finding.ts';
import { ACCEPTED_LABEL, MAX_ACCEPTED } from '../../judge/verdict/label.ts';
import { regressionsOf, roundsNeeded } from '../comparison/sentences.ts';
import type { ComparisonView } from '../comparison/view.ts';
import type { MarkdownSection } from '../render/markdown.ts';
import { markdownLink } from '../render/markdown.ts';
import { startOf } from '../views/facts.ts';
import type { EarlierResult } from './state.ts';

/**
 * Symbol before the verdict, so that it shows in a list of comments. The check mark requires that all gating comparisons were measured and clear, and
 * that no responses changed.
 */
export function symbolOf({ outcome, isPartial }: Pick<EarlierResult, 'outcome' | 'isPartial'>): string {
  return outcome === 'passed' && isPartial === true ? SYMBOLS.inconclusive : SYMBOLS[outcome];
}

/** The same for a comparison that was just judged. */
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

/** Addresses of the workflow run, the report artifact and the trend page; one that is not a safe link is left out. */
export interface CommentLinks {
  readonly run?: string | undefined;
  readonly report?: string | undefined;
  /** Report of an untrusted job, which readers must know before they open it. */
  readonly foreignReport?: string | undefined;
  readonly trend?: string | undefined;
}

/** Version that a comment describes, and links to details. */
export function linksLine(versions: string, links: CommentLinks): string {
  const found = [
    markdownLink('Report', links.report),
    markdownLink(
      "Artifact of the pull request's own job, which is not trusted: its pages may contain anything",
      links.foreignReport,
    ),
    markdownLink('Trend', links.trend),
    markdownLink('Workflow run', links.run),
  ].filter((link) => link !== undefined);
  return [escapeMarkdown(versions, 80), ...found].join(' · ');
}

/** Results of the same pull request before this one, newest first. */
export function earlierSection(earlier: readonly EarlierResult[]): MarkdownSection {
  const lines = earlier.map((result) => {
    const { head, finishedAt, headline, runUrl } = result;
    const link = markdownLink('run', runUrl);
    const when = escapeMarkdown(`${startOf({ startedAt: finishedAt })}, ${shortCommit(head)}`, 80);
    return `- ${symbolOf(result)} ${when}${link === undefined ? '' : ` (${link})`}: ${escapeMarkdown(headline)}`;
  });
  return { title: 'Earlier results of this pull request', lines };
}

/** Way to accept a regression from the comment: by a command or the label, by the label only, or by a file. */
export type AcceptWay = 'command' | 'label' | 'file';

const ACCEPT_PAGE = `[How to accept](${documentAddress('docs/how-to/accept-a-regression.md')})`;

/** Next steps if a comparison does not pass, one per line. */
export function nextLines(view: ComparisonView, way: AcceptWay = 'command'): readonly string[] {
  const { gate, losses, result } = view;
  const { outcome, exitCode, rules } = result;
  const regressions = regressionsOf(gate);
  const failing = new Set(result.answers.flatMap(({ fails, by }) => (fails ? [by] : [])));
  const hasLostShard = losses.some(({ reason }) => reason === 'shard-lost');
  const isPending = (rules?.proposed && rules.pending.length > 0) ?? false;
  const lines = [
    (failing.has('loss') || failing.has('errors')) &&
      'A version that fails cannot be accepted. Its full output is in the log of the workflow run.',
    failing.has('response') &&
      'The policy sets `answers: fail`: fix the answer, list what may differ in `ignore` of the operation, or set `answers: warn`.',
    regressions.length > 0 && `Intended? ${acceptSentence(way, regressions)}`,
    isPending && way !== 'file' && `To apply the changed policy now: ${ACCEPT_POLICY[way]}`,
    failing.has('budget') && 'A budget cannot be accepted. Raise it in `policy`.',
    outcome === 'inconclusive' &&
      exitCode === 1 &&
      'The policy sets `inconclusive: fail`. Raise `budget` for more rounds, or set `inconclusive: warn`.',
    hasLostShard &&
      'A shard is lost if its job failed, was canceled or left an unreadable file. Re-run the failed jobs.',
    outcome === 'incomplete' &&
      !hasLostShard &&
      `A verdict needs ${roundsNeeded(view)} rounds of each service: raise \`budget\`, or compare fewer services at once.`,
  ].filter((line) => line !== false);
  return exitCode === 0 ? [] : lines.flatMap((line, index) => (index === 0 ? [line] : ['', line]));
}

const LABEL = `add the label \`${ACCEPTED_LABEL}\``;

const ACCEPT_POLICY = {
  command: `comment \`/wiregauge accept policy\`, or ${LABEL}.`,
  label: `${LABEL}, then re-run the failed jobs.`,
} as const;

function acceptSentence(way: AcceptWay, found: readonly Finding[]): string {
  if (found.some(({ change }) => Math.abs(change.estimate) > MAX_ACCEPTED)) {
    return TOO_LARGE;
  }
  switch (way) {
    case 'command':
      // The largest size accepts all of them.
      return `Comment \`/wiregauge accept ${Math.max(...found.map(percentToAccept))}%\`, or ${LABEL}. ${ACCEPT_PAGE}`;
    case 'label':
      return `${LABEL.replace('add', 'Add')}, then re-run the failed jobs. ${ACCEPT_PAGE}`;
    case 'file':
      return `Accept it in \`.wiregauge/accepted.yml\`. ${ACCEPT_PAGE}`;
  }
}

const TOO_LARGE =
  'A change of over 1000% cannot be accepted: set `gate: false` for its metric in `thresholds` of the policy.';

/** Smallest whole percent beyond the interval, so that the next measurement of the same change is also accepted. */
function percentToAccept({ change: { estimate, low = estimate, high = estimate } }: Finding): number {
  const percent = Math.max(...[estimate, low, high].map(Math.abs)) * 100;
  // 0.07 is 7.000000000000001 percent in binary; 7 is enough for it.
  return Math.min(MAX_ACCEPTED * 100, Math.ceil(Number(percent.toPrecision(12))));
}
