import type { MetricName } from './metric.ts';
import { changeOf } from './reading-change.ts';
import { formatMetric, formatRatio, formatShare } from './reading-numbers.ts';
import { holdsRate, pairAt, type ServiceAtTier, type TierPair } from './reading-standing.ts';
import { type RunView, tierLabel } from './reading-view.ts';
import { ALL_OPERATIONS, type Mark, SATURATION } from './sample.ts';

/** Marks under which a closed loop does not show a capacity, and the reason in words. */
const SPOILED: Partial<Record<Mark, (service: ServiceAtTier) => string>> = {
  'generator-limited': ({ label }) => `the load tool was at its own limit for ${label}`,
  'not-saturated': ({ label, cell }) =>
    `${label}'s core was in use for only ${formatShare(cell.figures.serviceCpuShare?.median ?? 0)}`,
  failing: ({ label, cell }) => `${formatShare(cell.figures.errorRate?.median ?? 0)} of ${label}'s requests failed`,
};

/** One sentence on what two services do at saturation; undefined where one of them was not measured there. */
export function capacitySentence(view: RunView, services: readonly [string, string]): string | undefined {
  const pair = pairAt(view, SATURATION, services);
  if (pair === undefined) {
    return undefined;
  }
  const spoiled = [pair.reference, pair.other].flatMap(spoiledClause);
  if (spoiled.length > 0) {
    return `At saturation there is no ranking: ${spoiled.join('; ')}.`;
  }
  const clauses = [capacityClause(pair), cpuClause(pair)].filter((clause) => clause !== undefined);
  return clauses.length === 0 ? undefined : `At saturation ${clauses.join(', ')}.`;
}

/** What one service does at saturation; undefined where it was not measured there. */
export function ownCapacitySentence(view: RunView, service: string, label: string): string | undefined {
  const cell = view.cells.at({ service, operation: ALL_OPERATIONS, tier: SATURATION });
  const rate = cell?.figures.achievedRps;
  if (cell === undefined || rate === undefined) {
    return undefined;
  }
  const spoiled = spoiledClause({ label, cell });
  if (spoiled.length > 0) {
    return `What ${label} does at most is not known: ${spoiled.join('; ')}.`;
  }
  const cpu = cell.figures.cpuMicrosPerRequest;
  const cost = cpu === undefined ? '' : `, with ${formatMetric('cpuMicrosPerRequest', cpu.median)} of CPU time each`;
  return `At saturation ${label} answers ${formatMetric('achievedRps', rate.median)}${cost}.`;
}

/** CPU time per request at the tiers whose offered rate both hold; compared nowhere else, since it depends on the load. */
export function equalLoadSentence(view: RunView, services: readonly [string, string]): string | undefined {
  const texts = view.run.suite.tiers.flatMap(({ name }) => {
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
  const standing = changeOf('achievedRps', left, right)?.standing;
  if (standing === 'same' || standing === 'overlapping') {
    return `${other.label} and ${reference.label} answer about as much (${now} and ${before})`;
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

function spoiledClause(service: ServiceAtTier): readonly string[] {
  return service.cell.marks.flatMap(({ mark }) => {
    const reason = SPOILED[mark];
    return reason === undefined ? [] : [reason(service)];
  });
}
