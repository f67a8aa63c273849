import { counted, formatMs, formatRate, formatRatio, formatShare } from '../../foundation/numbers.ts';
import { wordList } from '../../foundation/text.ts';
import { holdsRate, type ServiceAtTier, tierRanking } from '../../judge/reading/tier-comparison.ts';
import { type TurningPoint, turningPoints } from '../../judge/study/turning-point.ts';
import { ALL_OPERATIONS, formatMetric, METRICS, type MetricName, SATURATION } from '../../model/metric.ts';
import { isMainJob, referenceOf } from '../../model/run/comparison.ts';
import { isSameGroup } from '../../model/suite/groups.ts';
import { arrivalTiers, isStaged, leastClosedTiers } from '../../model/suite/suite.ts';
import { pairAt, type RunView, serviceLabel, tierLabel, tierLabels } from './run-view.ts';
import { cautions, trustSentences } from './trust.ts';

interface RunReading {
  /** A sentence for each service against the first one, or on what it does alone; then what must be known. */
  readonly summary: readonly string[];
  /** Where services turn. */
  readonly results: readonly string[];
  /** Limits of the results. */
  readonly limits: readonly string[];
}

/** With this many services next to the first, rounds say enough of those that have them. */
const MANY = 3;

/** Reads a run: each service against the first one. The summary leaves out services that are `reportedElsewhere`. */
export function runReading(view: RunView, reportedElsewhere: readonly string[] = []): RunReading {
  const [reference, ...others] = view.services.map(({ name }) => name);
  const limits = trustSentences(view);
  if (reference === undefined || view.run.samples.length === 0) {
    return { summary: ['Nothing was measured.'], results: [], limits };
  }
  const isCompared = (other: string): boolean => isSameGroup(view.run.suite, reference, other);
  const pairs = others.filter(isCompared).map((other) => [reference, other] as const);
  // For settings of a service there is one recommendation, and of a design one paragraph.
  const isReported = (pair: Pair): boolean =>
    isVariant(view, pair[1]) || reportedElsewhere.includes(pair[1]) || (pairs.length >= MANY && hasRounds(view, pair));
  const alone = others.filter((other) => !isCompared(other));
  return {
    summary: [
      ...(pairs.length === 0 ? [ownSentence(view, reference)] : []),
      ...pairs.filter((pair) => !isReported(pair)).map((pair) => pairSentence(view, pair)),
      ...alone.map((service) => ownSentence(view, service)),
      ...cautions(view),
    ],
    results: turningPoints(view.run).map((point) => turningSentence(view, point)),
    limits,
  };
}

function isVariant({ run }: RunView, service: string): boolean {
  return run.services.some(({ name, variant }) => name === service && variant !== undefined);
}

function turningSentence(view: RunView, point: TurningPoint): string {
  const label = serviceLabel(view, point.service);
  switch (point.kind) {
    case 'unmeasured':
      return `${label}: no tier shows a turning point.`;
    case 'none-seen':
      return `${label}: no turning point seen${point.unclear.length === 0 ? '' : `; unknown at ${tierLabels(view, point.unclear)}`}.`;
    case 'turned':
      return `${label} has its turning point at ${tierLabel(view, point.tier)}: ${causeClause(point.cause)}.`;
  }
}

function causeClause(cause: Extract<TurningPoint, { kind: 'turned' }>['cause']): string {
  return cause.kind === 'rate'
    ? `it answers ${formatRate(cause.achievedRps)} of the offered ${formatRate(cause.offeredRps)}`
    : `its p90 is ${formatMs(cause.p90Ms)} against ${formatMs(cause.lowestP90Ms)} at the lowest tier`;
}

type Pair = readonly [reference: string, other: string];

/** How a service compares with the first one at an offered rate, and what shows it. */
interface Rank {
  readonly word: (typeof RANKS)[number];
  readonly why: string;
}

const RANKS = [
  'ahead',
  'behind',
  'each ahead in something',
  'neither sustains the rate',
  'no relevant difference',
  'within the scatter of the rounds',
  'not ranked',
] as const;

/** Rank of a service at a tier with a rate; undefined if one of both was not measured there. */
export function rankAt(view: RunView, services: Pair, tier: string): Rank | undefined {
  const pair = pairAt(view, tier, services);
  const isRate = arrivalTiers(view.run.suite.tiers).some(({ name }) => name === tier);
  if (pair === undefined || !isRate) {
    return undefined;
  }
  const ranking = tierRanking(pair);
  switch (ranking.kind) {
    case 'holds-alone':
    case 'faster':
      return {
        word: ranking.ahead === pair.other ? 'ahead' : 'behind',
        why:
          ranking.kind === 'faster' ? ranking.by.map(shortName).join(', ') : `only ${ranking.ahead.label} sustains it`,
      };
    case 'unclear':
      return {
        word: 'not ranked',
        why: `load tool at its limit for ${wordList(ranking.limited.map((one) => one.label))}`,
      };
    default:
      return { word: NOBODY_AHEAD[ranking.kind], why: '' };
  }
}

const NOBODY_AHEAD = {
  mixed: 'each ahead in something',
  'neither-holds': 'neither sustains the rate',
  'no-matter': 'no relevant difference',
  'within-rounds': 'within the scatter of the rounds',
} as const;

/** "p99" for "p99 latency". */
function shortName(metric: MetricName): string {
  return METRICS[metric].title.replace(' latency', '');
}

/** "gRPC against REST: ahead at 1,000 users (p99); no relevant difference at 100 and 500 users; 1.84 times the rate at saturation." */
function pairSentence(view: RunView, pair: Pair): string {
  const ranks = view.tiers.flatMap(({ name }) => {
    const rank = rankAt(view, pair, name);
    return rank === undefined ? [] : [{ ...rank, tier: name }];
  });
  const ranked = RANKS.flatMap((word) => {
    const own = ranks.filter((one) => one.word === word);
    const reasons = [...new Set(own.map(({ why }) => why))];
    const why = reasons.length === 1 && reasons[0] !== '' ? ` (${reasons[0]})` : '';
    return own.length === 0
      ? []
      : [
          `${word} at ${namesOf(
            view,
            own.map(({ tier }) => tier),
          )}${why}`,
        ];
  });
  const parts = [
    ...ranked,
    ...fullRateClauses(view, pair),
    ...(hasRounds(view, pair) ? [] : saturationClause(view, pair)),
  ];
  const [reference, other] = pair.map((name) => serviceLabel(view, name));
  return `${other} against ${reference}: ${parts.length === 0 ? 'not measured together at any tier' : parts.join('; ')}.`;
}

/** More tiers are counted, and not named. */
const MOST_NAMED = 3;

function namesOf(view: RunView, tiers: readonly string[]): string {
  return tiers.length > MOST_NAMED ? counted(tiers.length, 'load') : tierLabels(view, tiers);
}

/** Ratio of the rates in tiers without think time, of the same operations that with the fewest users, and of users who come and go. */
function fullRateClauses(view: RunView, pair: Pair): readonly string[] {
  const { tiers } = view.run.suite;
  const measured = [...leastClosedTiers(tiers), ...tiers.filter(isStaged)].flatMap(({ name }) => {
    const found = pairAt(view, name, pair);
    return found === undefined ? [] : [{ name, ratio: isSpoiled(found) ? undefined : ratioOf(found, 'achievedRps') }];
  });
  const ratios = measured.flatMap(({ ratio }) => ratio ?? []);
  const placesIf = (isRanked: boolean) =>
    namesOf(
      view,
      measured.filter(({ ratio }) => (ratio !== undefined) === isRanked).map(({ name }) => name),
    );
  const range = [Math.min(...ratios), Math.max(...ratios)].map(formatRatio).join(' to ');
  const times = ratios.length > MOST_NAMED ? range : wordList(ratios.map(formatRatio));
  return [
    ...(ratios.length === 0 ? [] : [`${times} times the rate at ${placesIf(true)}`]),
    ...(ratios.length === measured.length ? [] : [`not ranked at ${placesIf(false)}`]),
  ];
}

function saturationClause(view: RunView, services: Pair): readonly string[] {
  const pair = pairAt(view, SATURATION, services);
  const spoiled = pair === undefined ? [] : [pair.reference, pair.other].flatMap(spoiledClause);
  const place = `at ${tierLabel(view, SATURATION)}`;
  if (pair === undefined || spoiled.length > 0) {
    return pair === undefined ? [] : [`not ranked ${place}: ${spoiled.join(', ')}`];
  }
  const [rate, cpu] = [ratioOf(pair, 'achievedRps'), ratioOf(pair, 'cpuMicrosPerRequest')];
  const cost = cpu === undefined ? '' : `, with ${formatRatio(cpu)} times the CPU time per request`;
  return rate === undefined ? [] : [`${formatRatio(rate)} times the rate ${place}${cost}`];
}

/** Reasons for which a closed loop does not show what a service can do; mostly none. */
function spoiledClause({ label, cell }: ServiceAtTier): readonly string[] {
  const { serviceCpuShare, errorRate } = cell.figures;
  return cell.marks.flatMap(({ mark }) => {
    switch (mark) {
      case 'generator-limited':
        return [`the load tool reached its limit before ${label} did`];
      case 'not-saturated':
        return [`${label}'s core was busy for only ${formatShare(serviceCpuShare?.median ?? 0)}`];
      case 'failing':
        return [`${formatShare(errorRate?.median ?? 0)} of ${label}'s requests failed`];
      default:
        return [];
    }
  });
}

type PairAt = NonNullable<ReturnType<typeof pairAt>>;

function isSpoiled({ reference, other }: PairAt): boolean {
  return [reference, other].flatMap(spoiledClause).length > 0;
}

function ratioOf({ reference, other }: PairAt, metric: MetricName): number | undefined {
  const [left, right] = [reference, other].map(({ cell }) => cell.figures[metric]?.median);
  return left === undefined || left === 0 || right === undefined ? undefined : right / left;
}

/** Rounds say how much more one does than the other, and how sure that is: slots of another time would only contradict them. */
function hasRounds({ run }: RunView, [reference, other]: Pair): boolean {
  if (!isMainJob(run)) {
    return false;
  }
  const { versus, rounds } = run.versus.rounds;
  return (
    referenceOf(versus, other) === reference &&
    rounds.some(({ service, outcome }) => service === other && outcome === 'kept')
  );
}

/** Sentence on a service that is compared with none: "gRPC sustains 3,333/s with a p99 of 5.98 ms at 1,000 users, and serves 8,260/s at saturation." */
function ownSentence(view: RunView, service: string): string {
  const label = serviceLabel(view, service);
  const places = view.tiers.flatMap((tier) => {
    const cell = view.cells.at({ service, operation: ALL_OPERATIONS, tier: tier.name });
    return cell === undefined ? [] : [{ tier, cell, label }];
  });
  const tiers = places.filter(({ tier }) => !tier.isSaturation);
  const shown = tiers.findLast((one) => one.cell.offeredRps !== undefined && holdsRate(one)) ?? tiers.at(-1);
  const full = places.find(({ tier }) => tier.isSaturation);
  const spoiled = full === undefined ? [] : spoiledClause(full);
  const rateOf = ({ cell }: (typeof places)[number]) => formatRate(cell.figures.achievedRps?.median ?? 0);
  const parts = [
    ...(shown === undefined ? [] : [`${heldClause(shown)} at ${shown.tier.label}`]),
    ...(full === undefined || spoiled.length > 0 ? [] : [`serves ${rateOf(full)} at saturation`]),
  ];
  const capacity = spoiled.length === 0 ? '' : ` Its capacity is unknown: ${spoiled.join('; ')}.`;
  return `${label} ${parts.length === 0 ? 'was measured at no tier' : parts.join(', and ')}.${capacity}`;
}

function heldClause(service: ServiceAtTier): string {
  const { offeredRps, figures } = service.cell;
  const [rate, p99] = [formatRate(figures.achievedRps?.median ?? 0), figures.latencyP99Ms];
  const isHeld = offeredRps !== undefined && holdsRate(service);
  const of = offeredRps === undefined || isHeld ? '' : ` of ${formatRate(offeredRps)}`;
  const tail = p99 === undefined ? '' : ` with a p99 of ${formatMetric('latencyP99Ms', p99.median)}`;
  return `${isHeld ? 'sustains' : of === '' ? 'serves' : 'serves only'} ${rate}${of}${tail}`;
}
