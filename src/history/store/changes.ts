import { rounded } from '../../judge/index.ts';
import { counterLevel, isCounted } from '../../model/index.ts';
import {
  type ChangePoint,
  changePoints,
  rescan,
  searchedPoint,
  searchedValue,
  shownPoint,
} from '../change-points/change-points.ts';
import { anchorOf, type HistoryEntry, plainSeries, type Series, seriesFromJson, seriesKey } from './entry.ts';
import { runIn } from './entry-fields.ts';
import {
  countField,
  type Fields,
  fieldsOf,
  HISTORY_SCHEMA,
  LONGEST_NAME,
  listField,
  malformed,
  numberField,
  optionalText,
  timeField,
} from './fields.ts';
import { documentOf } from './index-file.ts';

/** The runs that `updatedChanges` wants to see: older ones cannot move a change point any more. */
export const TAIL_RUNS = 300;

/** The change points of every series of a whole history: runs of the default branch, in any order. */
export function changesOf(entries: readonly HistoryEntry[]): readonly HistoryChange[] {
  return lines(entries).flatMap((line) =>
    changePoints(line.values, line.strata, smallestIn(line)).map((point) => changeAt(line, point)),
  );
}

/**
 * The change points after a run was added, from those before. `entries` are the newest runs of the default branch, the
 * added one among them: only the end of its own series is looked at again, so points from before them stay as they are.
 */
export function updatedChanges(
  previous: readonly HistoryChange[],
  entries: readonly HistoryEntry[],
  added: HistoryEntry,
): readonly HistoryChange[] {
  const own = new Set(added.series.map(seriesKey));
  const looked = lines(entries).filter(({ series }) => own.has(seriesKey(series)));
  const keys = new Set(looked.map(({ series }) => seriesKey(series)));
  return [
    ...previous.filter(({ series }) => !keys.has(seriesKey(series))),
    ...looked.flatMap((line) => updatedLine(previous, line, added)),
  ];
}

/** One series over the runs that have it, in order of time. */
interface Line {
  readonly series: Series;
  readonly runs: readonly HistoryEntry[];
  /** As they are searched. */
  readonly values: readonly (number | null)[];
  readonly strata: readonly string[];
}

function lines(entries: readonly HistoryEntry[]): readonly Line[] {
  const ordered = [...entries].sort((left, right) => (left.at === right.at ? 0 : left.at < right.at ? -1 : 1));
  const found = new Map<string, GrowingLine>();
  const keys = new Map<readonly Series[], readonly string[]>();
  for (const entry of ordered) {
    const names = keys.get(entry.series) ?? entry.series.map(seriesKey);
    keys.set(entry.series, names);
    addTo(found, entry, names);
  }
  return [...found.values()];
}

interface GrowingLine {
  readonly series: Series;
  readonly runs: HistoryEntry[];
  readonly values: (number | null)[];
  readonly strata: string[];
}

function addTo(found: Map<string, GrowingLine>, entry: HistoryEntry, names: readonly string[]): void {
  const stratum = stratumIn(entry);
  for (const [place, series] of entry.series.entries()) {
    const value = entry.values[place] ?? null;
    const name = names[place] ?? '';
    if (value !== null) {
      const line = found.get(name) ?? { series, runs: [], values: [], strata: [] };
      found.set(name, line);
      line.runs.push(entry);
      line.values.push(searchedValue(series, value));
      line.strata.push(stratum(series));
    }
  }
}

/** What a figure depends on besides the code: of ratios nothing, since both versions met the same machine. */
function stratumIn(entry: HistoryEntry): (series: Series) => string {
  if (entry.kind === 'anchored') {
    return () => '';
  }
  const machine = machineName(entry);
  return (series) => (isCounted(series.metric) ? counterName(entry, series) : machine);
}

/** Counts do not depend on the machine, but on what counted. */
function counterName({ counts = [] }: HistoryEntry, { service }: Series): string {
  const own = counts.find((one) => one.service === service);
  return own === undefined ? '' : counterLevel(own.fingerprint);
}

/** From which relative change on a line is worth a mark, if that is not what it is for times: counts and ratios show one that time does not. */
export function smallestIn({ series }: Pick<Line, 'series'>): number | undefined {
  if (isCounted(series.metric)) {
    return SMALLEST_OF_COUNTS;
  }
  return anchorOf(series) === undefined ? undefined : SMALLEST_OF_RATIOS;
}

/** Below it the intervals of most ratios to an anchor hide a change. */
const SMALLEST_OF_RATIOS = 0.01;

/** Half of what fails a comparison. */
const SMALLEST_OF_COUNTS = 0.005;

function machineName({ runner }: HistoryEntry): string {
  return runner === undefined ? '' : JSON.stringify([runner.cpuModel, runner.cores, runner.kernel.split('.')[0]]);
}

/** A run that was published late is not the last of its series, so nothing can be taken over. */
function updatedLine(previous: readonly HistoryChange[], line: Line, added: HistoryEntry): readonly HistoryChange[] {
  const key = seriesKey(line.series);
  const places = new Map(line.runs.map(({ run }, place) => [run, place]));
  const own = previous.filter(({ series }) => seriesKey(series) === key);
  const older = own.filter(({ run }) => !places.has(run));
  const known = own.flatMap((change) => {
    const index = places.get(change.run);
    return index === undefined ? [] : [pointOf(change, index)];
  });
  const isLast = line.runs.at(-1)?.run === added.run;
  const { values, strata } = line;
  const smallest = smallestIn(line);
  const points = isLast ? rescan(known, values, { strata, smallest }) : changePoints(values, strata, smallest);
  return [
    ...older.map((change) => ({ ...change, runsAfter: change.runsAfter + (places.has(added.run) ? 1 : 0) })),
    ...points.map((point) => changeAt(line, point)),
  ];
}

function pointOf(change: HistoryChange, index: number): ChangePoint {
  const { series, before, after, shift, p, runsAfter, pending } = change;
  return searchedPoint(series, { index, before, after, shift, p, valuesAfter: runsAfter, pending });
}

const P_DIGITS = 3;

function changeAt({ series, runs }: Line, point: ChangePoint): HistoryChange {
  const { index, before, after, shift, p, valuesAfter, pending } = shownPoint(series, point);
  const entry = runs[index];
  if (entry === undefined) {
    throw new RangeError(`a change point at ${index} of ${runs.length} runs`);
  }
  const { commit } = entry;
  return {
    series,
    run: entry.run,
    at: entry.at,
    ...(commit !== undefined && { commit: commit.sha }),
    ...(commit?.subject !== undefined && { subject: commit.subject }),
    before: rounded(before),
    after: rounded(after),
    shift: rounded(shift),
    p: Number(p.toPrecision(P_DIGITS)),
    runsAfter: valuesAfter,
    pending,
  };
}

/** Where a series moved to another level and stayed there. */
export interface HistoryChange {
  readonly series: Series;
  /** The first run after the change. */
  readonly run: string;
  readonly at: string;
  /** Of that run. */
  readonly commit?: string;
  readonly subject?: string;
  /** Medians before and after, in the unit of the series. */
  readonly before: number;
  readonly after: number;
  /** Relative change of the metric, of an error rate the difference of both shares; positive is more, whatever is better. */
  readonly shift: number;
  readonly p: number;
  readonly runsAfter: number;
  /** Too few runs follow to tell a change from a bad day. */
  readonly pending: boolean;
}

const MOST_CHANGES = 20_000;

/** The change points in a file's text; throws HistoryError. */
export function readChanges(text: string, file: string): readonly HistoryChange[] {
  const fields = documentOf(text, file);
  return listField(fields, 'changes', MOST_CHANGES).map((one) => changeOf(fieldsOf(one, fields.place, 'a change')));
}

/** The text of a file of change points, in order of time and one a line; only the newest, where there are too many to be read. */
export function formatChanges(changes: readonly HistoryChange[]): string {
  const lines = [...changes].sort(byTime).slice(-MOST_CHANGES).map(lineOf);
  return `{"schema":${HISTORY_SCHEMA},"changes":[${lines.length === 0 ? '' : `\n${lines.join(',\n')}\n`}]}\n`;
}

function lineOf(change: HistoryChange): string {
  const { series, run, at, commit, subject, before, after, shift, p, runsAfter, pending } = change;
  const line = { series: plainSeries(series), run, at, commit, subject, before, after, shift, p, runsAfter, pending };
  return JSON.stringify(line);
}

function byTime(left: HistoryChange, right: HistoryChange): number {
  const [one, other] = [`${left.at} ${seriesKey(left.series)}`, `${right.at} ${seriesKey(right.series)}`];
  return one === other ? 0 : one < other ? -1 : 1;
}

function changeOf(fields: Fields): HistoryChange {
  const commit = optionalText(fields, 'commit', LONGEST_NAME);
  const subject = optionalText(fields, 'subject');
  const { pending } = fields.of;
  if (typeof pending !== 'boolean') {
    throw malformed(fields.place, 'pending is neither true nor false');
  }
  return {
    series: seriesFromJson(fieldsOf(fields.of['series'], fields.place, 'series')),
    run: runIn(fields),
    at: timeField(fields, 'at'),
    ...(commit !== undefined && { commit }),
    ...(subject !== undefined && { subject }),
    before: numberField(fields, 'before'),
    after: numberField(fields, 'after'),
    shift: numberField(fields, 'shift'),
    p: numberField(fields, 'p'),
    runsAfter: countField(fields, 'runsAfter'),
    pending,
  };
}

/** A file of the history as it is to be. */
export interface FileChange {
  /** Below the history's folder, with slashes: "history/index.json". */
  readonly path: string;
  /** The whole new text; undefined if the file goes. */
  readonly text: string | undefined;
}

/**
 * Whether a run is one of the default branch: never that of a pull request, or of a fork. Where nobody knows the
 * branch, of the run or of the repository, it counts: whoever publishes without GitHub publishes what they have.
 */
export function isOfDefaultBranch(entry: HistoryEntry, branch: string | undefined): boolean {
  const isKnown = branch !== undefined && entry.branch !== undefined;
  return entry.pullRequest === undefined && (!isKnown || entry.branch === branch);
}
