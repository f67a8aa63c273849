import type { RoundsFacts } from '../../src/measure/plans/compare.ts';
import { answerBook } from '../../src/measure/trial/answers.ts';
import { keepIn } from '../../src/measure/trial/keep.ts';
import type { RoundBench } from '../../src/measure/trial/versions.ts';
import { DEFAULT_POLICY } from '../../src/model/policy.ts';
import type { RoundProfile, Side } from '../../src/model/rounds.ts';
import type { RunInRounds } from '../../src/model/run/run.ts';
import { type Behavior, type FakeBench, fakeBench, RUNNER } from './fakes.ts';
import { NO_SECRETS } from './secrets.ts';

/** A comparison of two versions that behave as told, unless something is said of one of them. */
export interface FakeRounds {
  readonly bench: RoundBench;
  readonly head: RoundsFacts;
  readonly lines: readonly string[];
  readonly written: readonly string[];
  readonly stop: AbortController;
  readonly started: readonly string[];
}

export interface RoundsBehavior {
  readonly base?: Behavior;
  readonly head?: Behavior;
  readonly change?: Partial<RoundBench>;
  /** Wall times of the control loop, in turn; the last one stays. */
  readonly controlMs?: readonly number[];
}

const PROFILE: RoundProfile = {
  // Without what a longer one measures besides.
  name: 'smoke',
  saturationSeconds: 0.1,
  tierBlocks: 2,
  tierBlockSeconds: 0.1,
  dropSeconds: 0,
  tiers: 'middle',
  looks: [
    { rounds: 2, spent: 0.5 },
    { rounds: 4, spent: 1 },
  ],
};

const ADDRESSES: Readonly<Record<Side, string>> = { base: '127.0.0.1:5001', head: '127.0.0.1:5002' };

/** A bench of the services `first` and `second` in two versions. */
export function fakeRounds(behavior: RoundsBehavior = {}): FakeRounds {
  const sides: Readonly<Record<Side, FakeBench>> = {
    base: fakeBench(behavior.base),
    head: fakeBench(behavior.head),
  };
  const { clock, progress, output, plan, stop, written } = sides.head;
  const started: string[] = [];
  const times = [...(behavior.controlMs ?? [])];
  const version = (side: Side) => ({
    suite: plan.suite,
    services: sides[side].services,
    runtime: {
      ...sides[side].runtime,
      start: async (service: Parameters<FakeBench['runtime']['start']>[0]) => {
        started.push(`${side} ${service.name}`);
        return { ...(await sides[side].runtime.start(service)), address: ADDRESSES[side] };
      },
      control: async () => (times.length > 1 ? (times.shift() ?? 150) : (times[0] ?? 150)),
    },
  });
  const bench: RoundBench = {
    suite: plan.suite,
    profile: PROFILE,
    versions: { base: version('base'), head: version('head') },
    interleave: 'blocks',
    seed: 1,
    budgetSeconds: 600,
    stopsEarly: true,
    machine: () => 'a machine',
    answers: answerBook({
      ...NO_SECRETS,
      comparesVersions: true,
      areAlike: () => true,
      note: (line) => progress.line(line),
    }),
    client: {
      call: (service, address, request) =>
        sides[address === ADDRESSES.base ? 'base' : 'head'].client.call(service, address, request),
      learn: () => undefined,
      described: async (service) => service,
    },
    secrets: NO_SECRETS,
    clock,
    progress,
    keep: keepIn(output),
    signal: stop.signal,
    ...behavior.change,
  };
  return { bench, head: runFactsOf(bench), lines: progress.lines, written, stop, started };
}

function runFactsOf({ suite, profile }: RoundBench): RoundsFacts {
  const version = { ref: 'main', dirty: false, configHash: 'x', services: suite.services, operations: [] };
  const head: Omit<RunInRounds, 'samples' | 'failures' | 'complete' | 'spent' | 'rounds'> = {
    schema: 2,
    wiregauge: '0.0.0',
    startedAt: '2026-01-01T00:00:00.000Z',
    commit: { dirty: false },
    configHash: 'x',
    seed: 1,
    runner: RUNNER,
    runtime: { name: 'process', reason: 'a test' },
    limits: { cpus: 1, memoryMiB: 512 },
    tools: {},
    suite: { name: suite.name, title: suite.title, operations: [], tiers: suite.tiers },
    services: [],
    plan: {
      profile: { name: 'test', rampScale: 0, warmupSeconds: 0, measureSeconds: 1, saturationSeconds: 1, rounds: 4 },
      modes: ['open', 'saturate'],
      plannedSeconds: 1,
    },
  };
  return {
    ...head,
    rounds: {
      base: version,
      head: version,
      interleave: 'blocks',
      profile,
      tiers: [],
      budgetSeconds: 600,
      policy: DEFAULT_POLICY,
    },
  };
}
