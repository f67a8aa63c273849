import { counted } from '../../foundation/numbers.ts';
import { escapeMarkdown, shortCommit } from '../../foundation/text.ts';
import { seriesAddress } from '../../history/store/entry.ts';
import { isFullPass } from '../../judge/verdict/coverage.ts';
import type { ComparisonResult } from '../../judge/verdict/finding.ts';
import { policyText, shownRows } from '../../judge/verdict/label.ts';
import { METRIC_NAMES, METRICS } from '../../model/metric.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { comparisonPage } from '../comparison/document.ts';
import { versionFacts } from '../comparison/rounds.ts';
import { type ChangeGroup, changeGroups, changesTable } from '../comparison/rows.ts';
import { claimsOf, regressionsOf } from '../comparison/sentences.ts';
import { type ComparisonView, viewComparison } from '../comparison/view.ts';
import { type Block, heading, list, paragraph, type Text } from '../document.ts';
import {
  MAX_COMMENT_CHARACTERS,
  type MarkdownSection,
  markdownLines,
  markdownParts,
  renderSection,
} from '../render/markdown.ts';
import { type AcceptWay, type CommentLinks, earlierSection, linksLine, nextLines, symbolOf } from './sections.ts';
import { commentMarker, type EarlierResult, hiddenResults, withResult } from './state.ts';

/** Context of a comment in addition to the comparison. Texts are untrusted; addresses that are not safe links are left out. */
export interface CommentContext {
  /** Distinguishes the comments of several jobs. */
  readonly id: string;
  /** Judged commit. */
  readonly head: string;
  /** ISO time in UTC. */
  readonly finishedAt: string;
  /** Time of the comment in UTC (ISO): users who accept later have seen it. */
  readonly shownAt?: string | undefined;
  readonly links: CommentLinks;
  /** Way to accept regressions there; default: by a command and the label. */
  readonly accept?: AcceptWay;
  /** Results for the same pull request, newest first. */
  readonly earlier: readonly EarlierResult[];
}

/**
 * Comment of a pull request as GitHub's Markdown, under 60,000 characters: the verdict in one line, the changes, the rest folded, and hidden data for
 * the next comment. All untrusted text is escaped. Throws ConfigError for an id that commentMarker refuses.
 */
export function comparisonComment(
  run: RunInRounds | undefined,
  result: ComparisonResult,
  context: CommentContext,
): string {
  const view = viewComparison(result, run);
  const { headline: line, counts: countsLine } = comparisonPage(view);
  const own = resultOf(result, line, context);
  const results = withResult(own, context.earlier);
  const [, ...earlier] = results;
  const counts = escapeMarkdown(countsLine, MAX_HEADLINE);
  const title = `### ${symbolOf(own)} ${escapeMarkdown(line, MAX_HEADLINE)}`;
  const head = `${commentMarker(context.id)}\n${title}\n\n${counts === '' ? '' : `${counts}\n\n`}`;
  const state = `${hiddenResults(results)}\n`;
  const links = linksSection(context, view);
  const all = partsOf(view, context.accept, earlier, links);
  const { parts, leftOut } = fitted(all, MAX_COMMENT_CHARACTERS - 1 - head.length - state.length);
  const left =
    leftOut.length === 0 ? [] : [`_Left out for length: ${leftOut.join(', ')}; see the full report or run.json._`, ''];
  // Placed right above the links, one of which leads to the missing parts.
  const body = parts.map((part) => renderSection(part === links ? { ...part, lines: [...left, ...part.lines] } : part));
  return `${head}${body.join('')}${state}`.toWellFormed();
}

const MAX_HEADLINE = 600;

function resultOf(result: ComparisonResult, line: string, context: CommentContext): EarlierResult {
  const { outcome } = result;
  const { head, finishedAt, links, shownAt: at } = context;
  const partial = outcome === 'passed' && !isFullPass(result) ? { isPartial: true as const } : {};
  const rows = shownRows(result);
  const policy = result.exitCode === 0 && result.rules?.accepted === undefined ? undefined : policyText(result.rules);
  return {
    ...{ head, finishedAt, outcome, ...partial, headline: line, runUrl: links.run },
    ...(at !== undefined && (rows.length > 0 || policy !== undefined) && { shown: { at, rows, policy } }),
  };
}

interface CommentPart extends MarkdownSection {
  readonly importance: (typeof LEFT_OUT)[number];
  /** Name of an open part. */
  readonly name?: string;
}

/** Parts in the order in which they are left out for length: the least important first. */
const LEFT_OUT = [
  ...(['all', 'measured', 'notes', 'functions', 'earlier', 'printed'] as const),
  ...(['next', 'alert', 'changed', 'changes', 'links'] as const),
];

const NOTE_ROOM = 1000;

/** Parts that fit into a number of characters, in their order, and the names of those that do not. */
function fitted(
  all: readonly CommentPart[],
  room: number,
): { parts: readonly CommentPart[]; leftOut: readonly string[] } {
  const filled = all.filter(({ lines }) => lines.length > 0);
  const gone = new Set<CommentPart>();
  const size = () => filled.reduce((sum, part) => sum + (gone.has(part) ? 0 : renderSection(part).length), 0);
  const rank = ({ importance }: CommentPart) => LEFT_OUT.indexOf(importance);
  for (const part of filled.toSorted((left, right) => rank(left) - rank(right))) {
    if (size() + (gone.size > 0 ? NOTE_ROOM : 0) <= room) {
      break;
    }
    gone.add(part);
  }
  return {
    parts: filled.filter((part) => !gone.has(part)),
    leftOut: filled.flatMap((part) => (gone.has(part) ? [`“${part.title ?? part.name}”`] : [])),
  };
}

const MAX_ITEMS = 8;

function capped(items: readonly Text[]): readonly Text[] {
  const more = items.length - MAX_ITEMS;
  return more > 0 ? [...items.slice(0, MAX_ITEMS), `${counted(more, 'more item')} in the report.`] : items;
}

function partsOf(
  view: ComparisonView,
  accept: AcceptWay | undefined,
  earlier: readonly EarlierResult[],
  links: CommentPart,
): readonly CommentPart[] {
  // The headline contains the first claim.
  const groups = changeGroups(view, claimsOf(view)[0]?.answer.of);
  const [worse, others] = [groups.filter(({ isWorse }) => isWorse), groups.filter(({ isWorse }) => !isWorse)];
  const { alert, causes, ...page } = comparisonPage(view);
  const open = (blocks: readonly Block[], importance: CommentPart['importance'], name: string): CommentPart => ({
    ...{ title: undefined, name, importance },
    lines: markdownLines(blocks),
  });
  const folded = (blocks: readonly Block[], importance: CommentPart['importance']) =>
    markdownParts(blocks).map((part) => ({ ...part, importance }));
  const more = causes.length - MAX_ROWS;
  return [
    open([{ ...alert, items: capped(alert.items) }], 'alert', alert.title),
    ...worse.map(({ title, sentences }) => open([heading(title), list(capped(sentences))], 'changed', title)),
    open([changesTable(view, causes.slice(0, MAX_ROWS))], 'changes', 'changes'),
    open(more > 0 ? [paragraph(`${counted(more, 'more change')} under “All checks”.`)] : [], 'changed', 'changes'),
    open([list(capped(page.policy))], 'changed', 'policy changes'),
    open([list(capped(page.notes))], 'notes', 'notes'),
    { title: undefined, lines: nextLines(view, accept), importance: 'next' },
    ...folded(page.printed, 'printed'),
    ...folded(page.functions, 'functions'),
    { title: 'All checks', lines: allLines(view, others), importance: 'all' },
    { title: 'How it was measured', lines: markdownLines(methodBlocks(view)), importance: 'measured' },
    { ...earlierSection(earlier), importance: 'earlier' },
    { title: undefined, lines: page.plant, importance: 'notes' },
    links,
  ];
}

const MAX_ROWS = 8;

function allLines(view: ComparisonView, others: readonly ChangeGroup[]): readonly string[] {
  const sentences = others.flatMap(({ title, sentences: own }) => [heading(title), list(own)]);
  return [
    ...markdownLines(comparisonPage(view).tables),
    ...(sentences.length === 0 ? [] : ['', ...markdownLines(sentences)]),
  ];
}

function methodBlocks(view: ComparisonView): readonly Block[] {
  const { rounds, roundFacts, facts, remarks } = comparisonPage(view);
  const own = facts.filter(({ name }) => METHOD_FACTS.has(name) || name.startsWith('Shard'));
  return [rounds, { kind: 'facts', facts: [...roundFacts, ...versionFacts(view), ...own] }, list(remarks)];
}

const METHOD_FACTS: ReadonlySet<string> = new Set([
  'Profile',
  'Tiers',
  'Network',
  'Runtime',
  'Limits of a service',
  'Runner',
  'System',
  'Requests',
]);

function linksSection({ head, links }: CommentContext, view: ComparisonView): CommentPart {
  const base = view.run?.rounds.base.commit;
  const versions = [...(base === undefined ? [] : [base]), head].map(shortCommit);
  const shown = { ...links, trend: links.trend && `${links.trend}${worstSeries(view)}` };
  return { title: undefined, lines: [linksLine(versions.join(' → '), shown)], importance: 'links' };
}

/** Fragment of the trend page's URL for the series of the surest regression; empty without one. */
function worstSeries({ gate, run }: ComparisonView): string {
  const [worst] = regressionsOf(gate);
  const name = METRIC_NAMES.find((one) => one === worst?.metric);
  if (worst === undefined || name === undefined || run === undefined) {
    return '';
  }
  const { service, operation, tier } = worst.cell;
  const { unit, better } = METRICS[name];
  return seriesAddress({ suite: run.suite.name, service, operation, tier, metric: name, unit, better });
}
