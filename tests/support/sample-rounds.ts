import { DEFAULT_POLICY } from '../../src/model/policy.ts';
import { PROFILES } from '../../src/model/profiles.ts';
import type { RoundRecord, RoundsRecord } from '../../src/model/run/rounds.ts';
import type { Run, RunInRounds } from '../../src/model/run/run.ts';
import { OPERATIONS, type ServiceName, TIERS } from './sample-cells.ts';
import { seeded } from './sample-latencies.ts';
import { type RoundPlace, type RoundShape, roundSamples } from './sample-round-cells.ts';
import { sampleRun } from './sample-run.ts';

/** What to make up; everything has a believable default. */
export interface SampleRoundsOptions extends RoundShape {
  readonly services?: readonly ServiceName[];
  /** Kept rounds of each service. */
  readonly rounds?: number;
  readonly seed?: number;
  /** Discarded rounds of each service, besides the kept ones; they have samples. */
  readonly discarded?: number;
  /** Rounds of a service that failed; they have no samples. Without a side, both failed or nobody knows. */
  readonly failed?: readonly {
    readonly service: ServiceName;
    readonly side?: 'base' | 'head';
    readonly times: number;
  }[];
  /** What one version does not have: "base/rest", or "head/rest/ListUsers". */
  readonly without?: readonly string[];
  readonly record?: Partial<RoundsRecord>;
  readonly change?: Partial<Omit<RunInRounds, 'rounds'>>;
}

/** A run that compared two versions in rounds and could have been measured; the same options always give the same run. */
export function sampleRounds(options: SampleRoundsOptions = {}): RunInRounds {
  const services = options.services ?? ['rest', 'grpc'];
  const seed = options.seed ?? 1;
  const rounds = services.flatMap((service) => attemptsOf(service, { ...options, seed }));
  const without = options.without ?? [];
  const places = rounds.filter(({ outcome }) => outcome !== 'failed').flatMap((round) => placesOf(round, seed));
  const samples = places
    .flatMap((place) => roundSamples(place, options))
    .filter((sample) => !isWithout(sample, without));
  const { versus: _none, ...frame } = sampleRun({
    services,
    without: services.flatMap((service) => [...TIER_NAMES].map((tier) => `${service}/${tier}`)),
  });
  return { ...frame, seed, rounds: { ...recordOf(rounds, options), ...options.record }, samples, ...options.change };
}

const TIER_NAMES = [...TIERS.map(({ name }) => name), 'saturation'];

type Attempts = SampleRoundsOptions & { readonly seed: number };

function attemptsOf(service: ServiceName, options: Attempts): RoundRecord[] {
  const failures = (options.failed ?? []).filter((one) => one.service === service);
  const random = seeded(`${options.seed}/${service}/attempts`);
  const attempts: Pick<RoundRecord, 'outcome' | 'failure'>[] = [
    ...Array.from({ length: options.rounds ?? 10 }, () => ({ outcome: 'kept' as const })),
    ...Array.from({ length: options.discarded ?? 0 }, () => ({ outcome: 'discarded' as const })),
    ...failures.flatMap(({ side, times }) => Array.from({ length: times }, () => failedRound(service, side))),
  ];
  const order = attempts.map((attempt) => ({ attempt, at: random() })).sort((left, right) => left.at - right.at);
  return order.map(({ attempt }, index) => {
    const isDiscarded = attempt.outcome === 'discarded';
    const startedAt = new Date(Date.UTC(2026, 10, 21, 0, 43, 10 + 24 * index)).toISOString();
    return {
      service,
      round: index + 1,
      startedAt,
      first: random() < 0.5 ? 'base' : 'head',
      loads: [
        'saturation',
        ...TIERS.map((tier) => ({ name: tier.name, at: random() }))
          .sort((a, b) => a.at - b.at)
          .map(({ name }) => name),
      ],
      controlMs: { before: 150 + random(), after: isDiscarded ? 181 : 150 + random() },
      contamination: isDiscarded ? 0.18 : random() * 0.04,
      ...attempt,
    };
  });
}

function failedRound(
  service: ServiceName,
  side: 'base' | 'head' | undefined,
): Pick<RoundRecord, 'outcome' | 'failure'> {
  const failure = { message: `${service} exited under tier high`, next: 'Read what it printed.' };
  return { outcome: 'failed', failure: side === undefined ? failure : { ...failure, side } };
}

function placesOf({ service, round, first }: RoundRecord, seed: number): RoundPlace[] {
  return (['base', 'head'] as const).flatMap((side) =>
    TIER_NAMES.map((tier) => ({
      service: service as ServiceName,
      tier,
      round,
      side,
      position: side === first ? 1 : 2,
      seed,
    })),
  );
}

function isWithout({ side, cell }: Run['samples'][number], without: readonly string[]): boolean {
  return without.includes(`${side}/${cell.service}`) || without.includes(`${side}/${cell.service}/${cell.operation}`);
}

function recordOf(rounds: readonly RoundRecord[], options: SampleRoundsOptions): RoundsRecord {
  const services = options.services ?? ['rest', 'grpc'];
  const having = (side: string) => services.filter((service) => !options.without?.includes(`${side}/${service}`));
  const operationsOf = (side: string) =>
    OPERATIONS.map(({ name }) => name).filter((operation) =>
      services.some((service) => !options.without?.includes(`${side}/${service}/${operation}`)),
    );
  const profile = PROFILES.standard.rounds;
  const kept = options.rounds ?? 10;
  const isLook = profile.looks.some((look) => look.rounds === kept);
  return {
    base: {
      ref: 'origin/main',
      commit: '4f2d9c1b7a6e5d4c3b2a19087f6e5d4c3b2a1908',
      dirty: false,
      subject: 'Give the REST service its own pool',
      configHash: '9b1c7d3e',
      services: having('base'),
      operations: operationsOf('base'),
    },
    head: {
      ref: 'working tree',
      commit: '1df183b0c4a7e2f9d8b6a5c4e3f2019876543210',
      dirty: true,
      subject: 'Look users up by name',
      configHash: '9b1c7d3e',
      services: having('head'),
      operations: operationsOf('head'),
    },
    interleave: 'blocks',
    profile,
    tiers: TIERS.map(({ name }) => name),
    budgetSeconds: 600,
    policy: DEFAULT_POLICY,
    rounds: [...rounds].sort((left, right) => left.round - right.round),
    ended: kept >= 30 ? 'rounds' : isLook ? 'decided' : 'budget',
  };
}
