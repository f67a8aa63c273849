import * as z from 'zod/mini';
import { median } from '../../foundation/statistics.ts';
import { plainLines, plainText } from '../../foundation/text.ts';
import { type BenchmarkTool, readOutput } from '../adapters/adapters.ts';
import { type GabBench, gabDirection, readBenches } from '../adapters/github-action-benchmark.ts';
import { jsonIn } from '../adapters/json.ts';
import type { LeftOut } from '../adapters/results.ts';
import {
  type EntryCommit,
  type HistoryEntry,
  IMPORTED_RUN,
  type ImportedCommit,
  oldestFirst,
  type Series,
  seriesKey,
} from '../store/entry.ts';
import {
  fitting,
  type HistoryPlace,
  LONGEST_NAME,
  LONGEST_TEXT,
  malformed,
  namedValues,
  object,
  parseJson,
  text,
  timeText,
} from '../store/fields.ts';
import { spreadOf } from '../store/run-entry.ts';
import { GAB_PREFIX, gabIdentity, IMPORTED_METRIC, IMPORTED_PLACE, type NameRun, namedOnce } from './export.ts';

const MAX_SUITES = 1000;

const MAX_RUNS = 100_000;

const gabSchema = object({
  entries: namedValues(z.unknown(), MAX_SUITES, /^/),
  repoUrl: z.optional(z.unknown()),
});

const gabRun = object({
  tool: text(),
  date: z.unknown(),
  commit: z.looseObject({ id: text() }, 'is not an object'),
  benches: z.unknown(),
});

/**
 * Runs of every suite in github-action-benchmark's data.js, which is parsed without its prefix and never evaluated. Texts are sanitized and
 * shortened; unreadable figures have names with suite and run. Throws HistoryError with suite and entry for invalid content.
 */
export function readGab(content: string, file: string, nameRun: NameRun) {
  const place = { file, line: 1 };
  // Files of its option `external-data-json-path` have no prefix.
  const isPlain = content.startsWith('{');
  if (!isPlain && !content.startsWith(GAB_PREFIX)) {
    throw malformed(place, `starts with neither "${GAB_PREFIX}" nor "{"`);
  }
  const document = parsedLeniently(isPlain ? content : content.slice(GAB_PREFIX.length), place);
  const { entries, repoUrl } = fitting(gabSchema, document, place);
  const suites = Object.entries(entries);
  const nameOnce = namedOnce(nameRun);
  const runs = suites.flatMap(([suite, list]) => runsOf({ suite, runs: list, place, nameRun: nameOnce }));
  return {
    repository: typeof repoUrl === 'string' ? plainText(repoUrl, LONGEST_NAME) : '',
    leftOut: runs.flatMap(({ leftOut }) => leftOut),
    entries: runs.map(({ entry }) => entry).sort(oldestFirst),
  };
}

interface Suite {
  readonly suite: string;
  readonly runs: unknown;
  readonly place: HistoryPlace;
  readonly nameRun: NameRun;
}

interface RunFound {
  readonly entry: HistoryEntry;
  readonly leftOut: readonly LeftOut[];
}

function runsOf({ suite, runs, place, nameRun }: Suite): readonly RunFound[] {
  const name = plainText(suite, LONGEST_NAME);
  if (!Array.isArray(runs) || runs.length > MAX_RUNS) {
    throw malformed(place, `the suite "${name}" is not a list of at most ${MAX_RUNS} runs`);
  }
  return runs.map((run: unknown, index) => {
    const at = { file: `${place.file} (suite "${name}", run ${index + 1})`, line: place.line };
    const { entry, leftOut } = runOf(run, at, { suite: name, nameRun });
    const where = `suite "${name}", run ${index + 1}`;
    return { entry, leftOut: leftOut.map((left) => ({ ...left, name: `${where}: ${left.name}` })) };
  });
}

function runOf(run: unknown, place: HistoryPlace, { suite, nameRun }: Pick<Suite, 'suite' | 'nameRun'>): RunFound {
  const { date, commit, benches: found, ...said } = fitting(gabRun, run, place);
  const tool = plainText(said.tool, LONGEST_NAME);
  const at = typeof date === 'number' ? timeText(date) : undefined;
  if (at === undefined) {
    throw malformed(place, 'date is not a time in milliseconds');
  }
  const sha = plainText(commit.id, LONGEST_NAME);
  const { benches, leftOut } = benchesIn(found, place);
  const entry = importedEntry({
    run: nameRun(gabIdentity({ suite, tool, at, sha })),
    at,
    suite,
    tool,
    benches,
    commit: entryCommit(commit, sha),
    original: importedCommit(commit),
  });
  return { entry, leftOut };
}

const MAX_BENCHES = 10_000;

function benchesIn(list: unknown, place: HistoryPlace): ReturnType<typeof readBenches> {
  if (!Array.isArray(list) || list.length > MAX_BENCHES) {
    throw malformed(place, `the figures are not a list of at most ${MAX_BENCHES}`);
  }
  return readBenches(list);
}

interface ImportedRun extends Pick<HistoryEntry, 'run' | 'at' | 'suite'> {
  readonly tool: string;
  readonly benches: readonly GabBench[];
  readonly commit?: EntryCommit | undefined;
  readonly original?: ImportedCommit | undefined;
}

/** Entry of a run of another tool, with one series per figure, whose direction follows from the tool or the unit. */
function importedEntry({ tool, benches, commit, original, ...run }: ImportedRun): HistoryEntry {
  return {
    ...run,
    ...IMPORTED_RUN,
    series: seriesOfBenches(benches, run.suite, tool),
    values: benches.map(({ value }) => value),
    spreads: benches.map(() => null),
    ...(commit !== undefined && { commit }),
    rounds: 1,
    imported: {
      tool,
      notes: benches.flatMap(({ range, extra }, series) =>
        range === undefined && extra === undefined
          ? []
          : [{ series, ...(range !== undefined && { range }), ...(extra !== undefined && { extra }) }],
      ),
      ...(original !== undefined && { commit: original }),
    },
  };
}

/** Each repetition of a name becomes another series. */
function seriesOfBenches(benches: readonly GabBench[], suite: string, tool: string): readonly Series[] {
  const times = new Map<string, number>();
  return benches.map(({ name, unit }) => {
    const first: Series = {
      suite,
      service: tool,
      operation: name,
      tier: IMPORTED_PLACE,
      metric: IMPORTED_METRIC,
      unit,
      better: gabDirection(tool, unit),
    };
    const time = (times.get(seriesKey(first)) ?? 0) + 1;
    times.set(seriesKey(first), time);
    return time === 1 ? first : { ...first, tier: `${IMPORTED_PLACE} (${time})` };
  });
}

type GabCommit = Readonly<Record<string, unknown>>;

/** Commit of github-action-benchmark in the form of the history, with the first line of its message. */
function entryCommit({ message, timestamp }: GabCommit, sha: string): EntryCommit {
  const subject = typeof message === 'string' ? plainText(message.split('\n', 1)[0] ?? '', LONGEST_TEXT) : '';
  const at = typeof timestamp === 'string' ? timeText(timestamp) : undefined;
  return { sha, ...(subject !== '' && { subject }), ...(at !== undefined && { at }) };
}

/** All fields of the commit, sanitized, so that an export restores them. */
function importedCommit(commit: GabCommit): ImportedCommit {
  const { distinct } = commit;
  return {
    ...texts(commit, ['message', 'timestamp', 'url', 'tree_id']),
    ...(typeof distinct === 'boolean' && { distinct }),
    ...person(commit, 'author'),
    ...person(commit, 'committer'),
  };
}

function person(commit: GabCommit, role: 'author' | 'committer'): Pick<ImportedCommit, 'author' | 'committer'> {
  const found = commit[role];
  return typeof found === 'object' && found !== null
    ? { [role]: texts(found as GabCommit, ['name', 'username', 'email']) }
    : {};
}

function texts(fields: GabCommit, names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const said = fields[name];
      return typeof said === 'string' ? [[name, plainLines(said, LONGEST_TEXT)]] : [];
    }),
  );
}

/** Facts about a run that the file of another tool lacks, or that override it. */
interface ImportFacts<Tool extends string> {
  /** Benchmark tool; `customSmallerIsBetter` or `customBiggerIsBetter`, the direction of all figures, for custom ones. */
  readonly tool: Tool;
  readonly suite: string;
  /** Time of measurement, in the format of the history; undefined to use that of the file. */
  readonly at: string | undefined;
  readonly commit: string | undefined;
  /** Default for a file without a time. */
  readonly now: string;
  readonly nameRun: NameRun;
}

/** Run in an input file of github-action-benchmark: a list of name, value and, optionally, unit, range and extra. Throws HistoryError. */
export function readCustom(text: string, file: string, facts: ImportFacts<string>) {
  const { tool, suite, now, at = now, commit, nameRun } = facts;
  const place = { file, line: 1 };
  const { benches, leftOut } = benchesIn(parsedLeniently(text, place), place);
  const [first] = leftOut;
  if (benches.length === 0 && first !== undefined) {
    throw malformed(place, `has no figures; ${first.name} ${first.why}`);
  }
  const entry = importedEntry({
    run: nameRun(JSON.stringify([tool, suite, at, commit ?? '', benches])),
    at,
    suite: plainText(suite, LONGEST_NAME),
    tool,
    benches,
    commit: commit === undefined ? undefined : { sha: plainText(commit, LONGEST_NAME) },
  });
  return { entries: [entry], leftOut };
}

/** Parses JSON with `NaN` and `Infinity` as texts, so that these figures are left out by name. */
function parsedLeniently(text: string, place: HistoryPlace): unknown {
  const document = jsonIn(text);
  return 'fault' in document ? parseJson(text, place) : document.value;
}

/**
 * Run in the output of a benchmark tool: one series per benchmark and metric, with the median of its repetitions. Throws HistoryError for
 * other content, or if there are no figures.
 */
export function readToolOutput(text: string, file: string, facts: ImportFacts<BenchmarkTool>) {
  const place = { file, line: 1 };
  const { tool, suite, nameRun, now } = facts;
  const found = readOutput(tool, text);
  if (typeof found === 'string') {
    throw malformed(place, found);
  }
  const { failures, leftOut } = found;
  const figures = found.figures.map(({ repetitions: _repetitions, counts: _counts, ...figure }) => figure);
  const { length } = figures;
  if (length === 0 || length > MAX_BENCHES) {
    const none = [...failures, ...leftOut].map(({ name, why }) => `; ${name} ${why}`).slice(0, 3);
    throw malformed(
      place,
      length === 0 ? `has no figures of ${tool}${none.join('')}` : `has ${length} figures; the limit is ${MAX_BENCHES}`,
    );
  }
  const at = facts.at ?? (found.at === undefined ? undefined : timeText(found.at)) ?? now;
  const commit = facts.commit ?? found.commit;
  const name = plainText(suite, LONGEST_NAME);
  const entry: HistoryEntry = {
    run: nameRun(JSON.stringify([tool, name, at, commit ?? '', figures])),
    at,
    suite: name,
    ...IMPORTED_RUN,
    series: figures.map((figure) => ({
      suite: name,
      service: tool,
      operation: figure.name,
      tier: IMPORTED_PLACE,
      metric: figure.metric,
      unit: figure.unit,
      better: figure.better,
    })),
    values: figures.map(({ values }) => median(values) ?? null),
    spreads: figures.map(({ values }) => spreadOf(values)),
    ...(commit !== undefined && { commit: { sha: plainText(commit, LONGEST_NAME) } }),
    rounds: Math.min(...figures.map(({ values }) => values.length)),
  };
  return { entries: [entry], failures, leftOut };
}
