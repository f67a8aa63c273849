import type { Direction } from '../../adapters/units.ts';
import { plainText } from '../../foundation/index.ts';
import { type FormerNames, type KeptCounts, type Tier, tierWords } from '../../model/index.ts';
import { type Fields, HISTORY_SCHEMA, LONGEST_NAME, optionalText, textField, wordField } from './fields.ts';

/** `anchored` is a comparison with the anchor of the trend, whose values are ratios of the two. */
export const ENTRY_KINDS = ['run', 'compare', 'import', 'anchored'] as const;

/** Of a comparison its outcome; of a single run `suspicious` if it was against the runs before, else `passed`. */
export const ENTRY_OUTCOMES = ['passed', 'regressed', 'failed', 'inconclusive', 'incomplete', 'suspicious'] as const;

export const ENTRY_VERDICTS = ['regressed', 'slower-within-limit', 'improved', 'inconclusive', 'suspicious'] as const;

/** One run of the history. All text is text from outside. */
export interface HistoryEntry {
  /** Names the run. */
  readonly run: string;
  /** When it was measured, in UTC and in one form, so that texts sort as times do. */
  readonly at: string;
  readonly suite: string;
  readonly kind: (typeof ENTRY_KINDS)[number];
  /** In a decoded segment, runs with the same columns share one array. */
  readonly series: readonly Series[];
  /** For each series the median over the rounds, in its unit; null if the run has none. */
  readonly values: readonly (number | null)[];
  /**
   * Relative: a robust standard deviation of the logarithms over the rounds; null with fewer than 3 of them. Of ratios to an anchor half of
   * the 95 % interval of the logarithm.
   */
  readonly spreads: readonly (number | null)[];
  readonly commit?: EntryCommit;
  readonly branch?: string;
  readonly tags: readonly string[];
  readonly pullRequest?: number;
  readonly runner?: EntryRunner;
  /** Versions, by the name of the tool. */
  readonly tools: Readonly<Record<string, string>>;
  readonly settings?: EntrySettings;
  /** Median time of the fixed CPU loop. */
  readonly controlMs?: number;
  /** Rounds that the values are medians of: the fewest of any cell. */
  readonly rounds: number;
  readonly outcome?: (typeof ENTRY_OUTCOMES)[number];
  readonly verdicts: readonly EntryVerdict[];
  /** Of services whose instructions were counted: what a comparison needs whose base is this commit. */
  readonly counts?: readonly KeptCounts[];
  /** What its services and operations were called in earlier runs, by its configuration. */
  readonly wasNamed?: FormerNames;
  /** Only of the kind `anchored`. */
  readonly anchor?: EntryAnchor;
  readonly links: EntryLinks;
  /** What another tool said of a run besides its figures, so that an export gives it back. */
  readonly imported?: EntryImport;
}

/** Whether its figures are what was measured here: neither imported nor ratios to an anchor. */
export function hasOwnFigures({ kind }: Pick<HistoryEntry, 'kind'>): boolean {
  return kind === 'run' || kind === 'compare';
}

export interface EntryCommit {
  readonly sha: string;
  readonly subject?: string;
  readonly at?: string;
  /** Only if files had been changed since the commit. */
  readonly dirty?: true;
}

/** What the values of a run are ratios to. */
export interface EntryAnchor {
  /** A tag, or the beginning of a commit. */
  readonly name: string;
  readonly commit: string;
  /** The commit that the run was compared with in the place of the anchor, which could not be built any more. */
  readonly through?: string;
  /** How many series had a limit of drift; absent in runs of an older Wiregauge. */
  readonly limits?: number;
}

/** What machine it was measured on. */
export interface EntryRunner {
  readonly cpuModel: string;
  readonly cores: number;
  readonly kernel: string;
  readonly platform: string;
  /** Of a runner of GitHub: system and version. */
  readonly image?: string;
}

export interface EntrySettings {
  readonly runtime: string;
  readonly profile: string;
  readonly configHash: string;
}

/** What was said of one series; what is unchanged is left out. */
export interface EntryVerdict {
  /** Place in the run's series, from 0. */
  readonly series: number;
  readonly verdict: (typeof ENTRY_VERDICTS)[number];
  /** Relative changes of the metric itself, and the ends of the interval. */
  readonly change?: number;
  readonly low?: number;
  readonly high?: number;
  /** Why somebody accepted it. */
  readonly accepted?: string;
}

export interface EntryLinks {
  /** Of the workflow's run. */
  readonly run?: string;
  readonly report?: string;
}

export interface EntryImport {
  /** The other tool's name for what measured, as "cargo". */
  readonly tool: string;
  readonly notes: readonly ImportNote[];
  readonly commit?: ImportedCommit;
}

/** What was said of one figure. */
export interface ImportNote {
  /** Place in the run's series, from 0. */
  readonly series: number;
  readonly range?: string;
  readonly extra?: string;
}

/** Fields of a commit as github-action-benchmark has them, as they are written there. */
export interface ImportedCommit {
  readonly message?: string;
  readonly timestamp?: string;
  readonly url?: string;
  readonly tree_id?: string;
  readonly distinct?: boolean;
  readonly author?: ImportedPerson;
  readonly committer?: ImportedPerson;
}

export interface ImportedPerson {
  readonly name?: string;
  readonly username?: string;
  readonly email?: string;
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

/** What one figure is of: a metric of a cell. All but `better` is text from outside. */
export interface Series {
  readonly suite: string;
  readonly service: string;
  readonly operation: string;
  readonly tier: string;
  readonly metric: string;
  readonly unit: string;
  /** `unknown` only of imported figures, for which neither the file nor the unit says it. */
  readonly better: Direction;
  /** What its tier asks for, in words: "500 users". Absent in runs of an older Wiregauge; it does not name the series. */
  readonly load?: string;
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

const DIRECTIONS: readonly Direction[] = ['lower', 'higher', 'unknown'];

/** The series in an object of JSON; throws HistoryError. */
export function seriesFromJson(fields: Fields): Series {
  const name = (field: string) => textField(fields, field, LONGEST_NAME);
  const load = optionalText(fields, 'load', LONGEST_NAME);
  return {
    suite: name('suite'),
    service: name('service'),
    operation: name('operation'),
    tier: name('tier'),
    metric: name('metric'),
    unit: name('unit'),
    better: wordField(fields, 'better', DIRECTIONS),
    ...(load !== undefined && { load }),
  };
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
