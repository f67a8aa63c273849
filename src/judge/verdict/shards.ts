import { ALL_OPERATIONS } from '../../model/metric.ts';
import type { Policy } from '../../model/policy.ts';
import { ALL_TIERS } from '../../model/policy.ts';
import { plannedCells } from '../../model/run/comparison.ts';
import { lostShards, type MeasuredShard } from '../../model/run/rounds.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { FEWEST_ROUNDS } from '../inference/location.ts';
import { withWhatItTakes } from './coverage.ts';
import type { Lost } from './finding.ts';
import type { Why } from './note.ts';

/** Unit of a test: a comparison, or one shard of it. */
interface TestedRun {
  readonly run: RunInRounds;
  /** Among how many alpha is shared out evenly (Bonferroni). */
  readonly of: number;
}

/**
 * The parts of a run that are tested apart, each with the seed and the end of its own job, in the order of the shards; all have the day
 * of the whole. A run that no shards share is one part.
 */
export function testedRuns(run: RunInRounds): readonly TestedRun[] {
  const { shards } = run.rounds;
  if (shards?.kind !== 'merged') {
    return [{ run, of: shards?.of ?? 1 }];
  }
  return shards.measured.map((one) => {
    const services = new Set(shards.services[one.index - 1]);
    return { run: sliceOf(run, one, services), of: shards.of };
  });
}

function sliceOf(run: RunInRounds, { seed, ended }: MeasuredShard, services: ReadonlySet<string>): RunInRounds {
  const { base, head, rounds } = run.rounds;
  const isOwn = (name: string) => services.has(name);
  return {
    ...run,
    seed,
    rounds: {
      ...run.rounds,
      base: { ...base, services: base.services.filter(isOwn) },
      head: { ...head, services: head.services.filter(isOwn) },
      rounds: rounds.filter(({ service }) => isOwn(service)),
      ended,
    },
    samples: run.samples.filter(({ cell }) => isOwn(cell.service)),
  };
}

/** The policy for what a run measured: lines about services of other shards are theirs to match, and those about identical services nobody's. */
export function policyOfMeasured(policy: Policy, { rounds: { shards, identical = [], base } }: RunInRounds): Policy {
  const elsewhere = shards?.kind === 'shard' ? shards.services.filter((_, place) => place + 1 !== shards.index) : [];
  const others = new Set([...elsewhere.flat(), ...identical.map(({ service }) => service)]);
  const isNothing = identical.length > 0 && base.services.length === 0;
  const isOwn = ({ service }: { readonly service?: string | undefined }) =>
    service === undefined ? !isNothing : !others.has(service);
  return { ...policy, accepted: policy.accepted.filter(isOwn), budgets: policy.budgets.filter(isOwn) };
}

/**
 * The services of a merged comparison that nothing can be said of for want of their shard: no file came, or its job was ended before
 * they had rounds enough for any verdict.
 */
export function lossesOfShards(run: RunInRounds): readonly Lost[] {
  const { shards } = run.rounds;
  const planned = plannedCells(run);
  const loss = (service: string, detail: Why): Lost => {
    const cell = { suite: run.suite.name, service, operation: ALL_OPERATIONS, tier: ALL_TIERS };
    return withWhatItTakes({ cell, reason: 'shard-lost', detail }, planned(service));
  };
  const absent = lostShards(shards).flatMap(({ index, of, services }) =>
    services.map((service) => loss(service, { kind: 'shard', shard: { index, of }, isCutShort: false })),
  );
  const measured = shards?.kind === 'merged' ? shards.measured : [];
  const short = measured
    .filter(isCutShort)
    .flatMap(({ index }) =>
      (shards?.services[index - 1] ?? [])
        .filter((service) => lacksRounds(run, service))
        .map((service) => loss(service, { kind: 'shard', shard: { index, of: shards?.of ?? 1 }, isCutShort: true })),
    );
  return [...absent, ...short];
}

/** Neither a look nor the plan ended it. */
function isCutShort({ ended }: MeasuredShard): boolean {
  return ended === 'interrupted' || ended === 'running' || ended === 'budget';
}

function lacksRounds({ rounds: { base, head, rounds } }: RunInRounds, service: string): boolean {
  const own = rounds.filter((round) => round.service === service);
  const kept = own.filter(({ outcome }) => outcome === 'kept').length;
  const isFailing = own.some(({ outcome }) => outcome === 'failed');
  return base.services.includes(service) && head.services.includes(service) && !isFailing && kept < FEWEST_ROUNDS;
}
