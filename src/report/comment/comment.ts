import { counted } from '../../foundation/numbers.ts';
import { escapeMarkdown, wellFormed } from '../../foundation/text.ts';
import { seriesAddress } from '../../history/feed.ts';
import { isFullPass } from '../../judge/verdict/coverage.ts';
import type { ComparisonResult } from '../../judge/verdict/finding.ts';
import { policyText, shownRows } from '../../judge/verdict/label.ts';
import { METRIC_NAMES, METRICS } from '../../model/metric.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { policySentences, regressionsOf } from '../comparison/claims.ts';
import { changesTable, printedBlocks, roundBlocks, sentenceBlocks, serviceTables } from '../comparison/document.ts';
import { functionBlocks } from '../comparison/functions.ts';
import { coverageSentence, headline } from '../comparison/headline.ts';
import { type ChangeGroup, changeGroups } from '../comparison/rows.ts';
import { comparisonFacts } from '../comparison/shards.ts';
import { type ComparisonView, viewComparison } from '../comparison/view.ts';
import { heading, list } from '../document.ts';
import { MOST_COMMENT_CHARACTERS, markdownLines, markdownParts, renderSection } from '../render/markdown.ts';
import { againstLines } from '../stored/baseline.ts';
import { storedDriftLine } from '../stored/drift.ts';
import { type CommentPart, fittedParts } from './fit.ts';
import {
  type AcceptWay,
  type CommentLinks,
  earlierSection,
  intendedSentence,
  linksLine,
  symbolOf,
  whatToDoSection,
} from './sections.ts';
import { servicesSection } from './services.ts';
import { commentMarker, type EarlierResult, hiddenResults, withResult } from './state.ts';

/** What a comment needs besides the comparison. Texts are from outside; addresses that are no safe link are left out. */
export interface CommentContext {
  /** Tells the comments of several jobs apart. */
  readonly id: string;
  /** The commit that was judged. */
  readonly head: string;
  /** ISO time in UTC. */
  readonly finishedAt: string;
  /** When the comment is written, as ISO time in UTC: who accepts something later has seen it. */
  readonly shownAt?: string | undefined;
  readonly links: CommentLinks;
  /** How regressions can be accepted there; by a command and the label, if nothing is said. */
  readonly accept?: AcceptWay;
  /** Of the same pull request, newest first. */
  readonly earlier: readonly EarlierResult[];
}

/**
 * The comment of a pull request as GitHub's Markdown, under 60,000 characters: the verdict in one line, what changed, the rest
 * folded, and hidden what the next comment needs to know of this one. Everything that comes from outside is escaped.
 * Throws ConfigError for an id that commentMarker refuses.
 */
export function comparisonComment(
  run: RunInRounds | undefined,
  result: ComparisonResult,
  context: CommentContext,
): string {
  const view = viewComparison(result, run);
  const line = headline(view);
  const own = resultOf(result, line, context);
  const results = withResult(own, context.earlier);
  const [, ...earlier] = results;
  const head = `${commentMarker(context.id)}\n${symbolOf(own)} **${escapeMarkdown(line, MOST_HEADLINE)}**\n\n`;
  const state = `${hiddenResults(results)}\n`;
  const links = linksSection(context, view);
  const all = partsOf({ view, context, earlier, links });
  const { parts, leftOut } = fittedParts(all, MOST_COMMENT_CHARACTERS - 1 - head.length - state.length);
  const body = parts.map((part) => renderSection(part === links ? withNote(part, leftOut) : part));
  return wellFormed(`${head}${body.join('')}${state}`);
}

/** Of a line on stored runs, with all services. */
const MOST_AGAINST = 900;

/** Of a verdict; the report has the whole sentence. */
const MOST_HEADLINE = 600;

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

/** The open parts and the folds, each with what it is worth when not all fit. */
const IMPORTANCE = {
  changed: 10,
  worse: 9,
  whatToDo: 8,
  printed: 7.5,
  earlier: 7,
  functions: 6.5,
  services: 6,
  notes: 5,
  neutral: 4,
  all: 3,
  rounds: 2,
  measured: 1,
} as const;

interface Layout {
  readonly view: ComparisonView;
  readonly context: CommentContext;
  readonly earlier: readonly EarlierResult[];
  readonly links: CommentPart;
}

function partsOf({ view, context, earlier, links }: Layout): readonly CommentPart[] {
  const count = counted(view.result.findings.length, 'comparison');
  return [
    ...changedParts(view),
    policyPart(view),
    ...markdownParts(printedBlocks(view)).map((part) => ({ ...part, importance: IMPORTANCE.printed })),
    notesPart(view),
    links,
    { ...whatToDoSection(view, context.finishedAt, context.accept), importance: IMPORTANCE.whatToDo },
    ...markdownParts(functionBlocks(view)).map((part) => ({ ...part, importance: IMPORTANCE.functions })),
    { ...servicesSection(view), importance: IMPORTANCE.services },
    {
      title: `All ${count}, with noise and smallest detectable change`,
      lines: markdownLines(serviceTables(view)),
      importance: IMPORTANCE.all,
    },
    {
      title: 'Rounds and confidence',
      lines: markdownLines(roundBlocks(view)),
      importance: IMPORTANCE.rounds,
    },
    {
      title: 'How it was measured',
      lines: markdownLines([{ kind: 'facts', facts: comparisonFacts(view) }]),
      importance: IMPORTANCE.measured,
    },
    { ...earlierSection(earlier), importance: IMPORTANCE.earlier },
  ];
}

/** The first rows of what changed, and sentences of a list, that stay as long as something else can give way. */
const FIRST = { rows: 5, sentences: 3 } as const;

/** More rows are in the fold of all comparisons. */
const MOST_ROWS = 8;

function changedParts(view: ComparisonView): readonly CommentPart[] {
  const groups = changeGroups(view);
  const changed = groups.flatMap(({ findings }) => findings);
  const more = changed.length - MOST_ROWS;
  const isWorse = ({ standing }: ChangeGroup) => standing === 'worse';
  return [
    ...groups.filter(isWorse).flatMap((group) => sentencesPart(group, IMPORTANCE.worse)),
    {
      title: undefined,
      lines: markdownLines([changesTable(view, changed.slice(0, MOST_ROWS))]),
      importance: IMPORTANCE.changed,
      cut: { name: 'changed comparisons', least: FIRST.rows, floor: 1 },
    },
    {
      title: undefined,
      lines: more > 0 ? [`${counted(more, 'more row')} in the list of all comparisons.`] : [],
      importance: IMPORTANCE.changed,
    },
    ...groups.filter((group) => !isWorse(group)).flatMap((group) => sentencesPart(group, IMPORTANCE.neutral)),
  ];
}

function sentencesPart(group: ChangeGroup, importance: number): readonly CommentPart[] {
  const cut = { name: `sentences of “${group.title}”`, least: FIRST.sentences, floor: 0 };
  return markdownParts(sentenceBlocks(group)).map((part) => ({ ...part, importance, cut }));
}

function policyPart(view: ComparisonView): CommentPart {
  const sentences = policySentences(view);
  const blocks = sentences.length === 0 ? [] : [heading('Policy'), list(sentences)];
  return { title: undefined, lines: markdownLines(blocks), importance: IMPORTANCE.changed };
}

function notesPart({ result }: ComparisonView): CommentPart {
  return {
    title: undefined,
    lines: markdownLines([heading('Notes'), list(result.notes)]),
    importance: IMPORTANCE.notes,
    cut: { name: 'notes', least: FIRST.sentences, floor: 0 },
  };
}

function linksSection({ head, links, accept = 'command' }: CommentContext, view: ComparisonView): CommentPart {
  const base = view.run?.rounds.base.commit;
  const versions = `Head ${head.slice(0, 10)}${base === undefined ? '' : ` against base ${base.slice(0, 10)}`}`;
  const covered =
    view.result.outcome === 'incomplete' ? '' : `${escapeMarkdown(coverageSentence(view), MOST_HEADLINE)}.`;
  const first = [covered, intendedSentence(view, accept)].filter((sentence) => sentence !== '').join(' ');
  const drift = storedDriftLine(view);
  const beside = againstLines(view).map((line) => `- ${escapeMarkdown(line, MOST_AGAINST)}`);
  const sentences = [first, beside.join('\n'), drift === undefined ? '' : `${escapeMarkdown(drift, MOST_HEADLINE)}.`];
  const shown = { ...links, trend: links.trend && `${links.trend}${worstSeries(view)}` };
  const lines = [...sentences.flatMap((text) => (text === '' ? [] : [text, ''])), linksLine(versions, shown)];
  return { title: undefined, lines, importance: IMPORTANCE.changed };
}

/** Where the trend page shows the series of the surest regression, as the end of its address; empty without one. */
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

/** Right above the links, one of which leads to what is missing. */
function withNote(part: CommentPart, leftOut: readonly string[]): CommentPart {
  if (leftOut.length === 0) {
    return part;
  }
  const note = `_Left out for length: ${leftOut.join(', ')}; see the full report or run.json._`;
  return { ...part, lines: [note, '', ...part.lines] };
}
