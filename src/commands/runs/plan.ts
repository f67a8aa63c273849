import { Command } from 'commander';
import { outputFolder } from '../../host/index.ts';
import { durationText, expectedPlace } from '../../measure/index.ts';
import type { Place, RoundProfile, Suite } from '../../model/index.ts';
import {
  compareProfile,
  fewestRounds,
  MOST_SHARDS,
  mostRounds,
  roundSeconds,
  servicesByShard,
  shardText,
} from '../../model/index.ts';
import { readSuite } from '../../project/index.ts';
import type { CommandFile } from '../program/command.ts';
import {
  BUDGET_BY_PROFILE,
  budgetOption,
  budgetSecondsOf,
  commaSeparated,
  compareProfileOption,
  JSON_OPTION,
  SUITE_HELP,
  shardCountOf,
  USUAL,
} from '../program/options.ts';
import { tellResult } from '../program/result.ts';

/** The command line of `wiregauge plan`. */
export const planCommand: CommandFile = {
  group: 'Split a comparison over jobs:',
  examples: {
    plan: [
      ['plan --shards 2', 'show what each job measures, and how long it takes'],
      ['plan --json --out plan', 'the same as JSON, and plan/plan.json for `strategy: matrix:`'],
    ],
  },
  make: (end) => {
    return new Command('plan')
      .description('Plan how to split a comparison over jobs, without measuring')
      .option('--suite <name>', SUITE_HELP)
      .option('--services <names>', "some of the suite's services", commaSeparated)
      .option('--shards <n>', 'how many jobs; auto: one for each service', shardCountOf, USUAL.shards)
      .addOption(compareProfileOption('the profile of the comparison'))
      .addOption(budgetOption(`the budget of each job; ${BUDGET_BY_PROFILE}`))
      .option(...JSON_OPTION)
      .option('--out <folder>', 'where to write the workflow matrix, as plan.json')
      .action(async (flags) => end(await plan(flags)));
  },
};

export interface PlanFlags {
  readonly suite?: string | undefined;
  readonly services?: readonly string[] | undefined;
  /** "auto": one shard for each service. */
  readonly shards: number | 'auto';
  readonly profile: string;
  /** Seconds, of each shard. */
  readonly budget?: number | undefined;
  readonly json?: boolean | undefined;
  /** A folder for plan.json. */
  readonly out?: string | undefined;
}

/** Where `--out` leaves the matrix. */
export const PLAN_FILE = 'plan.json';

/** `wiregauge plan`: how a comparison is split among jobs. Reads the suite of the current folder and measures nothing. */
export async function plan(flags: PlanFlags): Promise<number> {
  const { suite, services } = readSuite(process.cwd(), flags.suite, flags.services);
  const count = flags.shards === 'auto' ? Math.min(suite.services.length, MOST_SHARDS) : flags.shards;
  const shards = servicesByShard(suite.services, count);
  const matrix = matrixOf(shards);
  if (flags.out !== undefined) {
    await (await outputFolder(flags.out)).write(PLAN_FILE, `${JSON.stringify(matrix)}\n`);
  }
  const place = expectedPlace('auto', { services });
  const lengths = { suite, place, profile: compareProfile(flags.profile), budgetSeconds: budgetSecondsOf(flags) };
  tellResult(
    { command: 'plan', json: flags.json },
    { text: () => planText(shards, lengths), data: () => planData(shards, lengths) },
  );
  return 0;
}

/** The services of each shard. */
type Shards = readonly (readonly string[])[];

/** The matrix of a workflow: a job for each shard. */
export function matrixOf(shards: Shards) {
  return {
    include: shards.map((services, place) => ({
      shard: shardText({ index: place + 1, of: shards.length }),
      services: services.join(','),
    })),
  };
}

/** The matrix, and the lengths of its jobs. */
function planData(shards: Shards, lengths: PlanLengths): object {
  const { suite, profile, budgetSeconds } = lengths;
  const matrix = matrixOf(shards);
  const seconds = shards.map((services) => secondsOf(services, lengths));
  return { suite: suite.name, profile: profile.name, budgetSeconds, matrix, seconds };
}

/** What the length of a shard depends on. */
interface PlanLengths {
  readonly suite: Suite;
  readonly place: Place;
  readonly profile: RoundProfile;
  readonly budgetSeconds: number;
}

/** The same for people, with how long each shard takes once everything is built. */
export function planText(shards: Shards, lengths: PlanLengths): string {
  const { suite, profile, budgetSeconds } = lengths;
  const title = `suite ${suite.name}: services ${suite.services.join(', ')}; shards: ${shards.length}, one job each (profile ${profile.name})`;
  const lines = shards.map(
    (services, place) =>
      `  --shard ${shardText({ index: place + 1, of: shards.length })}  ${services.join(', ')}: ${lengthText(services, lengths)}`,
  );
  const bound = `No shard starts a round that would not end within ${durationText(budgetSeconds)}; builds take additional time.`;
  return `${[title, ...lines, bound].join('\n')}\n`;
}

function lengthText(services: readonly string[], lengths: PlanLengths): string {
  const { budgetSeconds } = lengths;
  const { least, most } = secondsOf(services, lengths);
  return least > budgetSeconds
    ? `needs about ${durationText(least)}, more than the budget`
    : `about ${durationText(least)} to ${durationText(Math.min(most, budgetSeconds))}`;
}

/** From its first look to its last, once everything is built. */
function secondsOf(services: readonly string[], { suite, profile, place }: PlanLengths) {
  const seconds = roundSeconds(profile, { ...suite, services }, place);
  return { least: fewestRounds(profile) * seconds, most: mostRounds(profile) * seconds };
}
