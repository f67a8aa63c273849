import * as z from 'zod/mini';
import { encoded, plainText } from '../../foundation/text.ts';
import { plantSize } from '../../model/run/plant.ts';
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
  MAX_SERIES,
  MAX_TAGS,
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

const MAX_TOOLS = 100;

const MAX_COUNTED = 1000;

const optional = z.exactOptional;

/** Series of figures: a metric of a cell. */
export const seriesSchema = object({
  suite: name,
  service: name,
  operation: name,
  tier: name,
  metric: name,
  unit: name,
  /** `unknown` only for imported figures without a known direction. */
  better: word(['lower', 'higher', 'unknown']),
  /** Load of its tier, for example "500 users". Absent in runs of older versions; not part of the identity of the series. */
  load: optional(name),
});

/** Series of figures. All fields but `better` are untrusted text. */
export type Series = Stored<z.output<typeof seriesSchema>>;

const commit = object({
  sha: name,
  subject: optional(text()),
  at: optional(time),
  /** True if files had been changed since the commit. */
  dirty: optional(flag),
});

/** Verdict on one series; unchanged ones are left out. */
const verdict = object({
  /** Index in the series of the run, from 0. */
  series: count,
  verdict: word(['regressed', 'slower-within-limit', 'improved', 'inconclusive', 'suspicious']),
  /** Relative change of the metric, and the ends of its interval. */
  change: optional(figure),
  low: optional(figure),
  high: optional(figure),
  /** Reason for accepting it. */
  accepted: optional(text()),
});

/** Counted instructions of a service; counts without a fingerprint are not compared. */
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
        instructions: list(count, MAX_COUNTED),
        syscalls: list(count, MAX_COUNTED),
        allocations: optional(list(count, MAX_COUNTED)),
      }),
      MAX_COUNTED,
    ),
    MAX_COUNTED,
  ),
});

const person = object({ name: optional(text()), username: optional(text()), email: optional(text()) });

/** Fields of a commit as github-action-benchmark has them, unchanged. */
const importedCommit = object({
  ...{ message: optional(text()), timestamp: optional(text()), url: optional(text()), tree_id: optional(text()) },
  ...{ distinct: optional(flag), author: optional(person), committer: optional(person) },
});

const imported = object({
  /** Name of the benchmark tool in the other tool, such as "cargo". */
  tool: name,
  /** Notes on figures, by the index in the series of the run, from 0. */
  notes: list(object({ series: count, range: optional(text()), extra: optional(text()) }), MAX_SERIES),
  commit: optional(importedCommit),
});

const figures = z.custom<(number | null)[]>(
  (value) => Array.isArray(value) && value.every((one) => one === null || Number.isFinite(one)),
  'is not a list of finite numbers and nulls',
);

/** Run of the history, without its series. Texts are untrusted. */
const entrySchema = object({
  run: runId,
  /** Time of measurement in UTC, in a format that sorts by time. */
  at: time,
  suite: name,
  /** `anchored` is a comparison with the anchor of the trend, whose values are ratios; `plant` a planted slowdown, with the time to find it. */
  kind: word(['run', 'compare', 'import', 'anchored', 'plant']),
  /** Median over the rounds for each series, in its unit; null if the run has none. */
  values: figures,
  /**
   * Robust standard deviation of the logarithms over the rounds; null with fewer than 3 rounds. For ratios to an anchor half of the 95%
   * interval of the logarithm.
   */
  spreads: figures,
  commit: optional(commit),
  branch: optional(text()),
  tags: z._default(list(name, MAX_TAGS), []),
  pullRequest: optional(count),
  /** Machine; with the image (system and version) of runners of GitHub. */
  runner: optional(
    object({ cpuModel: text(), cores: count, kernel: text(), platform: text(), image: optional(text()) }),
  ),
  tools: z._default(namedValues(text(), MAX_TOOLS), {}),
  settings: optional(object({ runtime: text(), profile: text(), configHash: text() })),
  /** Median time of the fixed CPU loop in milliseconds. */
  controlMs: optional(figure),
  /** Number of rounds of the cell with the fewest rounds. */
  rounds: count,
  /** Outcome of a comparison; for a single run `suspicious` if it differs from the runs before, otherwise `passed`. */
  outcome: optional(word(['passed', 'regressed', 'failed', 'inconclusive', 'incomplete', 'suspicious'])),
  verdicts: z._default(list(verdict, MAX_SERIES), []),
  /** Instruction counts of services, for comparisons with this commit as base. */
  counts: optional(list(counts, MAX_COUNTED)),
  /** Former names of its services and operations, from its configuration. */
  wasNamed: optional(formerNames),
  /**
   * Anchor of a run of kind `anchored`: a tag or the beginning of a commit, and the commit. `through` is the commit that replaces an anchor
   * that can no longer be built; `limits` is the number of series with a limit of drift, absent in older runs.
   */
  anchor: optional(object({ name, commit: name, through: optional(name), limits: optional(count) })),
  /** Slowdown of a run of kind `plant`: more CPU time, 0.05 is 5%. */
  plant: optional(object({ cpu: figure })),
  /** Addresses of the workflow run and of the report. */
  links: z._default(object({ run: optional(text(LONGEST_LINK)), report: optional(text(LONGEST_LINK)) }), {}),
  imported: optional(imported),
});

/** Run of the history; in a decoded segment, runs with the same columns share one array of series. */
export type HistoryEntry = Stored<z.output<typeof entrySchema>> & { readonly series: readonly Series[] };

export type EntryCommit = Stored<z.output<typeof commit>>;

export type EntryRunner = NonNullable<HistoryEntry['runner']>;

export type EntryVerdict = HistoryEntry['verdicts'][number];

export type ImportedCommit = Stored<z.output<typeof importedCommit>>;

export const IMPORTED_RUN = { kind: 'import', tags: [], tools: {}, verdicts: [], links: {} } as const;

/** Run in a line with known columns; throws HistoryError. */
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

export function oldestFirst(left: Pick<HistoryEntry, 'at'>, right: Pick<HistoryEntry, 'at'>): number {
  return left.at === right.at ? 0 : left.at < right.at ? -1 : 1;
}

/** True for figures of a version: neither imported ones, nor ratios to an anchor, nor those of a plant. */
export function hasOwnFigures({ kind }: Pick<HistoryEntry, 'kind'>): boolean {
  return kind === 'run' || kind === 'compare';
}

/** Line that defines columns: the series of the runs that use them. */
export function columnsLine(columns: number, series: readonly Series[]): string {
  return `${JSON.stringify({ schema: HISTORY_SCHEMA, columns, series: series.map(plainSeries) })}\n`;
}

/** Line of a run, whose series are those of the columns, in the same order. Empty fields are left out. */
export function entryLine(entry: HistoryEntry, columns: number): string {
  const { values, spreads, tags, tools, verdicts, counts = [], links } = entry;
  const filled = Object.entries({ tags, tools, verdicts, counts, links }).map(
    ([name, all]) => [name, Object.keys(all).length === 0 ? undefined : all] as const,
  );
  const line: Readonly<Record<string, unknown>> = {
    ...{ ...entry, schema: HISTORY_SCHEMA, columns, ...Object.fromEntries(filled) },
    ...{ values: values.map(plainZero), spreads: spreads.map(plainZero) },
  };
  return `${JSON.stringify(Object.fromEntries(LINE_FIELDS.map((name) => [name, line[name]])))}\n`;
}

/** Fields of a line, in the order of the file. */
const LINE_FIELDS = ['schema', ...Object.keys(entrySchema.shape)].flatMap((name) =>
  name === 'kind' ? [name, 'columns'] : name,
);

/** JSON cannot represent -0. */
function plainZero(figure: number | null): number | null {
  return figure === 0 ? 0 : figure;
}

/** Direction of a change of a series; `changed` if it is unknown which direction is better. */
export function turnOf({ better }: Pick<Series, 'better'>, shift: number): 'worse' | 'better' | 'changed' {
  return better === 'unknown' ? 'changed' : shift > 0 === (better === 'lower') ? 'worse' : 'better';
}

/**
 * Key of a series across runs, for example "users/rest/all/saturation/cpuMicrosPerRequest/µs". It includes the unit, since figures of
 * different units are not comparable, but not the direction.
 */
export function seriesKey({ suite, service, operation, tier, metric, unit }: Series): string {
  return [suite, service, operation, tier, metric, unit].map(escaped).join('/');
}

/** Fragment of the history page's URL that opens a series. */
export function seriesAddress(series: Series): string {
  return `#series=${encoded(seriesKey(series))}`;
}

const ANCHOR_SIGN = '× ';

/** Unit of a ratio to an anchor: "× v1.4.0". */
export function anchorUnit(anchor: string): string {
  return `${ANCHOR_SIGN}${anchor}`;
}

/** Anchor of a series of ratios, as untrusted text; undefined for any other series. */
export function anchorOf({ unit }: Pick<Series, 'unit'>): string | undefined {
  return unit.startsWith(ANCHOR_SIGN) ? unit.slice(ANCHOR_SIGN.length) : undefined;
}

/** Metric of the seconds until a planted share of CPU time was found. */
export function plantMetric(cpu: number): string {
  return `planted ${plantSize({ cpu })} slowdown`;
}

/** True for the seconds until a planted slowdown was found. */
export function isOfPlant({ metric, unit }: Pick<Series, 'metric' | 'unit'>): boolean {
  return unit === 's' && /^planted [\d.]{1,6}% slowdown$/.test(metric);
}

/** Escapes slashes, which untrusted names may contain. */
function escaped(part: string): string {
  return part.includes('/') || part.includes('%') ? part.replaceAll('%', '%25').replaceAll('/', '%2F') : part;
}

/** Series with its fields in the order of the file. */
export function plainSeries({ suite, service, operation, tier, metric, unit, better, load }: Series): Series {
  return { suite, service, operation, tier, metric, unit, better, ...(load !== undefined && { load }) };
}

/** Series of a suite with the loads of their tiers. */
export function withLoads(series: readonly Series[], tiers: readonly Tier[]): readonly Series[] {
  const loads = new Map(tiers.map((tier) => [tier.name, plainText(tierWords(tier), LONGEST_NAME)]));
  return series.map((one) => {
    const load = loads.get(one.tier);
    return load === undefined ? one : { ...one, load };
  });
}
