import { formatMs, formatRate } from '../../foundation/numbers.ts';
import { holdsRate } from '../../judge/reading/tier-comparison.ts';
import { type TurningPoint, turningPoints } from '../../judge/study/turning-point.ts';
import { ALL_OPERATIONS, formatMetric, SATURATION } from '../../model/metric.ts';
import { isMainJob, referenceOf } from '../../model/run/comparison.ts';
import { isSameGroup } from '../../model/suite/groups.ts';
import { arrivalTiers, type ClosedTier, isClosed, isStaged, leastClosedTiers } from '../../model/suite/suite.ts';
import { pairAt, type RunView, serviceLabel, tierLabel, tierLabels } from './run-view.ts';
import {
  capacityDigest,
  equalLoadSentence,
  fullTiers,
  ownSaturationSentence,
  saturationDigest,
  saturationSentence,
} from './saturation.ts';
import { stagedSentence, tierCounts, tierDigest, tierSentence } from './tiers.ts';
import { cautions, trustSentences } from './trust.ts';
import { type ComparedAt, comparedAt, unrankedReasons, unrankedSentence } from './unranked.ts';

/** A run in plain words; every sentence follows from its figures, and none says more than they show. */
export interface RunReading {
  /** Two lines for each service that is compared with the reference, or one if there are many, or two for the only one; then what must be known. */
  readonly summary: readonly string[];
  /** Who is ahead, where, by how much, and where it does not matter. */
  readonly results: readonly string[];
  /** What limits trust in the results. */
  readonly limits: readonly string[];
}

/** With at least this many services beside the first, each has one sentence. */
const MANY = 3;

/**
 * Reads a run: tiers, capacity and turning points of each service against the first one. The summary says nothing of services that are
 * `toldElsewhere`.
 */
export function runReading(view: RunView, toldElsewhere: readonly string[] = []): RunReading {
  const [reference, ...others] = view.services.map(({ name }) => name);
  const isEmpty = view.run.samples.length === 0;
  if (reference === undefined || isEmpty) {
    return { summary: ['Nothing was measured.'], results: [], limits: trustSentences(view) };
  }
  const isCompared = (other: string): boolean => isSameGroup(view.run.suite, reference, other);
  const pairs = others.filter(isCompared).map((other) => [reference, other] as const);
  const alone = others.filter((other) => !isCompared(other));
  const isMany = pairs.length >= MANY;
  // Of settings of a service there is one recommendation, of a design one paragraph, and rounds have sentences of their own.
  const isTold = (pair: Pair): boolean =>
    isVariant(view, pair[1]) || toldElsewhere.includes(pair[1]) || (isMany && hasRounds(view, pair));
  const told = pairs.filter((pair) => !isTold(pair));
  const compared = isMany ? pairs.flatMap((pair) => comparedPlaces(view, pair)) : [];
  const beside = isMany ? manySummary(view, told) : told.flatMap((pair) => pairSummary(view, pair));
  const turning = turningPoints(view.run).map((point) => turningSentence(view, point));
  return {
    summary: [
      ...(pairs.length === 0 ? ownSummary(view, reference) : beside),
      ...alone.flatMap((service) => ownSummary(view, service)),
      ...unrankedSentence(view, compared),
      ...cautions(view),
    ],
    results: [
      ...pairs.flatMap((pair) => pairResults(view, pair, isMany)),
      ...unrankedReasons(view, compared),
      ...turning,
    ],
    limits: trustSentences(view),
  };
}

function isVariant({ run }: RunView, service: string): boolean {
  return run.services.some(({ name, variant }) => name === service && variant !== undefined);
}

/** One sentence on where a service turns, or that it was not seen to. */
export function turningSentence(view: RunView, point: TurningPoint): string {
  const label = serviceLabel(view, point.service);
  switch (point.kind) {
    case 'unmeasured':
      return `${label}: no tier shows a turning point.`;
    case 'none-seen':
      return `${label}: no turning point seen${unclearClause(view, point.unclear)}.`;
    case 'turned':
      return `${label} has its turning point at ${tierLabel(view, point.tier)}: ${causeClause(point.cause)}.`;
  }
}

function causeClause(cause: Extract<TurningPoint, { kind: 'turned' }>['cause']): string {
  return cause.kind === 'rate'
    ? `it answers ${formatRate(cause.achievedRps)} of the offered ${formatRate(cause.offeredRps)}`
    : `its p90 is ${formatMs(cause.p90Ms)} against ${formatMs(cause.lowestP90Ms)} at the lowest tier`;
}

function unclearClause(view: RunView, unclear: readonly string[]): string {
  return unclear.length === 0 ? '' : `; unknown at ${tierLabels(view, unclear)}`;
}

type Pair = readonly [reference: string, other: string];

function pairSummary(view: RunView, pair: Pair): readonly string[] {
  const digest = [tierDigest(view, tierPairs(view, pair)), saturationDigest(view, pair)].filter((part) => part !== '');
  const [reference, other] = pair.map((name) => serviceLabel(view, name));
  const tiers = digest.length === 0 ? 'not measured together at any tier' : digest.join('; ');
  const capacity = hasRounds(view, pair) ? undefined : saturationSentence(view, pair);
  return [`${other} against ${reference}: ${tiers}.`, ...(capacity === undefined ? [] : [capacity])];
}

/** The services against the first one, which is named once, each in one sentence. */
function manySummary(view: RunView, pairs: readonly Pair[]): readonly string[] {
  const sentences = pairs.map((pair) => {
    const parts = [tierCounts(tierPairs(view, pair)), saturationDigest(view, pair, true), capacityDigest(view, pair)];
    const digest = parts.filter((part) => part !== '');
    return `${serviceLabel(view, pair[1])}: ${digest.length === 0 ? 'not ranked at any tier' : digest.join('; ')}.`;
  });
  return pairs.length === 0 ? [] : [`Each service against ${serviceLabel(view, pairs[0]?.[0] ?? '')}:`, ...sentences];
}

/** Where two services were measured, but for what rounds have. */
function comparedPlaces(view: RunView, pair: Pair): readonly ComparedAt[] {
  const rates = arrivalTiers(view.run.suite.tiers);
  const places = [...rates.map(({ name }) => name), ...fullTiers(view)];
  return [...places, ...(hasRounds(view, pair) ? [] : [SATURATION])].flatMap(
    (tier) => comparedAt(view, pair, tier) ?? [],
  );
}

/** With `isRankedAlone` nothing is said of the place if nothing is ranked. */
function pairResults(view: RunView, pair: Pair, isRankedAlone: boolean): readonly string[] {
  const isTold = (tier: string): boolean => !isRankedAlone || comparedAt(view, pair, tier)?.spoiled.length === 0;
  const tiers = tierPairs(view, pair)
    .filter(({ tier }) => isTold(tier))
    .map((tierPair) => tierSentence(view, tierPair));
  const closed = closedTiers(view)
    .filter(({ name }) => isTold(name))
    .map(({ name }) => saturationSentence(view, pair, name));
  const staged = view.run.suite.tiers.filter(isStaged).map(({ name }) => stagedSentence(view, pair, name));
  const capacity = hasRounds(view, pair)
    ? []
    : [isTold(SATURATION) ? saturationSentence(view, pair) : undefined, equalLoadSentence(view, pair)];
  return [...tiers, ...[...closed, ...staged, ...capacity].filter((sentence) => sentence !== undefined)];
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

function tierPairs(view: RunView, pair: Pair) {
  return arrivalTiers(view.run.suite.tiers).flatMap(({ name }) => pairAt(view, name, pair) ?? []);
}

/** Without those of a sweep, which has a section of its own with a table of how services stand. */
function closedTiers({ run }: RunView): readonly ClosedTier[] {
  const { sweep, tiers } = run.suite;
  return sweep === undefined
    ? tiers.filter(isClosed)
    : leastClosedTiers(tiers).filter(({ name }) => sweep.points.every(({ tier }) => tier !== name));
}

function ownSummary(view: RunView, service: string): readonly string[] {
  const label = serviceLabel(view, service);
  const tiers = view.run.suite.tiers.flatMap(({ name }) => {
    const cell = view.cells.at({ service, operation: ALL_OPERATIONS, tier: name });
    return cell === undefined ? [] : [ownTier({ label, cell }, tierLabel(view, name))];
  });
  const capacity = ownSaturationSentence(view, service, label);
  return [
    `${label}: ${tiers.length === 0 ? 'measured at no tier' : tiers.join('; ')}.`,
    ...(capacity ? [capacity] : []),
  ];
}

function ownTier(service: Parameters<typeof holdsRate>[0], tier: string): string {
  const { achievedRps, latencyP99Ms } = service.cell.figures;
  const rate = formatRate(achievedRps?.median ?? 0);
  const { offeredRps } = service.cell;
  const answers = offeredRps === undefined ? 'answers' : 'answers only';
  const held = offeredRps !== undefined && holdsRate(service) ? `holds ${rate}` : `${answers} ${rate}`;
  const offered = offeredRps === undefined || holdsRate(service) ? '' : ` of ${formatRate(offeredRps)}`;
  const p99 = latencyP99Ms === undefined ? '' : ` with a p99 of ${formatMetric('latencyP99Ms', latencyP99Ms.median)}`;
  return `${held}${offered}${p99} at ${tier}`;
}
