import { hasMark } from '../../src/judge/reading/cells.ts';
import { inverse, type StudyEvidence, type Times } from '../../src/judge/study/versus.ts';
import { ALL_OPERATIONS, type MetricName, SATURATION } from '../../src/model/metric.ts';
import type { Run } from '../../src/model/run/run.ts';
import type { RuntimeName } from '../../src/model/service.ts';
import { testedRatio } from './findings.ts';

/** Variants of one service in a run, the first one at the front. */
export interface MeasuredVariants {
  readonly service: string;
  /** Their runtime, in a run of both. */
  readonly runtime: RuntimeName | undefined;
  readonly names: readonly string[];
}

/** Criteria for a setting: requests per second, or per second of CPU time, both at saturation. */
export type SettingAim = 'rate' | 'cpu';

export interface Gain {
  readonly times: Times;
  readonly by: 'rounds' | 'slots';
}

export interface AimReading {
  readonly aim: SettingAim;
  /** Reference of the gains: the first measured setting. */
  readonly first: string;
  readonly best: string;
  /** Second-best setting; undefined if nothing else was measured. */
  readonly next: string | undefined;
  /** Ratio of the best to the second-best one. */
  readonly lead: Gain | undefined;
  /** Settings that the best one is not significantly ahead of. */
  readonly alike: readonly string[];
  /** Ratios of the others to the first. */
  readonly gains: ReadonlyMap<string, Gain>;
}

/** Recommended setting of a service, as far as the run shows one. */
export interface Recommendation {
  readonly variants: MeasuredVariants;
  readonly aims: readonly AimReading[];
  /** Settings with too many failed requests, or that were not measured. */
  readonly failing: readonly string[];
  readonly unmeasured: readonly string[];
  /** First setting if none is significantly ahead of it; undefined if each aim requires another. */
  readonly setting: string | undefined;
}

/** Services with several variants in a run. */
export function variantsIn({ services }: Pick<Run, 'services'>): readonly MeasuredVariants[] {
  const variants = services.flatMap(({ name, variant, runtime }) =>
    variant === undefined ? [] : [{ name, service: variant.of, runtime }],
  );
  return [...Map.groupBy(variants, ({ service, runtime }) => `${service} ${runtime ?? ''}`).values()].flatMap((own) =>
    own.slice(1, 2).map(({ service, runtime }) => ({ service, runtime, names: own.map(({ name }) => name) })),
  );
}

const METRIC_OF: Readonly<Record<SettingAim, MetricName>> = { rate: 'achievedRps', cpu: 'cpuMicrosPerRequest' };

/** Recommended setting of a service; undefined unless at least two were measured at saturation. */
export function recommended(variants: MeasuredVariants, evidence: StudyEvidence): Recommendation | undefined {
  const failing = variants.names.filter((name) => isFailing(name, evidence));
  const able = variants.names.filter((name) => !failing.includes(name));
  const aims = (['rate', 'cpu'] as const).flatMap((aim) => readingBy(aim, able, evidence) ?? []);
  if (aims.length === 0) {
    return undefined;
  }
  const measured = aims.flatMap(({ first, gains }) => [first, ...gains.keys()]);
  const unmeasured = able.filter((name) => !measured.includes(name));
  return { variants, aims, failing, unmeasured, setting: settingFor(aims) };
}

/** More than 1% of the requests, as for the mark `failing`. */
const MAX_FAILED = 0.01;

function isFailing(service: string, { slots, paired }: StudyEvidence): boolean {
  const cell = slots?.at({ service, operation: ALL_OPERATIONS, tier: SATURATION });
  const ratios = paired?.pairings.flatMap((pairing) => (pairing.service === service ? pairing.ratios : [])) ?? [];
  return (
    hasMark(cell, 'failing') ||
    ratios.some((one) => one.metric === 'errorRate' && one.cell.tier === SATURATION && one.other > MAX_FAILED)
  );
}

function readingBy(aim: SettingAim, names: readonly string[], evidence: StudyEvidence): AimReading | undefined {
  const gain = (own: string, against: string) => gainOf(aim, own, against, evidence);
  const first = names.find((name) => names.some((other) => other !== name && gain(other, name) !== undefined));
  if (first === undefined) {
    return undefined;
  }
  const gains = new Map(
    names.flatMap((name) => {
      const found = name === first ? undefined : gain(name, first);
      return found === undefined ? [] : [[name, found] as const];
    }),
  );
  const timesOf = (name: string): number => gains.get(name)?.times.times ?? 1;
  const ranked = [first, ...gains.keys()].toSorted((left, right) => timesOf(right) - timesOf(left));
  const [best = first, next] = ranked;
  const isAlike = (other: string): boolean => (gain(best, other)?.times.low ?? 0) <= 1;
  const lead = next === undefined ? undefined : gain(best, next);
  return { aim, first, best, next, lead, alike: ranked.slice(1).filter(isAlike), gains };
}

function gainOf(aim: SettingAim, own: string, against: string, evidence: StudyEvidence): Gain | undefined {
  const { ratio, by } = testedRatio({ service: own, against, tier: SATURATION, metric: METRIC_OF[aim] }, evidence);
  return ratio === undefined || by === undefined ? undefined : { by, times: aim === 'cpu' ? inverse(ratio) : ratio };
}

/** Setting that no aim contradicts: the first one if possible, else the best by rate, else the best by CPU time. */
function settingFor(aims: readonly AimReading[]): string | undefined {
  const candidates = aims.map(({ best, alike }) => [best, ...alike]);
  const isOpen = (name: string | undefined): boolean =>
    name !== undefined && candidates.every((names) => names.includes(name));
  const preferred = [...aims.map(({ first }) => first), ...aims.map(({ best }) => best)];
  return preferred.find(isOpen) ?? candidates[0]?.find(isOpen);
}
