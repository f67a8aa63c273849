import type { Run } from '../../src/model/run/run.ts';
import type { Mark } from '../../src/model/sample/mark.ts';
import type { Judgment } from '../../src/report/views/judgment.ts';
import { type Distribution, distributionOf, seeded } from './sample-latencies.ts';
import { sampleRun } from './sample-run.ts';

type Sample = Run['samples'][number];

/** CPU time of a request in microseconds, and of each object in it; bytes of an answer without objects, and of each object. */
interface Cost {
  readonly name: string;
  readonly title: string;
  readonly request: number;
  readonly object: number;
  readonly bytes: number;
}

const SERVICES: readonly Cost[] = [
  { name: 'payload-json', title: 'JSON over HTTP (Flask, gunicorn)', request: 210, object: 14, bytes: 1390 },
  { name: 'payload-protobuf', title: 'protobuf over HTTP (Flask, gunicorn)', request: 200, object: 9, bytes: 460 },
  { name: 'payload-grpc', title: 'gRPC (grpcio)', request: 130, object: 8.4, bytes: 460 },
  { name: 'payload-json-go', title: 'JSON over HTTP (Go, net/http)', request: 31, object: 4.1, bytes: 1390 },
  { name: 'payload-protobuf-go', title: 'protobuf over HTTP (Go, net/http)', request: 30, object: 1.2, bytes: 460 },
  { name: 'payload-grpc-go', title: 'gRPC (Go, grpc-go)', request: 42, object: 1.3, bytes: 460 },
];

const LINES = [
  { stem: 'full', load: { users: 16, rampSeconds: 0, limitSeconds: 8 } },
  { stem: 'u100', load: { users: 100, requestsPerUser: 100, rampSeconds: 10, limitSeconds: 30 } },
  { stem: 'u500', load: { users: 500, requestsPerUser: 100, rampSeconds: 10, limitSeconds: 40 } },
];

const COUNTS = [1, 100, 1000];

const TIERS: Run['suite']['tiers'] = LINES.flatMap(({ stem, load }) =>
  COUNTS.map((count) => ({ name: `${stem}-${count}`, ...load, operations: [`Objects${count}`] })),
);

/** The marks of a made-up cell, by "service/tier", where they are not those that follow from its figures. */
export type SweepMarks = Readonly<Record<string, readonly Mark[]>>;

/** A run of six services over 1, 100 and 1,000 objects in an answer, at full rate and by 100 and 500 users; always the same. */
export function sampleSweep(marks: SweepMarks = {}): Run {
  const run = sampleRun();
  const services = SERVICES.map(({ name, title }) => ({
    name,
    title,
    protocol: name.includes('grpc') ? ('grpc' as const) : ('rest' as const),
    environment: {},
  }));
  return {
    ...run,
    suite: {
      name: 'payload',
      title: 'Large answers as JSON, protobuf and gRPC',
      operations: COUNTS.map((count) => ({ name: `Objects${count}`, share: 1 / 3 })),
      tiers: TIERS,
      sweep: {
        title: 'objects in an answer',
        panels: [
          { title: 'Python', services: ['payload-json', 'payload-protobuf', 'payload-grpc'] },
          { title: 'Go', services: ['payload-json-go', 'payload-protobuf-go', 'payload-grpc-go'] },
          { title: 'JSON over HTTP', services: ['payload-json', 'payload-json-go'] },
          { title: 'protobuf over HTTP', services: ['payload-protobuf', 'payload-protobuf-go'] },
          { title: 'gRPC', services: ['payload-grpc', 'payload-grpc-go'] },
        ],
        points: TIERS.map(({ name }) => ({ tier: name, at: Number(name.split('-')[1]) })),
      },
      published: {
        source: 'A study of large answers',
        note: 'Another machine.',
        figures: [{ service: 'payload-json', tier: 'u500-100', metric: 'achievedRps', text: '61.2/s' }],
        findings: FINDINGS,
      },
    },
    services,
    plan: { ...run.plan, modes: ['open'] },
    samples: SERVICES.flatMap((service) =>
      LINES.flatMap(({ stem, load }) =>
        COUNTS.flatMap((count) => samplesOf({ service, load, count, tier: `${stem}-${count}`, marks })),
      ),
    ),
  };
}

/** The run without a baseline. */
export function sweepJudgment(marks: SweepMarks = {}): Judgment {
  return { run: sampleSweep(marks), against: undefined };
}

const AT_1000 = { tier: 'u500-1000', metric: 'achievedRps' } as const;

const FINDINGS: NonNullable<Run['suite']['published']>['findings'] = [
  {
    says: 'JSON falls to about 1% of its own throughput at 1,000 objects',
    holdsIf: [
      {
        service: 'payload-json',
        against: 'payload-json',
        tier: 'full-1000',
        againstTier: 'full-1',
        metric: 'achievedRps',
        atMost: 0.025,
      },
    ],
  },
  {
    says: 'gRPC answers three times as many large answers as JSON',
    holdsIf: [{ ...AT_1000, service: 'payload-grpc', against: 'payload-json', atLeast: 3 }],
  },
  {
    says: 'With small answers all do as well',
    holdsIf: [
      {
        ...AT_1000,
        tier: 'u100-1',
        service: 'payload-grpc-go',
        against: 'payload-json-go',
        atLeast: 0.8,
        atMost: 1.25,
      },
    ],
  },
];

interface Place {
  readonly service: Cost;
  readonly load: (typeof LINES)[number]['load'];
  readonly count: number;
  readonly tier: string;
  readonly marks: SweepMarks;
}

function samplesOf(place: Place): readonly Sample[] {
  const whole = sampleOf(place, 'all');
  const { cpuMicrosPerRequest, wireBytesPerRequest, serviceCpuShare, loadCpuShare, peakMemoryMiB, ...values } =
    whole.values;
  const { series: _series, ...own } = whole;
  return [whole, { ...own, cell: { ...own.cell, operation: `Objects${place.count}` }, values }];
}

function sampleOf(place: Place, operation: string): Sample {
  const { service, load, count, tier, marks } = place;
  const random = seeded(`${service.name}/${tier}`);
  const cpu = (service.request + service.object * count) * (1 + (random() - 0.5) * 0.06);
  const most = 985_000 / cpu;
  const figures = paceOf(load, most);
  const p50 = Math.max(0.3, (load.users / figures.rps) * 1000);
  const latencies = distributionOf(figures.isSlow ? 0.4 + cpu / 1000 : p50, 0.35, figures.answered);
  return {
    cell: { suite: 'payload', service: service.name, operation, tier },
    round: 1,
    side: 'head',
    position: 1,
    values: {
      ...latencies.values,
      achievedRps: figures.rps,
      errorRate: 0,
      cpuMicrosPerRequest: cpu,
      serviceCpuShare: Math.min(0.985, (figures.rps * cpu) / 1e6),
      loadCpuShare: 0.3,
      peakMemoryMiB: 60 + count / 10,
      wireBytesPerRequest: 380 + service.bytes * count,
    },
    histogram: latencies.histogram,
    requests: figures.answered,
    failures: [],
    droppedRequests: figures.dropped,
    measuredSeconds: figures.seconds,
    workers: load.users,
    marks: [...(marks[`${service.name}/${tier}`] ?? figures.marks)],
    series: seriesOf(figures, latencies, random),
    host: { stealShare: 0.004, foreignCpuShare: 0.031, listenOverflows: 0, timeWaitSockets: 12 },
  };
}

type Pace = ReturnType<typeof paceOf>;

/** What becomes of a load where a service answers so much at most. */
function paceOf({ users, limitSeconds, rampSeconds, ...load }: Place['load'], most: number) {
  const planned = 'requestsPerUser' in load ? users * load.requestsPerUser : Number.POSITIVE_INFINITY;
  const seconds = Math.min(limitSeconds, Math.max(rampSeconds, planned / most));
  const answered = Math.round(Math.min(planned, most * seconds));
  const isSlow = seconds <= rampSeconds;
  const dropped = Number.isFinite(planned) ? planned - answered : 0;
  const marks: readonly Mark[] = isSlow ? ['not-saturated'] : dropped > 0 ? ['dropped'] : [];
  return { seconds, answered, dropped, isSlow, marks, rps: answered / seconds };
}

function seriesOf({ seconds, rps }: Pace, { middleMs, longestMs }: Distribution, random: () => number) {
  const second = Array.from({ length: Math.ceil(seconds) }, (_, index) => index);
  const wobble = (value: number, size: number) => value * Math.exp((random() - 0.5) * size);
  return {
    second,
    offeredRps: second.map(() => wobble(rps, 0.1)),
    achievedRps: second.map(() => wobble(rps, 0.1)),
    latencyP50Ms: second.map(() => wobble(middleMs, 0.3)),
    latencyP99Ms: second.map(() => wobble(longestMs * 0.9, 0.4)),
    latencyMeanMs: second.map(() => wobble(middleMs * 1.2, 0.3)),
  };
}
