import * as z from 'zod';
import { PROJECT_SUITE } from '../../config/schema/suite.ts';
import { ConfigError } from '../../foundation/errors.ts';
import { nameSchema as name } from '../../foundation/names.ts';
import { formatDuration } from '../../foundation/numbers.ts';
import { outputFolder } from '../../host/files/output.ts';
import { baseVersionOf } from '../../host/git/worktrees.ts';
import { machineOwner } from '../../host/machine/proc.ts';
import { expectedPlace } from '../../measure/session/runtime.ts';
import { readSuites } from '../../measure/session/versions/suites.ts';
import { namingNoFolder } from '../../measure/session/versions/words.ts';
import { policySchema } from '../../model/policy.ts';
import { COMPARE_PROFILE_NAMES, type CompareProfileName, compareProfile } from '../../model/profiles.ts';
import { fewestRounds, mostRounds, type RoundProfile, roundSeconds } from '../../model/rounds.ts';
import { MAX_SHARDS, rulesSchema, servicesByShard, shardText } from '../../model/run/rounds.ts';
import type { Run } from '../../model/run/run.ts';
import type { Place } from '../../model/service.ts';
import type { Suite } from '../../model/suite/suite.ts';
import type { SuiteFiles } from '../../project/files.ts';
import { policyFor } from '../../project/policy.ts';
import { readSuite } from '../../project/suite.ts';
import { baseOf, type CompareFlags, rulesOf } from '../measure/compare.ts';
import { budgetSecondsOf } from '../program/options.ts';
import { printResult } from '../program/result.ts';

/** Flags of the planned comparison: a base has the policy that judges, and the budget is that of each shard. */
export interface PlanFlags
  extends Pick<
    CompareFlags,
    'suite' | 'services' | 'base' | 'baseBranch' | 'head' | 'policy' | 'inputChanges' | 'budget' | 'json'
  > {
  readonly shards: number | 'auto';
  readonly profile: CompareProfileName;
  readonly out?: string | undefined;
}

/** File with the matrix in the folder of `--out`. */
export const PLAN_FILE = 'plan.json';

/** File in the folder of `--out` by which the merging job checks the shards. */
export const SHARDS_FILE = 'shards.json';

const shardsPlanSchema = z.object({
  suite: name,
  profile: z.enum(COMPARE_PROFILE_NAMES),
  shards: z.array(z.array(name).min(1)).min(1).max(MAX_SHARDS),
  policy: policySchema,
  rules: rulesSchema.optional(),
});

/** Plan of a comparison in several jobs, made by a job that runs none of the measured code. */
type ShardsPlan = z.infer<typeof shardsPlanSchema>;

/** Plan in the text of shards.json. Throws ConfigError for anything else. */
export function parseShardsPlan(text: string): ShardsPlan {
  try {
    return shardsPlanSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new ConfigError('the plan of the shards cannot be read', {
      code: 'WG-404',
      cause,
      next: `Pass the output \`plan\` of the planning job, or ${SHARDS_FILE} of \`wiregauge shards plan --out\`.`,
    });
  }
}

/**
 * Merged shards with the policy and profile of their plan, regardless of their files. Throws ConfigError if the number of shards, the services or
 * the suite differ, or a shard lacks a service: measured code may have written its file.
 */
export function asPlanned(run: Run, { suite, profile, shards: planned, policy, rules }: ShardsPlan): Run {
  const { rounds } = run;
  const shards = rounds?.shards;
  if (rounds === undefined || shards?.kind !== 'merged') {
    throw otherPlan('are not shards of a comparison');
  }
  if (run.suite.name !== suite || rounds.profile.name !== profile) {
    throw otherPlan(`are of suite ${run.suite.name}, profile ${rounds.profile.name}, and not of ${suite}, ${profile}`);
  }
  if (JSON.stringify(shards.services) !== JSON.stringify(planned)) {
    throw otherPlan(`divide the services in another way, over ${shards.of} jobs instead of ${planned.length}`);
  }
  const there = shards.measured.flatMap(({ index }) => planned[index - 1] ?? []);
  const absent = there.filter((service) => !rounds.head.services.includes(service));
  if (absent.length > 0) {
    throw otherPlan(`leave out ${absent.join(', ')}`);
  }
  return { ...run, rounds: { ...rounds, profile: compareProfile(profile), policy, rules } };
}

function otherPlan(what: string): ConfigError {
  return new ConfigError(`the shards do not follow their plan: they ${what}`, {
    code: 'WG-404',
    next: 'Plan and measure in one workflow run, with the same suite, services, shards and profile.',
  });
}

/** `wiregauge shards plan`: plans a comparison in several jobs. Reads the suite of the current folder and measures nothing. */
export async function plan(flags: PlanFlags): Promise<void> {
  const files = readSuite(process.cwd(), flags.suite, flags.services);
  const { suite, services } = files;
  const count = flags.shards === 'auto' ? Math.min(suite.services.length, MAX_SHARDS) : flags.shards;
  const shards = servicesByShard(suite.services, count);
  const profile = compareProfile(flags.profile);
  if (flags.out !== undefined) {
    const folder = await outputFolder(flags.out);
    const planned: ShardsPlan = {
      suite: suite.name,
      profile: flags.profile,
      shards: shards.map((own) => [...own]),
      ...(await rulesOfPlan(flags, files)),
    };
    await folder.write(PLAN_FILE, `${JSON.stringify(matrixOf(shards))}\n`);
    await folder.write(SHARDS_FILE, `${JSON.stringify(planned)}\n`);
  }
  const place = expectedPlace('auto', { services });
  const lengths = { suite, place, profile, budgetSeconds: budgetSecondsOf(flags) };
  printResult(
    { command: 'shards plan', json: flags.json },
    {
      ...{ suite: suite.name, profile: profile.name, budgetSeconds: lengths.budgetSeconds },
      ...{ matrix: matrixOf(shards), seconds: shards.map((own) => secondsOf(own, lengths)) },
    },
    planText(shards, lengths),
  );
}

/** Policy of the base, as for a comparison in one job; without a base that of this folder. */
async function rulesOfPlan({ base: ref, baseBranch, ...flags }: PlanFlags, { root, suite }: SuiteFiles) {
  if (ref === undefined) {
    return { policy: policyFor(root, suite, flags.policy) };
  }
  const commit = await baseOf({ base: ref, baseBranch, head: flags.head, json: flags.json });
  await using base = await baseVersionOf(process.cwd(), { base: commit, head: flags.head }, machineOwner());
  const head = { root, ref: flags.head ?? 'working tree', commit: '', dirty: true, subject: '' };
  return await namingNoFolder([base], async () =>
    rulesOf({ base, head }, readSuites({ base, head }, flags.suite, flags), {
      file: flags.policy,
      inputChanges: flags.inputChanges,
    }),
  );
}

type Shards = readonly (readonly string[])[];

export function matrixOf(shards: Shards) {
  return {
    include: shards.map((services, place) => ({
      shard: shardText({ index: place + 1, of: shards.length }),
      services: services.join(','),
    })),
  };
}

interface PlanLengths {
  readonly suite: Suite;
  readonly place: Place;
  readonly profile: RoundProfile;
  readonly budgetSeconds: number;
}

/** Plan as text, with the duration of each shard without builds. */
export function planText(shards: Shards, lengths: PlanLengths): string {
  const { suite, profile, budgetSeconds } = lengths;
  const title = `${suite.name === PROJECT_SUITE ? '' : `suite ${suite.name}: `}services ${suite.services.join(', ')}; shards: ${shards.length}, one job each (profile ${profile.name})`;
  const lines = shards.map((services, place) => {
    const { least, most } = secondsOf(services, lengths);
    const length =
      least > budgetSeconds
        ? `needs about ${formatDuration(least)}, more than the budget`
        : `about ${formatDuration(least)} to ${formatDuration(Math.min(most, budgetSeconds))}`;
    return `  --shard ${shardText({ index: place + 1, of: shards.length })}  ${services.join(', ')}: ${length}`;
  });
  const bound = `No shard starts a round that would not end within ${formatDuration(budgetSeconds)}; builds take additional time.`;
  return `${[title, ...lines, bound].join('\n')}\n`;
}

/** Shortest and longest duration of a shard, without builds. */
function secondsOf(services: readonly string[], { suite, profile, place }: PlanLengths) {
  const seconds = roundSeconds(profile, { ...suite, services }, place);
  return { least: fewestRounds(profile) * seconds, most: mostRounds(profile) * seconds };
}
