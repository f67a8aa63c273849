import { isCounted, type MetricName, memberOf } from '../../model/metric.ts';
import type { Calibration } from '../../model/run/calibration.ts';
import type { PlantRecord } from '../../model/run/plant.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { isSettled } from '../verdict/coverage.ts';
import { type ComparisonResult, evidenceIn } from '../verdict/finding.ts';

/** Result of a plant in one service: found if the service regressed in the metric of the plant. */
export interface PlantResult {
  readonly service: string;
  readonly isFound: boolean;
  readonly rounds: number;
  /** Seconds from the start of the comparison to the end of the service's last round, or of the long load that shows a leak. */
  readonly seconds: number;
  /** Largest change of that metric; undefined if it was not compared. */
  readonly change: number | undefined;
  /** Smallest detectable change by the last calibration of this machine; undefined without a calibration. */
  readonly detectable: number | undefined;
}

export function plantResults(
  {
    startedAt,
    rounds: { rounds, plant = { cpu: 0 } },
    services,
    spent,
  }: Pick<RunInRounds, 'startedAt' | 'rounds' | 'services' | 'spent'>,
  result: Pick<ComparisonResult, 'answers'>,
  calibration?: Calibration,
): readonly PlantResult[] {
  return services.map(({ name: service }) => {
    const own = evidenceIn(result, 'change').filter((finding) => isOfPlant(plant, service, finding));
    const expected = calibration?.comparisons.filter((one) => isOfPlant(plant, service, one)) ?? [];
    const detectable = expected.flatMap((one) => one.detectable ?? []);
    const kept = rounds.filter((round) => round.service === service && round.outcome === 'kept');
    const ends = kept.map((round) => Date.parse(round.startedAt) / 1000 + (round.seconds?.total ?? 0));
    return {
      service,
      isFound: own.some(({ verdict }) => verdict === 'regressed'),
      rounds: kept.length,
      seconds:
        'leakBytes' in plant
          ? spent.totalSeconds
          : Math.max(0, ...ends.map((end) => end - Date.parse(startedAt) / 1000)),
      change: own.length === 0 ? undefined : Math.max(...own.map(({ change }) => change.estimate)),
      detectable: detectable.length === 0 ? undefined : Math.min(...detectable),
    };
  });
}

/** True if more rounds of a service cannot change whether its plant is found: other services and metrics do not prolong it. */
export function isPlantDecided(result: ComparisonResult, service: string, plant: PlantRecord): boolean {
  const findings = evidenceIn(result, 'change');
  const own = findings.filter((finding) => isOfPlant(plant, service, finding));
  // A row hidden by noise at one look may count at the next.
  const isHidden = findings.some(
    (one) =>
      one.cell.service === service &&
      one.metric === plantedMetric(plant) &&
      one.reason === 'not-seen' &&
      !isCounted(one.metric),
  );
  return own.length === 0 ? !isHidden : own.some(({ verdict }) => verdict === 'regressed') || own.every(isSettled);
}

function isOfPlant(plant: PlantRecord, service: string, { cell, metric, family }: PlantedRow): boolean {
  const planted = plantedMetric(plant);
  return (
    cell.service === service &&
    metric === planted &&
    (family === 'gate' || planted === 'startUpMs') &&
    memberOf(cell) === undefined
  );
}

/** Metric that a plant makes worse; the start-up does not gate unless the policy says so. */
export function plantedMetric(plant: PlantRecord): MetricName {
  if ('cpu' in plant) {
    return 'cpuMicrosPerRequest';
  }
  if ('leakBytes' in plant) {
    return 'memoryGrowthPerRequest';
  }
  return 'startMs' in plant ? 'startUpMs' : 'peakMemoryMiB';
}

interface PlantedRow extends Pick<Calibration['comparisons'][number], 'cell' | 'family'> {
  readonly metric: string;
}
