import type { Run } from '../../src/model/run/run.ts';
import type { Mark } from '../../src/model/sample/mark.ts';
import type { Suite } from '../../src/model/suite/suite.ts';
import { distributionOf, seeded } from './sample-latencies.ts';

type Sample = Run['samples'][number];

/** What a made-up cell is like, over all operations of a service at a tier. */
export interface CellShape {
  readonly p50Ms: number;
  /** How far the tail reaches: the natural logarithm's standard deviation of latency. */
  readonly spread: number;
  /** Share of the offered rate that is answered; at saturation the rate itself. */
  readonly held: number;
  readonly cpuMicros: number;
  readonly marks?: readonly Mark[];
  readonly errorRate?: number;
}

/** The services that can be made up. */
export type ServiceName = 'rest' | 'rest-development' | 'grpc';

/** The tiers of a made-up run. */
export const TIERS = [
  { name: 'low', users: 100, spawnPerSecond: 10, thinkSeconds: 0.3 },
  { name: 'medium', users: 500, spawnPerSecond: 50, thinkSeconds: 0.3 },
  { name: 'high', users: 1000, spawnPerSecond: 100, thinkSeconds: 0.3 },
];

/** The operations of a made-up run; `weight` multiplies their latency. */
export const OPERATIONS = [
  { name: 'GetUser', share: 0.75, weight: 0.95 },
  { name: 'ListUsers', share: 0.25, weight: 1.2 },
];

/** The suite of a made-up run. */
export function sampleSuite(): Suite {
  return {
    name: 'users',
    title: 'One User Service, REST against gRPC',
    services: ['rest', 'grpc'],
    operations: OPERATIONS.map(({ name, share }) => ({ name, share, arguments: [{}], bindings: {} })),
    tiers: TIERS,
    saturation: { workers: 50 },
    published: undefined,
    policy: {},
  };
}

/** The length of every made-up measurement. */
export const MEASURED_SECONDS = 20;

/** Figures near those that a 2-core machine gave for each service at each tier. */
const SHAPES: Readonly<Record<ServiceName, Readonly<Record<string, CellShape>>>> = {
  rest: {
    low: { p50Ms: 0.51, spread: 0.8, held: 1, cpuMicros: 331 },
    medium: { p50Ms: 0.56, spread: 0.95, held: 1, cpuMicros: 284 },
    high: { p50Ms: 1.92, spread: 1.05, held: 0.999, cpuMicros: 238 },
    saturation: { p50Ms: 11.2, spread: 0.3, held: 4490, cpuMicros: 221 },
  },
  'rest-development': {
    low: { p50Ms: 1.9, spread: 0.9, held: 1, cpuMicros: 502 },
    medium: { p50Ms: 188, spread: 0.6, held: 0.822, cpuMicros: 471, marks: ['saturated', 'dropped'] },
    high: { p50Ms: 402, spread: 0.9, held: 0.457, cpuMicros: 466, marks: ['saturated', 'dropped', 'socket-limited'] },
    saturation: { p50Ms: 22.7, spread: 0.15, held: 2140, cpuMicros: 456 },
  },
  grpc: {
    low: { p50Ms: 0.44, spread: 0.6, held: 1, cpuMicros: 302 },
    medium: { p50Ms: 0.47, spread: 0.8, held: 1, cpuMicros: 204 },
    high: { p50Ms: 0.74, spread: 0.9, held: 1, cpuMicros: 161 },
    saturation: { p50Ms: 6.01, spread: 0.25, held: 8260, cpuMicros: 119 },
  },
};

interface Place {
  readonly service: ServiceName;
  readonly tier: string;
  readonly round: number;
}

/** The samples of one slot: all operations together, and each alone. */
export function samplesAt(place: Place, change: Partial<CellShape> = {}): readonly Sample[] {
  const known = SHAPES[place.service][place.tier];
  if (known === undefined) {
    throw new Error(`no shape for ${place.service}/${place.tier}`);
  }
  const random = seeded(`${place.service}/${place.tier}/${place.round}`);
  const drift = place.round === 1 ? 1 : 1 + (random() - 0.5) * 0.12;
  const given = { ...known, ...change };
  const shape = { ...given, p50Ms: given.p50Ms * drift, cpuMicros: given.cpuMicros * (1 + (drift - 1) / 4) };
  const whole = { ...partSample(place, shape, { name: 'all', share: 1, weight: 1 }) };
  const all: Sample = { ...whole, values: { ...whole.values, ...machineValues(place, shape) } };
  all.series = seriesOf(place, all, random);
  return [all, ...OPERATIONS.map((operation) => partSample(place, shape, operation))];
}

function partSample(place: Place, shape: CellShape, operation: (typeof OPERATIONS)[number]): Sample {
  const users = TIERS.find(({ name }) => name === place.tier)?.users;
  const offeredRps = users === undefined ? undefined : (users / 0.3) * operation.share;
  const achievedRps = offeredRps === undefined ? shape.held * operation.share : offeredRps * shape.held;
  const requests = Math.round(achievedRps * MEASURED_SECONDS);
  const latencies = distributionOf(shape.p50Ms * operation.weight, shape.spread, requests);
  const errorRate = shape.errorRate ?? 0;
  const missed = offeredRps === undefined ? 0 : Math.round(offeredRps * MEASURED_SECONDS) - requests;
  return {
    cell: { suite: 'users', service: place.service, operation: operation.name, tier: place.tier },
    round: place.round,
    side: 'head',
    position: 1,
    values: { ...latencies.values, achievedRps, errorRate },
    histogram: latencies.histogram,
    requests,
    failures: errorRate > 0 ? [{ kind: 'HTTP 503', count: Math.round(requests * errorRate) }] : [],
    ...(offeredRps === undefined ? {} : { offeredRps }),
    droppedRequests: shape.marks?.includes('dropped') ? missed : 0,
    measuredSeconds: MEASURED_SECONDS,
    workers: users ?? 50,
    marks: [...(shape.marks ?? [])],
    host: { stealShare: 0.004, foreignCpuShare: 0.031, listenOverflows: 0, timeWaitSockets: 12 },
  };
}

function machineValues(place: Place, shape: CellShape): Sample['values'] {
  const isSaturation = place.tier === 'saturation';
  return {
    cpuMicrosPerRequest: shape.cpuMicros,
    serviceCpuShare: isSaturation ? (shape.marks?.includes('not-saturated') ? 0.81 : 0.983) : 0.41,
    loadCpuShare: isSaturation ? 0.42 : 0.19,
    peakMemoryMiB: place.service === 'grpc' ? 41.3 : 66.2,
    wireBytesPerRequest: place.service === 'grpc' ? 479 : 697,
  };
}

function seriesOf(place: Place, sample: Sample, random: () => number): NonNullable<Sample['series']> {
  const ramp = place.tier === 'saturation' ? 2 : 12;
  const second = Array.from({ length: ramp + MEASURED_SECONDS }, (_, index) => index - ramp);
  const full = sample.offeredRps ?? sample.values.achievedRps ?? 0;
  const offeredRps = second.map((at) => full * Math.min(1, (at + ramp + 1) / (ramp - 1)));
  const held = (sample.values.achievedRps ?? 0) / full;
  const wobble = (value: number | undefined, size: number) => (value ?? 0) * Math.exp((random() - 0.5) * size);
  return {
    second,
    offeredRps,
    achievedRps: offeredRps.map((rate) => wobble(rate * held, 0.03)),
    latencyP50Ms: second.map((at) =>
      at === 3 && place.tier === 'high' ? null : wobble(sample.values.latencyP50Ms, 0.3),
    ),
    latencyP99Ms: second.map(() => wobble(sample.values.latencyP99Ms, 0.9)),
  };
}
