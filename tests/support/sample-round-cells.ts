import type { MetricName } from '../../src/model/metric.ts';
import type { Run } from '../../src/model/run/run.ts';
import type { Mark } from '../../src/model/sample/mark.ts';
import { MEASURED_SECONDS, type ServiceName, samplesAt } from './sample-cells.ts';
import { seeded } from './sample-latencies.ts';

type Sample = Run['samples'][number];

/** How made-up rounds differ from each other and from side to side. */
export interface RoundShape {
  /** Multiplies the usual noise of a 2-core machine; 0 makes every round the same. */
  readonly noise?: number;
  /** What is worse in one version, by so much: 0.1 is 10% slower, dearer or fewer. Fields that are left out match all, but for memory. */
  readonly worse?: readonly Worse[];
  /** Marks of the samples of "service/tier", in both versions. */
  readonly marks?: Readonly<Record<string, readonly Mark[]>>;
  /** Share of the requests that fail. */
  readonly errors?: readonly (Partial<Worse> & { readonly rate: number })[];
  /** Changes or drops (by undefined) single samples after all else. */
  readonly mend?: (sample: Sample) => Sample | undefined;
}

interface Worse {
  readonly service?: string;
  readonly operation?: string;
  readonly tier?: string;
  readonly metric?: MetricName;
  /** Default: head. */
  readonly side?: 'base' | 'head';
  readonly by: number;
}

/** All that one side of a service did at one tier in one round. */
export interface RoundPlace {
  readonly service: ServiceName;
  readonly tier: string;
  readonly round: number;
  readonly side: 'base' | 'head';
  readonly position: number;
  readonly seed: number;
}

/** Standard deviation of the log ratio of one round: at saturation and at the tiers (measured on 2 cores). */
const NOISE: Readonly<Partial<Record<MetricName, readonly [saturated: number, tier: number]>>> = {
  cpuMicrosPerRequest: [0.019, 0.05],
  achievedRps: [0.023, 0],
  latencyMeanMs: [0.02, 0.08],
  latencyP50Ms: [0.012, 0.04],
  latencyP90Ms: [0.03, 0.07],
  latencyP95Ms: [0.04, 0.08],
  latencyP99Ms: [0.1, 0.3],
  latencyP999Ms: [0.2, 0.5],
  latencyMaxMs: [0.3, 0.7],
  recordedP50Ms: [0.012, 0.04],
  recordedP99Ms: [0.1, 0.3],
  peakMemoryMiB: [0.004, 0.004],
};

/** The samples of one side at one tier in one round: all operations together, and each alone. */
export function roundSamples(place: RoundPlace, shape: RoundShape): readonly Sample[] {
  return centerOf(place, shape).flatMap((center) => {
    const sample = varied(center, place, shape);
    return shape.mend === undefined ? [sample] : (shape.mend(sample) ?? []);
  });
}

const CENTRES = new Map<string, readonly Sample[]>();

/** What the samples would be without noise; the histogram has what is slower in it. */
function centerOf({ service, tier, side }: RoundPlace, shape: RoundShape): readonly Sample[] {
  const slower = factorOf({ cell: { service, tier, operation: 'all' }, side }, 'latencyP50Ms', shape);
  const key = `${service}/${tier}/${slower}`;
  const known = CENTRES.get(key);
  if (known !== undefined) {
    return known;
  }
  const plain = samplesAt({ service, tier, round: 1 });
  const p50Ms = plain[0]?.values.latencyP50Ms ?? 1;
  const values = (operation: string) => plain.find(({ cell }) => cell.operation === operation)?.values ?? {};
  const scaled = samplesAt({ service, tier, round: 1 }, { p50Ms: p50Ms * slower }).map(
    ({ series: _series, ...sample }) => ({
      ...sample,
      values: values(sample.cell.operation),
    }),
  );
  CENTRES.set(key, scaled);
  return scaled;
}

function varied(center: Sample, place: RoundPlace, shape: RoundShape): Sample {
  const { service, tier, round, side, position, seed } = place;
  const isSaturation = tier === 'saturation';
  const noise = shape.noise ?? 1;
  const normal = normals(`${seed}/${service}/${tier}/${round}/${center.cell.operation}/${side}`);
  // Both sides of a round share what the machine does in that round.
  const shared = normals(`${seed}/${service}/${round}`)() * 0.02 * noise;
  const values = Object.fromEntries(
    Object.entries(center.values).map(([name, value]) => {
      const metric = name as MetricName;
      const sd = NOISE[metric]?.[isSaturation ? 0 : 1] ?? 0;
      const move = sd === 0 ? 0 : shared + normal() * (sd / Math.SQRT2) * noise;
      const worse = factorOf({ cell: center.cell, side }, metric, shape);
      return [
        metric,
        metric === 'achievedRps' ? value / (isSaturation ? worse * Math.exp(move) : 1) : value * worse * Math.exp(move),
      ];
    }),
  );
  const seconds = isSaturation ? 2 : 1.6;
  const requests = Math.round((center.requests / MEASURED_SECONDS) * seconds);
  const errorRate = errorRateOf(center, side, shape);
  const failed = Math.round(requests * errorRate);
  return {
    ...center,
    round,
    side,
    position,
    blocks: isSaturation ? 4 : 2,
    values: { ...values, errorRate: failed / requests },
    requests,
    failures: failed > 0 ? [{ kind: 'HTTP 503', count: failed }] : [],
    measuredSeconds: seconds,
    marks: [...(shape.marks?.[`${service}/${tier}`] ?? [])],
  };
}

const OF_SPEED: ReadonlySet<string> = new Set(Object.keys(NOISE).filter((metric) => metric !== 'peakMemoryMiB'));

interface Placed {
  readonly cell: { readonly service: string; readonly operation: string; readonly tier: string };
  readonly side: 'base' | 'head';
}

function factorOf(placed: Placed, metric: MetricName, { worse = [] }: RoundShape): number {
  return worse
    .filter((one) => matches(one, placed) && (one.metric === undefined ? OF_SPEED.has(metric) : one.metric === metric))
    .reduce((product, { by }) => product * (1 + by), 1);
}

function errorRateOf({ cell }: Sample, side: 'base' | 'head', { errors = [] }: RoundShape): number {
  return errors.filter((one) => matches(one, { cell, side })).reduce((sum, { rate }) => sum + rate, 0);
}

function matches(one: Omit<Partial<Worse>, 'by'>, { cell, side }: Placed): boolean {
  return (
    (one.side ?? 'head') === side &&
    (one.service ?? cell.service) === cell.service &&
    (one.operation ?? cell.operation) === cell.operation &&
    (one.tier ?? cell.tier) === cell.tier
  );
}

/** Standard normal numbers (Box and Muller). */
function normals(text: string): () => number {
  const random = seeded(text);
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
