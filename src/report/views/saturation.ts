import { counted, formatCount, formatRatio, formatShare } from '../../foundation/numbers.ts';
import { wordList } from '../../foundation/text.ts';
import { changeFrom, holdsRate, type ServiceAtTier, type TierPair } from '../../judge/reading/tier-comparison.ts';
import type { MetricName } from '../../model/metric.ts';
import { ALL_OPERATIONS, formatMetric, SATURATION } from '../../model/metric.ts';
import type { Mark } from '../../model/sample/mark.ts';
import { arrivalTiers, isStaged, leastClosedTiers } from '../../model/suite/suite.ts';
import { isPlainTitle, pairAt, type RunView, tierLabel, tierLabels } from './run-view.ts';
import { sweepOf } from './sweep.ts';

/** Marks under which a closed loop does not show a capacity, and the reason in words. */
const SPOILED: Partial<Record<Mark, (service: ServiceAtTier) => string>> = {
  'generator-limited': ({ label }) => `the load tool was at its limit for ${label}`,
  'not-saturated': ({ label, cell }) =>
    `${label}'s core was busy for only ${formatShare(cell.figures.serviceCpuShare?.median ?? 0)}`,
  failing: ({ label, cell }) => `${formatShare(cell.figures.errorRate?.median ?? 0)} of ${label}'s requests failed`,
};

/** One sentence on what two services do at saturation, or in a tier without think time; undefined if one was not measured there. */
export function saturationSentence(
  view: RunView,
  services: readonly [string, string],
  tier = SATURATION,
): string | undefined {
  const pair = pairAt(view, tier, services);
  if (pair === undefined) {
    return undefined;
  }
  const place = `At ${tierLabel(view, tier)}`;
  const spoiled = spoiledClauses(pair);
  if (spoiled.length > 0) {
    return `${place} there is no ranking: ${spoiled.join('; ')}.`;
  }
  const clauses = [capacityClause(pair), cpuClause(pair)].filter((clause) => clause !== undefined);
  return clauses.length === 0 ? undefined : `${place} ${clauses.join(', ')}.`;
}

/**
 * How two services stand in tiers without think time, in a few words: "1.4 and 2.1 times the rate at 16 users at full rate (Get) and 16
 * users at full rate (List)". Of tiers with the same operations that with the fewest users; of a sweep its line at full rate: "1.3 and
 * 12.7 times the rate with 1 and 1,000 objects in an answer (16 users at full rate)"; and in those of users who come and go. Nothing if
 * there are none. With `isRankedAlone` nothing is said of those that rank nothing.
 */
export function saturationDigest(view: RunView, services: readonly [string, string], isRankedAlone = false): string {
  const { tiers, where } = fullPlaces(view);
  const pairs = tiers.flatMap((tier) => pairAt(view, tier, services) ?? []);
  const ratios = pairs.map((pair) => (spoiledClauses(pair).length > 0 ? undefined : ratioOf(pair, 'achievedRps')));
  const tiersIf = (isRanked: boolean): readonly string[] =>
    pairs.filter((_, index) => (ratios[index] !== undefined) === isRanked).map(({ tier }) => tier);
  const times = ratios.flatMap((ratio) => (ratio === undefined ? [] : [formatRatio(ratio)]));
  const open = isRankedAlone ? [] : tiersIf(false);
  return [
    ...(times.length === 0 ? [] : [`${wordList(times)} times the rate ${where(tiersIf(true))}`]),
    ...(open.length === 0
      ? []
      : [`not ranked ${open.length > MOST_NAMED ? `at ${counted(open.length, 'other load')}` : where(open)}`]),
  ].join('; ');
}

/** More loads than these are counted: what each shows is said further down. */
const MOST_NAMED = 2;

/** The same at saturation: "1.84 times the rate at saturation"; nothing if it was not measured, or ranks nothing. */
export function capacityDigest(view: RunView, services: readonly [string, string]): string {
  const pair = pairAt(view, SATURATION, services);
  const ratio = pair === undefined || spoiledClauses(pair).length > 0 ? undefined : ratioOf(pair, 'achievedRps');
  return ratio === undefined ? '' : `${formatRatio(ratio)} times the rate at ${tierLabel(view, SATURATION)}`;
}

/** The tiers that show what services can do, and words for some of them. */
interface FullPlaces {
  readonly tiers: readonly string[];
  readonly where: (tiers: readonly string[]) => string;
}

/** The tiers that show what services can do: those of a sweep at full rate, else the others without think time, and those of users who come and go. */
export function fullTiers(view: RunView): readonly string[] {
  return fullPlaces(view).tiers;
}

function fullPlaces(view: RunView): FullPlaces {
  const sweep = sweepOf(view);
  const line = sweep?.lines.find(({ isFullRate }) => isFullRate);
  if (sweep === undefined || line === undefined || !isPlainTitle(sweep.title)) {
    const { tiers: all } = view.run.suite;
    const tiers = [...leastClosedTiers(all), ...all.filter(isStaged)].map(({ name }) => name);
    return { tiers, where: (names) => `at ${tierLabels(view, names)}` };
  }
  return {
    tiers: line.points.map(({ tier }) => tier),
    where: (names) => {
      const counts = line.points.filter(({ tier }) => names.includes(tier)).map(({ at }) => formatCount(at));
      return `with ${wordList(counts)} ${sweep.title} (${line.label})`;
    },
  };
}

function spoiledClauses({ reference, other }: TierPair): readonly string[] {
  return [reference, other].flatMap(spoiledClause);
}

/** What one service does at saturation; undefined if it was not measured there. */
export function ownSaturationSentence(view: RunView, service: string, label: string): string | undefined {
  const cell = view.cells.at({ service, operation: ALL_OPERATIONS, tier: SATURATION });
  const rate = cell?.figures.achievedRps;
  if (cell === undefined || rate === undefined) {
    return undefined;
  }
  const spoiled = spoiledClause({ label, cell });
  if (spoiled.length > 0) {
    return `The capacity of ${label} is unknown: ${spoiled.join('; ')}.`;
  }
  const cpu = cell.figures.cpuMicrosPerRequest;
  const cost = cpu === undefined ? '' : `, with ${formatMetric('cpuMicrosPerRequest', cpu.median)} of CPU time each`;
  return `At saturation ${label} answers ${formatMetric('achievedRps', rate.median)}${cost}.`;
}

/** CPU time per request at the tiers whose offered rate both hold; compared nowhere else, since it depends on the load. */
export function equalLoadSentence(view: RunView, services: readonly [string, string]): string | undefined {
  const texts = arrivalTiers(view.run.suite.tiers).flatMap(({ name }) => {
    const pair = pairAt(view, name, services);
    const isEqualLoad = pair !== undefined && holdsRate(pair.reference) && holdsRate(pair.other);
    const ratio = isEqualLoad ? ratioOf(pair, 'cpuMicrosPerRequest') : undefined;
    return ratio === undefined ? [] : [`${formatRatio(ratio)} at ${tierLabel(view, name)}`];
  });
  const [reference, other] = services.map((name) => view.services.find((one) => one.name === name)?.label ?? name);
  return texts.length === 0
    ? undefined
    : `Service CPU time per request at equal load, ${other} as a multiple of ${reference}: ${texts.join(', ')}.`;
}

function capacityClause(pair: TierPair): string | undefined {
  const { reference, other } = pair;
  const [left, right] = [reference, other].map(({ cell }) => cell.figures.achievedRps);
  const ratio = ratioOf(pair, 'achievedRps');
  if (left === undefined || right === undefined || ratio === undefined) {
    return undefined;
  }
  const [now, before] = [right, left].map(({ median }) => formatMetric('achievedRps', median));
  const standing = changeFrom('achievedRps', left, right)?.standing;
  if (standing === 'same' || standing === 'overlapping') {
    return `${other.label} and ${reference.label} answer at about the same rate (${now} and ${before})`;
  }
  return `${other.label} answers ${now}, ${formatRatio(ratio)} times ${reference.label}'s ${before}`;
}

function cpuClause(pair: TierPair): string | undefined {
  const ratio = ratioOf(pair, 'cpuMicrosPerRequest');
  if (ratio === undefined) {
    return undefined;
  }
  const [before, now] = [pair.reference, pair.other].map(({ cell }) =>
    formatMetric('cpuMicrosPerRequest', cell.figures.cpuMicrosPerRequest?.median ?? 0),
  );
  return `with ${formatRatio(ratio)} times the CPU time per request (${now} against ${before})`;
}

function ratioOf({ reference, other }: TierPair, metric: MetricName): number | undefined {
  const [left, right] = [reference, other].map(({ cell }) => cell.figures[metric]?.median);
  return left === undefined || left === 0 || right === undefined ? undefined : right / left;
}

/** Why a closed loop, or a tier without think time, does not show what a service can do; mostly nothing. */
export function spoiledClause(service: ServiceAtTier): readonly string[] {
  return service.cell.marks.flatMap(({ mark }) => {
    const reason = SPOILED[mark];
    return reason === undefined ? [] : [reason(service)];
  });
}
