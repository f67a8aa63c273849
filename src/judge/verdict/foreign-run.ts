import { ConfigError } from '../../foundation/errors.ts';
import { seedOf } from '../../foundation/random.ts';
import { shortCommit, wordList } from '../../foundation/text.ts';
import type { Policy } from '../../model/policy.ts';
import { COMPARE_PROFILE_NAMES, compareProfile } from '../../model/profiles.ts';
import { type BlockTier, type RoundProfile, tiersOf } from '../../model/rounds.ts';
import { isInRounds, isVersus } from '../../model/run/comparison.ts';
import { lostShards, type RoundsRecord, type ShardsRecord, shardText } from '../../model/run/rounds.ts';
import type { Run, RunInRounds } from '../../model/run/run.ts';
import { type Grouped, operationsFor } from '../../model/suite/groups.ts';
import type { Suite } from '../../model/suite/suite.ts';

export interface ForeignRules {
  /** Commit that the job ran for, according to GitHub. */
  readonly headSha: string;
  /** Policy of the default branch. */
  readonly policy: Policy;
  /** Suite that must be measured completely. */
  readonly suite: Suite;
}

/**
 * Run in which everything that decides its verdict comes from the default branch: the policy, the looks of its profile, the seeds of the tests. Its
 * data about the history and its former names of services are removed. Its values are those of the untrusted job, as are its shards, since a lost one
 * never improves a run. Throws ConfigError for a run of another commit, of changed files, of an unknown profile, of another suite, or of no
 * comparison, for a shard that is not merged, and for a run that leaves out a part of the suite, or compares more services: the missing part may have
 * regressed, and each additional service takes a part of alpha from the others.
 */
export function foreignRun(run: Run, { headSha, policy, suite }: ForeignRules): RunInRounds {
  if (!isInRounds(run)) {
    throw refusal('contains no comparison of two versions');
  }
  if (isVersus(run)) {
    throw refusal('compares services with each other, not two versions');
  }
  refuseCrowd(run);
  const { rounds } = run;
  const { head } = rounds;
  if (head.commit !== headSha || head.dirty) {
    throw refusal(`is not of ${shortCommit(headSha)}, for which the workflow ran`);
  }
  const name = COMPARE_PROFILE_NAMES.find((known) => known === rounds.profile.name);
  if (name === undefined) {
    throw refusal('has an unknown profile');
  }
  const profile = compareProfile(name);
  const { calibration: _calibration, stored: _stored, baseline: _baseline, anchor: _anchor, shards, ...kept } = rounds;
  const foreign = shards === undefined ? {} : { shards: foreignShards(shards, rounds, headSha) };
  refuseAnother(run, suite);
  refuseLess(run, suite, profile);
  refuseMore(run, suite);
  const { wasNamed: _wasNamed, ...named } = run.suite;
  // The suite is from the default branch: none of its services is new.
  const { adopted: _adopted, ...base } = kept.base;
  // The pull request's own policy does not apply here, even if it is stricter; its changes are still reported.
  const { pending = [], applied = [], load } = kept.rules ?? {};
  const rules = kept.rules && { pending: [...pending, ...applied], applied: [], load };
  const decided = { ...kept, base, policy, rules, profile, ...foreign };
  return { ...run, suite: named, seed: seedOf(headSha), rounds: decided };
}

/**
 * A single shard would pass without the others, and no shard may choose its seed. An empty shard would only take its share of alpha from the others,
 * and a service in no shard would not be judged.
 */
function foreignShards(shards: ShardsRecord, { base, head }: RoundsRecord, headSha: string): ShardsRecord {
  if (shards.kind === 'shard') {
    throw refusal(`is only shard ${shardText(shards)}, and the others are needed, too`);
  }
  const measured = new Set([...base.services, ...head.services]);
  const there = shards.measured.map(({ index }) => shards.services[index - 1] ?? []);
  const dealt = new Set(there.flat());
  const isDealtOut = [...measured].every((service) => dealt.has(service));
  if (!isDealtOut || !there.every((own) => own.some((service) => measured.has(service)))) {
    throw refusal('has different services than its shards');
  }
  return {
    ...shards,
    measured: shards.measured.map(({ calibration: _calibration, ...kept }) => ({
      ...kept,
      seed: seedOf(headSha, kept.index),
    })),
  };
}

/** Far more than a comparison has; judging this many takes a second. */
const MAX_NAMES = 1000;

const MAX_CELLS = 100_000;

function refuseCrowd({ rounds, suite, services: described }: RunInRounds): void {
  const { base, head, tiers } = rounds;
  const services = Math.max(base.services.length, head.services.length, described.length);
  // Operations of one service, and at least the number of groups.
  const operations = Math.max(
    ...[base, head, suite].flatMap(({ operations: all, groups = [] }: Grouped<unknown>) => [
      ...[all.length, groups.length],
      ...groups.map((group) => group.operations.length),
    ]),
  );
  const loads = Math.max(tiers.length, suite.tiers.length);
  const cells = services * (operations + 1) * (loads + 1);
  if (Math.max(services, operations, loads) > MAX_NAMES || cells > MAX_CELLS) {
    throw refusal('names more services, operations and tiers than any comparison has');
  }
}

function refuseAnother(run: Run, { name }: Suite): void {
  if (run.suite.name !== name) {
    throw refusal(
      `is of the suite "${run.suite.name}", but the suite to judge is "${name}"`,
      'If the workflow measures another suite, set it in the commenting step, too: `with: { suite: <name> }`.',
    );
  }
}

/** The judge reads the values of all loads in the run, and none that the run leaves out. */
function refuseLess(run: RunInRounds, suite: Suite, profile: RoundProfile): void {
  const { base, head, shards } = run.rounds;
  const lost = lostShards(shards).flatMap(({ services }) => services);
  const unloaded = tiersOf(profile, suite).filter((tier) => !isLoaded(run, tier, suite));
  const absent = [
    ...lacking('service', suite.services, [
      [...base.services, ...lost],
      [...head.services, ...lost],
    ]),
    ...new Set(suite.services.flatMap((service) => lackingOperations(run, suite, service))),
    ...unloaded.map(({ name }) => `all of the tier ${name}`),
  ];
  if (absent.length > 0) {
    throw refusal(
      `lacks ${wordList(absent, MAX_NAMED)}, which the default branch measures`,
      'Merge the default branch into the pull request, and measure again. If the pull request removes it on purpose, a maintainer has to decide. If the workflow measures only some services, set them in the commenting step, too: `with: { args: --services <names> }`.',
    );
  }
}

/** A service that only one version has is not compared, so a pull request may add one. */
function refuseMore({ rounds: { base, head } }: RunInRounds, suite: Suite): void {
  const [requested, ofHead] = [new Set(suite.services), new Set(head.services)];
  const more = base.services
    .filter((service) => ofHead.has(service) && !requested.has(service))
    .map((name) => `the service ${name}`);
  if (more.length > 0) {
    throw refusal(
      `compares ${wordList(more, MAX_NAMED)}, which the default branch does not`,
      'Merge the default branch into the pull request, and measure again. If the commenting step sets services, set the same as in the measuring workflow: `with: { args: --services <names> }`.',
    );
  }
}

const MAX_NAMED = 5;

function lacking(kind: string, required: readonly string[], lists: readonly (readonly string[])[]): readonly string[] {
  const sets = lists.map((list) => new Set(list));
  return required.filter((name) => !sets.every((set) => set.has(name))).map((name) => `the ${kind} ${name}`);
}

/** Operations of a service that a version, or the suite in the run, lacks. */
function lackingOperations({ rounds, suite: own }: RunInRounds, suite: Suite, service: string): readonly string[] {
  const namesOf = (of: Grouped<{ readonly name: string }>) => operationsFor(of, service).map(({ name }) => name);
  const { base, head } = rounds;
  return lacking('operation', namesOf(suite), [
    operationsFor(base, service),
    operationsFor(head, service),
    namesOf(own),
  ]);
}

function isLoaded(
  { rounds, suite }: RunInRounds,
  { name, operations: requested }: BlockTier,
  required: Suite,
): boolean {
  const operations = requested ?? required.operations.map((operation) => operation.name);
  const named = suite.tiers.find((tier) => tier.name === name)?.operations;
  const loaded = named === undefined ? undefined : new Set(named);
  return rounds.tiers.includes(name) && operations.every((operation) => loaded?.has(operation) ?? true);
}

function refusal(what: string, next = 'Check the workflow run that created it.'): ConfigError {
  return new ConfigError(`the run in the artifact ${what}`, { code: 'WG-506', next });
}
