import { ConfigError, seedOf } from '../../foundation/index.ts';
import type { Policy, RoundsRecord, Run, RunInRounds } from '../../model/index.ts';
import { COMPARE_PROFILES, isInRounds, isVersus, type ShardsRecord, shardText } from '../../model/index.ts';

/** What a run that a stranger's job measured is held to. */
export interface ForeignRules {
  /** The commit that the job ran for, as GitHub says. */
  readonly headSha: string;
  /** That of the default branch. */
  readonly policy: Policy;
}

/**
 * The run with whatever decides its verdict as the default branch has it: the policy, the looks of its profile, the seeds of the tests.
 * Its figures stay what the stranger says that they are; so do its shards, since a lost one makes a run no better. Throws ConfigError for
 * a run of another commit, of changed files, of no known profile, or of no comparison, and for a shard that is not merged.
 */
export function foreignRun(run: Run, { headSha, policy }: ForeignRules): RunInRounds {
  if (!isInRounds(run)) {
    throw refusal('holds no comparison of two versions');
  }
  if (isVersus(run)) {
    throw refusal('compares services with each other, and no two versions');
  }
  const { rounds } = run;
  const { head } = rounds;
  if (head.commit !== headSha || head.dirty) {
    throw refusal(`is of another version than ${headSha.slice(0, 10)}, for which the workflow ran`);
  }
  const profile = Object.hasOwn(COMPARE_PROFILES, rounds.profile.name)
    ? COMPARE_PROFILES[rounds.profile.name]
    : undefined;
  if (profile === undefined) {
    throw refusal('has a profile that is not known here');
  }
  const { calibration: _calibration, shards, ...kept } = rounds;
  const held = { ...kept, policy, profile };
  return {
    ...run,
    seed: seedOf(headSha),
    rounds: shards === undefined ? held : { ...held, shards: foreignShards(shards, rounds, headSha) },
  };
}

/**
 * One shard alone would pass without the others, and no shard may choose its seed. A shard of nothing would only take its share of alpha
 * from the others, and a service that is in no shard would not be judged.
 */
function foreignShards(shards: ShardsRecord, { base, head }: RoundsRecord, headSha: string): ShardsRecord {
  if (shards.kind === 'shard') {
    throw refusal(`is shard ${shardText(shards)} alone, and the others count, too`);
  }
  const measured = [...base.services, ...head.services];
  const there = shards.measured.map(({ index }) => shards.services[index - 1] ?? []);
  const isDealtOut = measured.every((service) => there.some((own) => own.includes(service)));
  if (!isDealtOut || !there.every((own) => own.some((service) => measured.includes(service)))) {
    throw refusal('has other services than its shards');
  }
  return {
    ...shards,
    measured: shards.measured.map(({ calibration: _calibration, ...kept }) => ({
      ...kept,
      seed: seedOf(headSha, kept.index),
    })),
  };
}

function refusal(what: string): ConfigError {
  return new ConfigError(`the run in the artifact ${what}`, {
    next: 'Look at the run of the workflow that made it.',
  });
}
