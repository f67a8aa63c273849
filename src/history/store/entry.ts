import * as z from 'zod/mini';
import { plainText } from '../../foundation/text.ts';
import type { Tier } from '../../model/suite/suite.ts';
import { tierWords } from '../../model/suite/tier-words.ts';
import {
  count,
  figure,
  fitting,
  flag,
  formerNames,
  HISTORY_SCHEMA,
  type HistoryPlace,
  LONGEST_NAME,
  list,
  MOST_SERIES,
  MOST_TAGS,
  malformed,
  name,
  namedValues,
  object,
  runId,
  type Stored,
  text,
  time,
  word,
} from './fields.ts';

const LONGEST_LINK = 2000;

const MOST_TOOLS = 100;

const MOST_COUNTED = 1000;

const optional = z.exactOptional;

/** What one figure is of: a metric of a cell. */
export const seriesSchema = object({
  suite: name,
  service: name,
  operation: name,
  tier: name,
  metric: name,
  unit: name,
  /** `unknown` only of imported figures, for which neither the file nor the unit says it. */
  better: word(['lower', 'higher', 'unknown']),
  /** What its tier asks for, in words: "500 users". Absent in runs of an older Wiregauge; it does not name the series. */
  load: optional(name),
});

/** All but `better` is text from outside. */
export type Series = Stored<z.output<typeof seriesSchema>>;

const commit = object({
  sha: name,
  subject: optional(text()),
  at: optional(time),
  /** Whether files had been changed since the commit. */
  dirty: optional(flag),
});

/** A verdict about one series; what is unchanged is left out. */
const verdict = object({
  /** Place in the run's series, from 0. */
  series: count,
  verdict: word(['regressed', 'slower-within-limit', 'improved', 'inconclusive', 'suspicious']),
  /** Relative changes of the metric itself, and the ends of the interval. */
  change: optional(figure),
  low: optional(figure),
  high: optional(figure),
  /** Why somebody accepted it. */
  accepted: optional(text()),
});

/** Counted instructions of a service; nothing is compared with counts that have no fingerprint. */
const counts = object({
  service: name,
  fingerprint: object({
    ...{ counter: name, wiregauge: name, runtime: name, environment: name, command: name, requests: name },
    ...{ system: z.optional(text()), runnerImage: z.optional(text()) },
  }),
  starts: list(
    list(
      object({
        operation: name,
        requests: count,
        instructions: list(count, MOST_COUNTED),
        syscalls: list(count, MOST_COUNTED),
      }),
      MOST_COUNTED,
    ),
    MOST_COUNTED,
  ),
});

const person = object({ name: optional(text()), username: optional(text()), email: optional(text()) });

/** Fields of a commit as github-action-benchmark has them, unchanged. */
const importedCommit = object({
  ...{ message: optional(text()), timestamp: optional(text()), url: optional(text()), tree_id: optional(text()) },
  ...{ distinct: optional(flag), author: optional(person), committer: optional(person) },
});

/** What another tool said of a run besides its figures, so that an export gives it back. */
const imported = object({
  /** The other tool's name for what measured, as "cargo". */
  tool: name,
  /** What was said of a figure, by its place in the run's series, from 0. */
  notes: list(object({ series: count, range: optional(text()), extra: optional(text()) }), MOST_SERIES),
  commit: optional(importedCommit),
});

/** Finite numbers and nulls. */
const figures = z.custom<(number | null)[]>(
  (value) => Array.isArray(value) && value.every((one) => one === null || Number.isFinite(one)),
  'is not a list of finite numbers and nulls',
);

/** One run of the history, without its series. All text is text from outside. */
const entrySchema = object({
  /** Names the run. */
  run: runId,
  /** When it was measured, in UTC and in one form, so that texts sort as times do. */
  at: time,
  suite: name,
  /** `anchored` is a comparison with the anchor of the trend, whose values are ratios of the two. */
  kind: word(['run', 'compare', 'import', 'anchored']),
  /** For each series the median over the rounds, in its unit; null if the run has none. */
  values: figures,
  /**
   * Relative: a robust standard deviation of the logarithms over the rounds; null with fewer than 3 of them. Of ratios to an anchor half of
   * the 95% interval of the logarithm.
   */
  spreads: figures,
  commit: optional(commit),
  branch: optional(text()),
  tags: z._default(list(name, MOST_TAGS), []),
  pullRequest: optional(count),
  /** The machine that it was measured on; of a runner of GitHub the image, which is system and version. */
  runner: optional(
    object({ cpuModel: text(), cores: count, kernel: text(), platform: text(), image: optional(text()) }),
  ),
  /** Versions, by the name of the tool. */
  tools: z._default(namedValues(text(), MOST_TOOLS), {}),
  settings: optional(object({ runtime: text(), profile: text(), configHash: text() })),
  /** Median time of the fixed CPU loop. */
  controlMs: optional(figure),
  /** Rounds that the values are medians of: the fewest of any cell. */
  rounds: count,
  /** Of a comparison its outcome; of a single run `suspicious` if it was against the runs before, else `passed`. */
  outcome: optional(word(['passed', 'regressed', 'failed', 'inconclusive', 'incomplete', 'suspicious'])),
  verdicts: z._default(list(verdict, MOST_SERIES), []),
  /** Of services whose instructions were counted: what a comparison needs whose base is this commit. */
  counts: optional(list(counts, MOST_COUNTED)),
  /** What its services and operations were called in earlier runs, by its configuration. */
  wasNamed: optional(formerNames),
  /**
   * What the values are ratios to, only of the kind `anchored`: a tag or the beginning of a commit, and the commit. `through` is the one in
   * the place of an anchor that could not be built any more; `limits` how many series had a limit of drift, absent in older runs.
   */
  anchor: optional(object({ name, commit: name, through: optional(name), limits: optional(count) })),
  /** Of the workflow's run, and of the report. */
  links: z._default(object({ run: optional(text(LONGEST_LINK)), report: optional(text(LONGEST_LINK)) }), {}),
  imported: optional(imported),
});

/** One run of the history; in a decoded segment, runs with the same columns share one array of series. */
export type HistoryEntry = Stored<z.output<typeof entrySchema>> & { readonly series: readonly Series[] };

export type EntryCommit = Stored<z.output<typeof commit>>;

export type EntryRunner = NonNullable<HistoryEntry['runner']>;

export type EntryAnchor = NonNullable<HistoryEntry['anchor']>;

export type EntryVerdict = HistoryEntry['verdicts'][number];

export type ImportedCommit = Stored<z.output<typeof importedCommit>>;

export type ImportedPerson = Stored<z.output<typeof person>>;

export type ImportNote = NonNullable<HistoryEntry['imported']>['notes'][number];

/** The run in a line, whose columns are known; throws HistoryError. */
export function entryOfFields(fields: unknown, series: readonly Series[], place: HistoryPlace): HistoryEntry {
  const entry = fitting(entrySchema, fields, place);
  const { length } = series;
  const short = (['values', 'spreads'] as const).find((field) => entry[field].length !== length);
  if (short !== undefined) {
    throw malformed(place, `${short} is not a list of ${length} figures, one for each series of its columns`);
  }
  const odd = [...entry.verdicts, ...(entry.imported?.notes ?? [])].find((one) => one.series >= length);
  if (odd !== undefined) {
    throw malformed(place, `there is an entry for series ${odd.series}, but the run has only ${length}`);
  }
  return { ...entry, series };
}

/** Whether its figures are what was measured here: neither imported nor ratios to an anchor. */
export function hasOwnFigures({ kind }: Pick<HistoryEntry, 'kind'>): boolean {
  return kind === 'run' || kind === 'compare';
}

/** The line that says what series the runs with these columns have figures of. */
export function columnsLine(columns: number, series: readonly Series[]): string {
  return `${JSON.stringify({ schema: HISTORY_SCHEMA, columns, series: series.map(plainSeries) })}\n`;
}

/** The line of a run; its series are those of the columns, in their order. What is empty is left out. */
export function entryLine(entry: HistoryEntry, columns: number): string {
  const { run, at, suite, kind, values, spreads, commit, branch, tags, pullRequest, runner, tools } = entry;
  const { settings, controlMs, rounds, outcome, verdicts, counts = [], wasNamed, anchor, links, imported } = entry;
  const line = {
    schema: HISTORY_SCHEMA,
    run,
    at,
    suite,
    kind,
    columns,
    values: values.map(plainZero),
    spreads: spreads.map(plainZero),
    commit,
    branch,
    tags: filled(tags),
    pullRequest,
    runner,
    tools: Object.keys(tools).length === 0 ? undefined : tools,
    settings,
    controlMs,
    rounds,
    outcome,
    verdicts: filled(verdicts),
    counts: filled(counts),
    wasNamed,
    anchor,
    links: Object.keys(links).length === 0 ? undefined : links,
    imported,
  };
  return `${JSON.stringify(line)}\n`;
}

function filled<Item>(items: readonly Item[]): readonly Item[] | undefined {
  return items.length === 0 ? undefined : items;
}

/** JSON has no sign for 0; a figure that is written must be the one that is read. */
function plainZero(figure: number | null): number | null {
  return figure === 0 ? 0 : figure;
}

/** Which way a change of a series goes; `changed` if nothing says which way it is better. */
export function turnOf({ better }: Pick<Series, 'better'>, shift: number): 'worse' | 'better' | 'changed' {
  return better === 'unknown' ? 'changed' : shift > 0 === (better === 'lower') ? 'worse' : 'better';
}

/**
 * Names a series across runs, for example "users/rest/all/saturation/cpuMicrosPerRequest/µs". The unit belongs to it,
 * since figures of two units are no one line; the direction does not.
 */
export function seriesKey({ suite, service, operation, tier, metric, unit }: Series): string {
  return [suite, service, operation, tier, metric, unit].map(escaped).join('/');
}

const ANCHOR_SIGN = '× ';

/** The unit of a ratio to an anchor, which is its series' own: "× v1.4.0". */
export function anchorUnit(anchor: string): string {
  return `${ANCHOR_SIGN}${anchor}`;
}

/** The anchor that the figures of a series are ratios to: text from outside; undefined of any other series. */
export function anchorOf({ unit }: Pick<Series, 'unit'>): string | undefined {
  return unit.startsWith(ANCHOR_SIGN) ? unit.slice(ANCHOR_SIGN.length) : undefined;
}

/** Names from outside may have slashes. */
function escaped(part: string): string {
  return part.includes('/') || part.includes('%') ? part.replaceAll('%', '%25').replaceAll('/', '%2F') : part;
}

/** The same series, its fields in the order in which they are written. */
export function plainSeries({ suite, service, operation, tier, metric, unit, better, load }: Series): Series {
  return { suite, service, operation, tier, metric, unit, better, ...(load !== undefined && { load }) };
}

/** Series of a suite with what their tiers ask for. */
export function withLoads(series: readonly Series[], tiers: readonly Tier[]): readonly Series[] {
  const loads = new Map(tiers.map((tier) => [tier.name, plainText(tierWords(tier), LONGEST_NAME)]));
  return series.map((one) => {
    const load = loads.get(one.tier);
    return load === undefined ? one : { ...one, load };
  });
}
