import { comparedOf } from '../../judge/verdict/compared.ts';
import type { Compared, ComparisonResult, Finding } from '../../judge/verdict/finding.ts';
import type { CellKey } from '../../model/metric.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { symbolOfResult } from '../comment/sections.ts';
import { rowOf } from '../comparison/rows.ts';
import { type ComparisonView, viewComparison } from '../comparison/view.ts';
import type { Table } from '../document.ts';
import { markdownLines, markdownLink, renderSection } from '../render/markdown.ts';
import type { Report } from '../views/judgment.ts';
import { overviewPicture, roundsPicture } from './pictures.ts';

/** GitHub refuses summaries of check runs that are longer, in characters. */
const MOST_CHARACTERS = 65_535;

/**
 * The report of a comparison as a job's summary and a check run show it: the Markdown report, and which charts lie in the artifact at
 * that address. At most 65,535 characters.
 */
export function comparisonSummary(
  markdown: Report,
  { run, result }: { readonly run: RunInRounds; readonly result: ComparisonResult },
  artifactUrl: string | undefined,
): string {
  const report = `${symbolOfResult(result)} ${markdown({ run, against: undefined, compared: result })}`;
  const link = markdownLink('the artifact', artifactUrl);
  if (link === undefined) {
    return report;
  }
  const short = `${report}The full report with its charts is in ${link}.\n\n`;
  const whole = `${short}${chartSection(run, result)}`;
  return whole.length <= MOST_CHARACTERS ? whole : short;
}

function chartSection(run: RunInRounds, result: ComparisonResult): string {
  const charts = chartsOf(run, result);
  const table: Table = {
    kind: 'table',
    caption: 'Charts in the artifact',
    isCaptionQuiet: true,
    columns: ['shows', { text: 'file', isText: true }],
    rows: charts.map(({ name, title }) => ({ head: title, cells: [`${CHARTS_FOLDER}/${name}`] })),
  };
  return charts.length === 0 ? '' : renderSection({ title: table.caption, lines: markdownLines([table]) });
}

interface Named {
  readonly cell: CellKey;
  readonly metric: string;
}

const MOST_PART = 40;

/**
 * A file name for each: "<service>-<operation>-<tier>-<metric>.svg", of letters, digits, dots, dashes and underscores. No two are the
 * same, also if a file system does not tell capitals from small letters, and none is one of `taken`.
 */
export function chartNames(all: readonly Named[], taken: readonly string[]): readonly string[] {
  const used = new Set(taken.map((name) => name.toLowerCase()));
  return all.map(({ cell, metric }) => {
    const stem = [cell.service, cell.operation, cell.tier, metric].map(partOf).join('-');
    const name = firstFree(stem, used);
    used.add(name.toLowerCase());
    return name;
  });
}

function partOf(text: string): string {
  const plain = text.replace(/[^A-Za-z0-9._]+/g, '-').replace(/^[-.]+|[-.]+$/g, '');
  return plain.slice(0, MOST_PART) || 'x';
}

function firstFree(stem: string, used: ReadonlySet<string>): string {
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? `${stem}.svg` : `${stem}-${count}.svg`;
    if (!used.has(name.toLowerCase())) {
      return name;
    }
  }
}

/** A picture for a reader of a comparison. */
export interface ChartFile {
  /** In CHARTS_FOLDER. */
  readonly name: string;
  /** Title; plain text that is not yet escaped. */
  readonly title: string;
  readonly svg: string;
}

/** Beside the other reports. */
export const CHARTS_FOLDER = 'charts';

const OVERVIEW = 'overview.svg';

/** Besides the overview. */
const MOST_CHARTS = 20;

/**
 * The charts of a comparison: all that may fail a pull request in one, and one with its rounds for each comparison that changed or
 * inconclusive. None if nothing was compared.
 */
export function chartsOf(run: RunInRounds, result: ComparisonResult): readonly ChartFile[] {
  const view = viewComparison(result, run);
  const drawn = drawnFindings(view);
  const names = chartNames(drawn, [OVERVIEW]);
  const changes = roundChanges(view);
  const overview =
    view.gate.length === 0 ? [] : [{ name: OVERVIEW, title: 'All gating comparisons', svg: overviewPicture(view) }];
  const charts = drawn.map((finding, index) => ({
    name: names[index] ?? '',
    title: rowOf(view, finding).place,
    svg: roundsPicture(view, finding, changes(finding)),
  }));
  return [...overview, ...charts];
}

/** The log ratio of head to base in each kept round that has both, of the metric itself: up is more. None without the rounds. */
function roundChanges({ run }: ComparisonView): (finding: Finding) => readonly number[] {
  if (run === undefined) {
    return () => [];
  }
  const { compared } = comparedOf(run, run.rounds.policy);
  const byName = new Map(compared.map((one) => [nameOf(one), one]));
  return (finding) => logRatios(byName.get(nameOf(finding)));
}

function nameOf({ cell, metric }: { readonly cell: CellKey; readonly metric: string }): string {
  return JSON.stringify([cell.service, cell.operation, cell.tier, metric]);
}

function logRatios(compared: Compared | undefined): readonly number[] {
  return (compared?.base ?? []).flatMap((base, round) => {
    const head = compared?.head[round];
    return base === undefined || head === undefined ? [] : [Math.log(head) - Math.log(base)];
  });
}

function drawnFindings({ result, gate }: ComparisonView): readonly Finding[] {
  const watched = result.findings.filter(({ family }) => family === 'watch');
  const changed = [...gate, ...watched]
    .filter(({ verdict }) => CHANGED.includes(verdict))
    .toSorted((left, right) => rankOf(left) - rankOf(right));
  const open = gate.filter(({ verdict }) => verdict === 'inconclusive');
  return [...changed.filter(isGate), ...open, ...changed.filter((one) => !isGate(one))].slice(0, MOST_CHARTS);
}

/** The worst first. */
const CHANGED: readonly Finding['verdict'][] = ['regressed', 'slower-within-limit', 'improved'];

function rankOf({ verdict }: Finding): number {
  return CHANGED.indexOf(verdict);
}

function isGate({ family }: Finding): boolean {
  return family === 'gate';
}
