import * as z from 'zod';
import { nameSchema as name } from '../foundation/names.ts';
import { text } from './fields.ts';
import {
  ALL_OPERATIONS,
  type CellKey,
  METRIC_NAMES,
  METRICS,
  type MetricName,
  memberOf,
  SATURATION,
} from './metric.ts';

const list = <Item extends z.ZodType>(item: Item) => z.array(item).max(500).readonly();

/** Comparisons that a line of the policy matches: an omitted field matches everything. */
const place = { service: name.optional(), operation: name.optional(), tier: name.optional() };

const threshold = z.object({
  ...place,
  metric: name.optional(),
  /** Relative: 0.05 is 5% worse. */
  threshold: z.number().gt(0).lte(10).optional(),
  gate: z.boolean().optional(),
});

/** Thresholds, gates and acceptances. The last matching threshold applies. */
export const policySchema = z.object({
  /** Share of unchanged pull requests that may fail: the strict rule has 0.01, the sensitive one 0.05. */
  alpha: z.number().gt(0).lte(0.2),
  /** Largest change that is never tested against: 0.01 is 1%. */
  floor: z.number().gte(0).lt(1),
  /** "strict" requires that the whole interval is above the threshold. */
  proof: z.enum(['usual', 'strict']),
  inconclusive: z.enum(['warn', 'fail', 'pass']),
  /** Handling of changed responses; runs of earlier versions lack this key. */
  answers: z.enum(['warn', 'fail', 'ignore']).default('warn'),
  thresholds: list(threshold),
  /** All thresholds of the head's own policy, if one of them is stricter: the stricter threshold of either policy applies. */
  orStricter: list(threshold).optional(),
  /** Absolute limit on the head's median: a maximum, or for rates a minimum, in the metric's unit. */
  budgets: list(z.object({ ...place, metric: name, limit: z.number().positive() })),
  /** Largest drift of the default branch from the anchor, all operations together; runs of earlier versions lack this key. */
  drift: list(
    z.object({
      service: name.optional(),
      tier: name.optional(),
      metric: name,
      /** Relative, for the worse: 0.05 is 5%. */
      limit: z.number().gt(0).lte(10),
    }),
  ).default([]),
  accepted: list(
    z.object({
      ...place,
      metric: name,
      /** Accepted up to this relative change of the metric for the worse. */
      upTo: z.number().gt(0).lte(10),
      until: z.iso.date(),
      why: text.min(1),
      /** User who accepted it and the time, if known. */
      by: text.optional(),
      at: text.optional(),
    }),
  ),
});

export type Policy = z.infer<typeof policySchema>;

export type Acceptance = Policy['accepted'][number];

export const DEFAULT_POLICY: Policy = {
  alpha: 0.02,
  floor: 0.01,
  proof: 'usual',
  inconclusive: 'warn',
  answers: 'warn',
  thresholds: [],
  budgets: [],
  drift: [],
  accepted: [],
};

export type PolicyChange = { readonly [Key in keyof Policy]?: Policy[Key] | undefined } & {
  readonly preset?: PresetName | undefined;
};

export const PRESET_NAMES = ['strict', 'cpu-only', 'advisory'] as const;

export type PresetName = (typeof PRESET_NAMES)[number];

/** Metrics of the work of a request, not of its waiting time. */
const OF_WORK: readonly string[] = [
  'cpuMicrosPerRequest',
  'instructionsPerRequest',
  'syscallsPerRequest',
  'allocationsPerRequest',
  'allocatedBytesPerRequest',
  'queriesPerRequest',
];

const PRESETS: Readonly<Record<PresetName, Partial<Policy>>> = {
  strict: {
    inconclusive: 'fail',
    answers: 'fail',
    thresholds: [{ metric: 'latencyP95Ms', gate: true }],
  },
  'cpu-only': {
    thresholds: METRIC_NAMES.filter((metric) => !OF_WORK.includes(metric)).map((metric) => ({ metric, gate: false })),
  },
  advisory: { inconclusive: 'pass', thresholds: [{ gate: false }] },
};

/** Policy with the keys of the change; lists are replaced. Thresholds of the change follow those of its preset. */
export function changedPolicy(before: Policy, { preset, ...own }: PolicyChange): Policy {
  return preset === undefined
    ? withKeys(before, own)
    : withKeys(
        { ...before, ...PRESETS[preset] },
        { ...own, thresholds: own.thresholds && [...(PRESETS[preset].thresholds ?? []), ...own.thresholds] },
      );
}

function withKeys(policy: Policy, change: PolicyChange): Policy {
  const { orStricter: _orStricter, ...own } = policy;
  const set = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  return { ...(change.thresholds === undefined ? policy : own), ...set };
}

export interface ComparisonName {
  readonly cell: CellKey;
  readonly metric: string;
}

/** Fields of a policy's line that select comparisons. */
export interface PolicyPlace {
  readonly service?: string | undefined;
  readonly operation?: string | undefined;
  readonly tier?: string | undefined;
  readonly metric?: string | undefined;
}

/** True if a line of the policy matches a comparison; those of a member only if it names the member. */
export function isAbout(line: PolicyPlace, { cell, metric }: ComparisonName): boolean {
  const operation = line.operation ?? (memberOf(cell) === undefined ? cell.operation : undefined);
  return (
    (line.service ?? cell.service) === cell.service &&
    operation === cell.operation &&
    (line.tier ?? cell.tier) === cell.tier &&
    (line.metric ?? metric) === metric
  );
}

/** Share of failed requests above which a run fails, unless a budget for the error rate permits more. */
const PERMITTED_ERRORS = 0.01;

/** Largest share of failed requests with which the figures of a cell measure its service. */
export function permittedErrors({ budgets }: Policy, cell: CellKey): number {
  const budget = budgets.findLast(
    (line) => line.metric === 'errorRate' && isAbout(line, { cell, metric: 'errorRate' }),
  );
  return budget?.limit ?? PERMITTED_ERRORS;
}

export function thresholdOf(policy: Policy, name: ComparisonName): number {
  const own = (lines: Policy['thresholds']) =>
    lines.findLast((line) => line.threshold !== undefined && isAbout(line, name))?.threshold ??
    usualThreshold(name.cell, name.metric);
  return Math.min(...thresholdLists(policy).map(own));
}

/** True if a comparison may fail a pull request, by the policy, else by `usual`. */
export function isGate(policy: Policy, name: ComparisonName, usual: boolean): boolean {
  return thresholdLists(policy).some(
    (lines) => lines.findLast((line) => line.gate !== undefined && isAbout(line, name))?.gate ?? usual,
  );
}

/** Thresholds of the policy, and those of the head's own that apply where they are stricter. */
function thresholdLists({ thresholds, orStricter }: Policy): readonly Policy['thresholds'][] {
  return orStricter === undefined ? [thresholds] : [thresholds, orStricter];
}

/** True if a comparison counts only if noise does not hide it: at a tier that no line of the policy names. */
export function isIfSeen(policy: Policy, name: ComparisonName, usual: boolean | undefined): boolean {
  return usual === true && !isGate(policy, name, false);
}

/** All kinds of load together, in a cell's key. */
export const ALL_TIERS = 'all';

/** Metric that is compared, and whether it may fail a pull request by default. */
export interface FamilyRow {
  readonly metric: MetricName;
  readonly gate: boolean;
  /** Gating comparisons only: it counts only if noise does not hide it, unless the policy names it. */
  readonly ifSeen?: true;
}

/**
 * Metrics compared in a cell. The saturated service gives the quietest figures, which always count; CPU time per request and p50 at a tier, and peak
 * memory over all loads, gate if noise does not hide them; tails are too noisy on small machines, so they are only watched.
 */
export function rowsOf({ operation, tier }: Pick<CellKey, 'operation' | 'tier'>): readonly FamilyRow[] {
  if (memberOf({ operation }) !== undefined) {
    return OF_MEMBER;
  }
  if (tier === ALL_TIERS) {
    return operation === ALL_OPERATIONS ? OF_START : OF_FIRST_REQUEST;
  }
  if (tier === SATURATION) {
    return operation === ALL_OPERATIONS ? AT_SATURATION : [];
  }
  return operation === ALL_OPERATIONS ? AT_TIER : OF_OPERATION;
}

const gate = (metric: MetricName): FamilyRow => ({ metric, gate: true });

const gateIfSeen = (metric: MetricName): FamilyRow => ({ metric, gate: true, ifSeen: true });

const watch = (metric: MetricName): FamilyRow => ({ metric, gate: false });

const AT_SATURATION: readonly FamilyRow[] = [
  gate('cpuMicrosPerRequest'),
  gate('achievedRps'),
  gate('latencyP50Ms'),
  watch('latencyP95Ms'),
];

const AT_TIER: readonly FamilyRow[] = [gateIfSeen('cpuMicrosPerRequest'), watch('achievedRps')];

/** The whole service gates: a change in one member changes it, too, and the report names the member. */
const OF_MEMBER: readonly FamilyRow[] = [watch('cpuMicrosPerRequest')];

/** A service has one of each per round, which is one start: the kernel keeps the peak of memory through all loads. */
const OF_START: readonly FamilyRow[] = [gateIfSeen('peakMemoryMiB'), watch('startUpMs')];

const OF_FIRST_REQUEST: readonly FamilyRow[] = [watch('firstRequestMs')];

/** True if a metric belongs to a start of the service, or to its build, and not to a load. */
export function isOfStart(metric: string): boolean {
  return metric === 'sizeMiB' || [...OF_START, ...OF_FIRST_REQUEST].some((row) => row.metric === metric);
}

/** A start metric below this in both versions is not compared: it is noise, and too small to matter. */
export const LEAST_MS: ReadonlyMap<string, number> = new Map([
  ['startUpMs', 250],
  ['firstRequestMs', 50],
]);

const OF_OPERATION: readonly FamilyRow[] = [gateIfSeen('latencyP50Ms'), watch('latencyP95Ms'), watch('latencyP99Ms')];

/** Relative slowdown above which a change is a regression by default. */
export function usualThreshold({ tier }: Pick<CellKey, 'tier'>, metric: string): number {
  const isQuiet = tier === SATURATION && AT_SATURATION.some((row) => row.gate && row.metric === metric);
  return isQuiet ? 0.03 : (THRESHOLDS.get(metric) ?? 0.05);
}

const THRESHOLDS: ReadonlyMap<string, number> = new Map<MetricName, number>([
  ['queriesPerRequest', 0],
  ['instructionsPerRequest', 0.01],
  ['syscallsPerRequest', 0.01],
  ['latencyP90Ms', 0.1],
  ['latencyP95Ms', 0.1],
  ['latencyP99Ms', 0.1],
  ['latencyP999Ms', 0.1],
  ['latencyMaxMs', 0.1],
  ['peakMemoryMiB', 0.1],
  ['sizeMiB', 0.1],
  ['startUpMs', 0.2],
  ['firstRequestMs', 0.2],
  ['memoryGrowthPerRequest', 0.5],
]);

/** True if a metric measured elsewhere may fail a pull request: all but tails, means, memory, and unknown metrics. */
export function gatesUsually(metric: string): boolean {
  return GATING.has(metric) || !Object.hasOwn(METRICS, metric);
}

const GATING: ReadonlySet<string> = new Set([
  'cpuMicrosPerRequest',
  'achievedRps',
  'latencyP50Ms',
  'latencyP90Ms',
  'latencyP95Ms',
  'wireBytesPerRequest',
  'instructionsPerRequest',
  'syscallsPerRequest',
  'allocationsPerRequest',
  'allocatedBytesPerRequest',
  'queriesPerRequest',
  'memoryGrowthPerRequest',
]);
