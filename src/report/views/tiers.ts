import { counted, formatChange, formatMs, formatRate, formatShare, NO_FIGURE } from '../../foundation/numbers.ts';
import { wordList } from '../../foundation/text.ts';
import type { Figure } from '../../judge/reading/cells.ts';
import {
  difference,
  isGeneratorLimited,
  type ServiceAtTier,
  type TierPair,
  type TierRanking,
  tierRanking,
} from '../../judge/reading/tier-comparison.ts';
import { formatMetric, METRICS, type MetricName } from '../../model/metric.ts';
import { pairAt, type RunView, tierLabel, tierLabels } from './run-view.ts';

/** One sentence on how two services stand at a tier, from their figures over all operations. */
export function tierSentence(view: RunView, pair: TierPair): string {
  return `At ${tierLabel(view, pair.tier)} ${clause(pair, tierRanking(pair))}.`;
}

/** One sentence on what users who come and go met at two services; undefined if one was not measured there. */
export function stagedSentence(view: RunView, services: readonly [string, string], tier: string): string | undefined {
  const pair = pairAt(view, tier, services);
  if (pair === undefined) {
    return undefined;
  }
  const both = [pair.reference, pair.other];
  const limited = both.filter(isGeneratorLimited);
  const answers = both.map((service) => `${rateOf(service)} (${ownFigures(service)})`);
  const limit = limited.length === 0 ? '' : `, with the load tool at its limit for ${names(limited)}`;
  return `At ${tierLabel(view, tier)}: ${wordList(answers)}${limit}.`;
}

function ownFigures({ cell }: ServiceAtTier): string {
  return (['latencyP50Ms', 'latencyP99Ms'] as const)
    .map((metric) => `${shortName(metric)} ${shown(metric, cell.figures[metric])}`)
    .join(', ');
}

/** The same of tiers with a rate in a few words for a summary line, for example "ahead at 1,000 users (p99 3 ms against 17 ms)". */
export function tierDigest(view: RunView, pairs: readonly TierPair[]): string {
  const parts = [
    ...pairs.flatMap((pair) => digestOf(view, pair)),
    ...listed('no relevant difference at', view, pairs.filter(isNoMatter)),
    ...listed('within the scatter of their rounds at', view, pairs.filter(isWithinRounds)),
    ...listed('not ranked at', view, pairs.filter(isUnclear)),
  ];
  return parts.join('; ');
}

/** The same in figures for one of many services: "ahead at 1, behind at 2 of 4 rates"; nothing if nothing is ranked. */
export function tierCounts(pairs: readonly TierPair[]): string {
  const words = pairs.map(countedAs);
  const parts = COUNTED_AS.flatMap((word) => {
    const count = words.filter((one) => one === word).length;
    return count === 0 ? [] : [`${word} at ${count}`];
  });
  return parts.length === 0 ? '' : `${parts.join(', ')} of ${counted(pairs.length, 'rate')}`;
}

const COUNTED_AS = ['ahead', 'behind', 'each ahead in something', 'neither holds it', 'no clear difference'] as const;

/** Undefined if nothing is ranked there. */
function countedAs(pair: TierPair): (typeof COUNTED_AS)[number] | undefined {
  const standing = tierRanking(pair);
  switch (standing.kind) {
    case 'holds-alone':
    case 'faster':
      return standing.ahead.label === pair.other.label ? 'ahead' : 'behind';
    case 'mixed':
      return 'each ahead in something';
    case 'neither-holds':
      return 'neither holds it';
    case 'no-matter':
    case 'within-rounds':
      return 'no clear difference';
    case 'unclear':
      return undefined;
  }
}

function clause(pair: TierPair, standing: TierRanking): string {
  switch (standing.kind) {
    case 'unclear':
      return `there is no ranking: the load tool was at its limit for ${names(standing.limited)}`;
    case 'holds-alone':
      return `only ${standing.ahead.label} holds the offered ${offered(pair)}: ${rates([standing.ahead, standing.behind])}`;
    case 'neither-holds':
      return `neither ${pair.reference.label} nor ${pair.other.label} holds the offered ${offered(pair)}: ${rates([pair.reference, pair.other])}`;
    case 'faster':
      return `${standing.ahead.label} is ahead of ${standing.behind.label}: ${advantage(standing)}; both hold the offered ${offered(pair)}`;
    case 'mixed':
      return `${both(pair)} are each ahead in something: ${figures(pair)}; both hold the offered ${offered(pair)}`;
    case 'within-rounds':
      return `${both(pair)} differ by no more than their rounds: ${figures(pair)}; both hold the offered ${offered(pair)}`;
    case 'no-matter':
      return standing.isIndistinguishable ? indistinguishable(pair) : noMatter(pair);
  }
}

function indistinguishable(pair: TierPair): string {
  return `${both(pair)} show no clear difference: both hold the offered ${offered(pair)}, with ${figures(pair)}`;
}

function noMatter(pair: TierPair): string {
  const [p50, p99] = [difference(pair, 'latencyP50Ms'), difference(pair, 'latencyP99Ms')];
  const differences =
    Number.isFinite(p50) && Number.isFinite(p99)
      ? `p50 differs by ${formatMs(p50)}, p99 by ${formatMs(p99)}`
      : 'and no latency shows a difference';
  return `${both(pair)} differ too little to matter: both hold the offered ${offered(pair)}, ${differences}`;
}

function digestOf(view: RunView, pair: TierPair): readonly string[] {
  const standing = tierRanking(pair);
  const at = `at ${tierLabel(view, pair.tier)}`;
  const word = 'ahead' in standing && standing.ahead.label === pair.other.label ? 'ahead' : 'behind';
  switch (standing.kind) {
    case 'holds-alone':
      return [`${word} ${at} (${rates([pair.other, pair.reference])})`];
    case 'faster':
      return [`${word} ${at} (${firstAdvantage(pair, standing)})`];
    case 'neither-holds':
      return [`neither holds the rate ${at} (${rates([pair.other, pair.reference])})`];
    case 'mixed':
      return [`each ahead in something ${at}`];
    default:
      return [];
  }
}

function isNoMatter(pair: TierPair): boolean {
  return tierRanking(pair).kind === 'no-matter';
}

function isWithinRounds(pair: TierPair): boolean {
  return tierRanking(pair).kind === 'within-rounds';
}

function isUnclear(pair: TierPair): boolean {
  return [pair.reference, pair.other].some(isGeneratorLimited);
}

function listed(words: string, view: RunView, pairs: readonly TierPair[]): readonly string[] {
  return pairs.length === 0
    ? []
    : [
        `${words} ${tierLabels(
          view,
          pairs.map(({ tier }) => tier),
        )}`,
      ];
}

function advantage({ ahead, behind, by }: Extract<TierRanking, { kind: 'faster' }>): string {
  return by
    .toReversed()
    .map((metric) => `${against(metric, ahead.cell.figures[metric], behind.cell.figures[metric])}`)
    .join('; ');
}

function firstAdvantage({ reference, other }: TierPair, { by }: Extract<TierRanking, { kind: 'faster' }>): string {
  const metric = by[0] ?? 'latencyP99Ms';
  return against(metric, other.cell.figures[metric], reference.cell.figures[metric]);
}

/** "p99 24.9 ms against 178 ms (−86%)". */
function against(metric: MetricName, left: Figure | undefined, right: Figure | undefined): string {
  if (left === undefined || right === undefined) {
    return '';
  }
  const change = right.median === 0 ? '' : `, ${formatChange(left.median / right.median - 1)}`;
  return `${shortName(metric)} ${formatMetric(metric, left.median)} against ${formatMetric(metric, right.median)}${change}`;
}

function figures({ reference, other }: TierPair): string {
  const names = ['latencyP50Ms', 'latencyP99Ms'] as const;
  const texts = names.map((metric) => {
    const [left, right] = [reference, other].map(({ cell }) => shown(metric, cell.figures[metric]));
    return `${shortName(metric)} ${left} (${reference.label}) and ${right} (${other.label})`;
  });
  return texts.join(', ');
}

function shown(metric: MetricName, figure: Figure | undefined): string {
  return figure === undefined ? NO_FIGURE : formatMetric(metric, figure.median);
}

function rates(services: readonly ServiceAtTier[]): string {
  return services.map(rateOf).join(', ');
}

function rateOf({ label, cell }: ServiceAtTier): string {
  const errors = cell.figures.errorRate?.median ?? 0;
  const failing = errors > 0.01 ? ` with ${formatShare(errors)} errors` : '';
  return `${label} ${formatRate(cell.figures.achievedRps?.median ?? 0)}${failing}`;
}

function offered({ reference }: TierPair): string {
  return reference.cell.offeredRps === undefined ? 'rate' : formatRate(reference.cell.offeredRps);
}

function names(services: readonly ServiceAtTier[]): string {
  return wordList(services.map(({ label }) => label));
}

function both({ reference, other }: TierPair): string {
  return names([reference, other]);
}

/** "p99" for "p99 latency". */
function shortName(metric: MetricName): string {
  return METRICS[metric].title.replace(' latency', '');
}
