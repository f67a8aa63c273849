import { counted, formatCount } from '../../foundation/numbers.ts';
import { cleanText, shortCommit } from '../../foundation/text.ts';
import { isFullPass } from '../../judge/verdict/coverage.ts';
import { type ComparisonResult, classOf, type Finding } from '../../judge/verdict/finding.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import {
  type Block,
  type Document,
  fold,
  heading,
  list,
  methodSection,
  paragraph,
  type Section,
  type Table,
} from '../document.ts';
import { PLAIN } from '../render/lines.ts';
import { terminalOf } from '../render/terminal.ts';
import { againstLines } from '../stored/against.ts';
import { chainSentence, driftTable, storedDriftLine } from '../stored/drift.ts';
import { plantStatus, plantTitle, storedPlantLines } from '../stored/plant.ts';
import { aboutFinding, filtersOf } from '../views/about.ts';
import { placeTexts, startOf } from '../views/facts.ts';
import { notesOf } from '../views/notes.ts';
import { grownBlocks } from './functions.ts';
import { type Axis, axisHead, axisOf, intervalKey, rowPlot } from './plot.ts';
import { comparisonFacts, confidenceItems, failureItems, roundFacts, roundsTable, versionFacts } from './rounds.ts';
import {
  answersAlert,
  byService,
  type ChangeGroup,
  changedCauses,
  changeGroups,
  changesTable,
  QUIET,
  rowOf,
} from './rows.ts';
import { countsLine, headline, identicalLines, policySentences } from './sentences.ts';
import { type ComparisonView, oncePerView, viewComparison } from './view.ts';

/** Title of a report: "main → search-speed: Shop", or "Planted 5% slowdown: Shop". */
function titleOf({ rounds: { base, head, plant }, suite }: RunInRounds): string {
  const versions = `${refText(base)} → ${refText(head)}`;
  return `${plant === undefined ? versions : `Planted ${plantTitle(plant)}`}: ${suite.title}`;
}

function refText({ ref, commit }: RunInRounds['rounds']['base']): string {
  return ref === commit ? shortCommit(ref) : ref;
}

/** Parts of the page on a comparison, made once and arranged by documents and the comment. Sentences are plain text without escapes. */
export const comparisonPage = oncePerView((view) => {
  const { notes, remarks } = notesOf(view);
  return {
    headline: headline(view),
    counts: countsLine(view),
    alert: answersAlert(view),
    policy: policySentences(view),
    notes: [...summaryNotes(view), ...notes],
    remarks,
    plant: storedPlantLines(view),
    causes: changedCauses(view),
    printed: printedBlocks(view),
    functions: grownBlocks(view),
    tables: serviceTables(view),
    rounds: roundsTable(view),
    roundFacts: roundFacts(view),
    facts: comparisonFacts(view),
  };
});

/** Comparison of two versions: the outcome first, then the changes, then everything. */
export function comparisonDocument(run: RunInRounds, result: ComparisonResult): Document {
  const view = viewComparison(result, run);
  // As in the comment: good only if all gating comparisons were measured and clear.
  const isBad = result.outcome === 'regressed' || result.outcome === 'failed';
  return {
    title: titleOf(run),
    facts: [startOf(run), `${run.rounds.profile.name} profile`, ...placeTexts(run)],
    summary: summaryOf(
      view,
      versionFacts(view).map(({ name, value }) => `${name}: ${value}`),
    ),
    status: plantStatus(view) ?? (isBad ? 'bad' : isFullPass(result) ? 'good' : 'open'),
    sections: [...sectionsOf(view), methodSection(comparisonPage(view).facts)],
    filters: filtersOf(run, 'Changed only'),
    origin: run,
  };
}

/** Comparison of figures that were measured elsewhere, as plain text of at most 100 columns; the outcome comes first. */
export function comparisonText(result: ComparisonResult, title?: string): string {
  const view = viewComparison(result);
  const summary = summaryOf(view, title === undefined ? [] : [cleanText(title, 300)]);
  return terminalOf({ title: '', facts: [], summary, sections: sectionsOf(view) }, PLAIN);
}

function summaryOf(view: ComparisonView, origin: readonly string[]): readonly Block[] {
  const page = comparisonPage(view);
  const chain = [chainSentence(view)].flatMap((line) => line ?? []);
  return [
    paragraph(page.headline, 'strong'),
    paragraph(page.counts),
    page.alert,
    list([...page.policy, ...page.notes, ...chain, ...page.plant, ...origin]),
  ];
}

/** Sentences before the notes of each summary: what was not measured, and other comparisons of the head. */
function summaryNotes(view: ComparisonView): readonly string[] {
  const drift = storedDriftLine(view);
  return [...identicalLines(view), ...againstLines(view), ...(drift === undefined ? [] : [`${drift}.`])];
}

function sectionsOf(view: ComparisonView): readonly Section[] {
  return [
    ...(view.result.isAnchored ? [{ id: 'drift', title: 'Drift', blocks: driftTable(view) }] : []),
    { id: 'changed', title: changesTitle(view), blocks: changedBlocks(view) },
    {
      id: 'all',
      title: `All ${counted(view.findings.length, 'comparison')}`,
      blocks: allBlocks(view),
      isFolded: 'markdown',
    },
    { id: 'rounds', title: 'Rounds and confidence', blocks: roundBlocks(view), isFolded: true },
  ];
}

function changesTitle(view: ComparisonView): string {
  const { causes, printed, functions } = comparisonPage(view);
  if (causes.length > 0) {
    return causes.every(({ verdict }) => verdict === 'too-noisy') ? 'Undecided' : 'What changed';
  }
  const isLeftOut = changeGroups(view).every(({ title }) => title === 'Not judged' || title === 'Not compared');
  return isLeftOut && printed.length === 0 && functions.length === 0 ? 'Left out' : 'What changed';
}

function changedBlocks(view: ComparisonView): readonly Block[] {
  const groups = changeGroups(view);
  const { causes, printed, functions } = comparisonPage(view);
  return [
    ...groups.filter(({ isWorse }) => isWorse).flatMap(sentenceBlocks),
    changesTable(view, causes),
    ...groups.filter(({ isWorse }) => !isWorse).flatMap(sentenceBlocks),
    ...printed,
    ...functions,
  ];
}

/** Longer lists are folded, so that the table of changes stays in view. */
const MAX_OPEN = 5;

/** Number of rows that fit on one or two screens. */
const MAX_QUIET = 30;

/** Sentences of a group in addition to its values; folded if it is long and has no bad news. */
function sentenceBlocks({ title, isWorse, sentences }: ChangeGroup): readonly Block[] {
  return sentences.length > MAX_OPEN && !isWorse
    ? [fold(`${title}: ${sentences.length}`, list(sentences))]
    : [heading(title), list(sentences, isWorse ? 'worse' : undefined)];
}

function allBlocks(view: ComparisonView): readonly Block[] {
  if (view.findings.length === 0) {
    return [];
  }
  const note = `Each row is one metric at one load: the estimated change, its 95% interval, and the threshold at which it becomes a regression. Worse is to the right, even for rates, which fall when they get worse. An arrow means that the interval extends beyond the axis.`;
  return [
    { ...paragraph(note, 'note'), only: ['html'] },
    { kind: 'figures', key: intervalKey(view), charts: [] },
    ...comparisonPage(view).tables.map((table) => ({ ...table, only: ['terminal', 'markdown'] as const })),
    ...pageTables(view).map((block) => ({ ...block, only: ['html'] as const })),
  ];
}

/** Every comparison, one table per service; those that cannot fail the check come last. */
function serviceTables(view: ComparisonView): readonly Block[] {
  const axis = axisOf(view.findings);
  return byService(view.findings).map(([service, findings], _, { length }) => {
    const label = view.labels.service(service);
    const table = allTable(view, `All comparisons of ${label}`, findings, axis);
    return length === 1 ? table : fold(label, table);
  });
}

/** The same on a page, where many unchanged rows are folded, unless there are no others. */
function pageTables(view: ComparisonView): readonly Block[] {
  const axis = axisOf(view.findings);
  const isQuiet = view.findings.length <= MAX_QUIET && view.findings.every((one) => QUIET.has(classOf(one)));
  return byService(view.findings).flatMap(([service, findings], _, { length }) => {
    const label = view.labels.service(service);
    const table = (own: readonly Finding[], caption = `All comparisons of ${label}`) =>
      allTable(view, caption, own, axis);
    const quiet = findings.filter((one) => QUIET.has(classOf(one)));
    const changed = findings.filter((one) => !quiet.includes(one));
    const folded = fold(
      `${counted(quiet.length, 'comparison')} without a clear change`,
      table(quiet, `Comparisons of ${label} without a clear change`),
    );
    return [
      ...(length === 1 ? [] : [heading(label)]),
      ...(quiet.length > MAX_OPEN && !isQuiet
        ? [table(changed, `Comparisons of ${label} with a clear change`), folded]
        : [table(findings)]),
    ];
  });
}

function allTable(view: ComparisonView, caption: string, findings: readonly Finding[], axis: Axis): Table {
  // A terminal has 100 columns, and the list of changes also has these.
  const only = ['markdown', 'html'] as const;
  // The numbers of rounds are in a separate table.
  const isEven = new Set(view.findings.map(({ rounds }) => rounds)).size === 1;
  return {
    kind: 'table',
    caption,
    columns: [
      'comparison',
      { text: 'verdict', isText: true },
      'change [95%]',
      { text: '', only: ['html'], chart: axisHead(axis) },
      { text: 'base → head', only },
      'threshold',
      { text: 'noise', only: ['html', 'terminal'] },
      'detectable',
      { text: 'rounds', only: isEven ? [] : ['html'] },
    ],
    rows: findings.map((finding) => {
      const row = rowOf(view, finding);
      const rounds = formatCount(row.rounds);
      return {
        head: row.label,
        note: row.remark,
        about: aboutFinding(view, finding),
        cells: [
          { text: row.verdict, tone: row.tone, details: row.gating === '' ? [] : [{ text: 'not gating' }] },
          { text: row.change, details: [{ text: row.interval }] },
          { text: '', chart: rowPlot(finding, axis) },
          row.values,
          ...[row.threshold, row.noise, row.seen],
          rounds,
        ],
      };
    }),
  };
}

function roundBlocks(view: ComparisonView): readonly Block[] {
  const { rounds, roundFacts: facts, remarks } = comparisonPage(view);
  return [
    rounds,
    { kind: 'facts', facts },
    list(failureItems(view)),
    heading('Confidence'),
    list(confidenceItems(view, remarks)),
  ];
}

/** Output of failed versions, folded, with the fix; output that several services share appears once. */
function printedBlocks(view: ComparisonView): readonly Block[] {
  const failed = view.losses.filter(({ printed = '' }) => printed.trim() !== '');
  const first = failed.filter(({ printed }, place) => failed.findIndex((one) => one.printed === printed) === place);
  return first.slice(0, 3).map(({ cell, reason, printed: text = '', next }) => {
    const side = reason === 'base-failed' ? 'base' : 'head';
    const title = `Output of ${view.labels.service(cell.service)} in ${side}, the cause first`;
    return fold(title, { kind: 'printed', text }, ...(next === undefined ? [] : [paragraph(next)]));
  });
}
