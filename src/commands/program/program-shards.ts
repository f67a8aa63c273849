import { Command, Option } from 'commander';
import { ROUND_PROFILES } from '../../model/profile.ts';
import { merge } from '../runs/merge.ts';
import { plan } from '../runs/plan.ts';
import { commaSeparated, shardCountOf } from './arguments.ts';
import { budgetOption } from './budget-option.ts';
import { FAIL_ON } from './fail-on.ts';
import { JSON_OPTION } from './json-option.ts';
import { SUITE_HELP } from './suite-option.ts';

/** The command line of `wiregauge plan`. */
export function planCommand(end: (exitCode: number) => void): Command {
  return new Command('plan')
    .description('say how a comparison is split among jobs, and how long each takes; measures nothing')
    .option('--suite <name>', SUITE_HELP)
    .option('--services <names>', "some of the suite's services", commaSeparated)
    .option('--shards <n>', 'how many jobs; auto: one for each service', shardCountOf, 'auto')
    .addOption(
      new Option('--profile <name>', 'the profile of the comparison')
        .choices(Object.keys(ROUND_PROFILES))
        .default('standard'),
    )
    .addOption(budgetOption('the budget of each job'))
    .option(...JSON_OPTION)
    .option('--out <folder>', 'leave the matrix of a workflow there, as plan.json')
    .action(async (flags) => end(await plan(flags)));
}

/** The command line of `wiregauge merge`. */
export function mergeCommand(end: (exitCode: number) => void): Command {
  return new Command('merge')
    .description('make one run.json of several: shards of a comparison, or plain runs of other services or more rounds')
    .argument('[run.json...]')
    .option('--runs <folder>', 'merge each run.json in this folder and in its folders as well')
    .option('--allow-lost', 'a file that cannot be read is a lost shard, which makes the result incomplete')
    .option('--judge', 'judge the merged comparison, and leave report.md and report.html beside the file')
    .addOption(new Option('--fail-on <what>', 'with --judge: what makes the exit code 1').choices(FAIL_ON))
    .option(
      '--pull-request <name>',
      'with --judge: owner/name#12, whose label "wiregauge: accepted" accepts what regressed (GITHUB_TOKEN)',
    )
    .option('--out <file>', 'the file to write', 'out/run.json')
    .option(...JSON_OPTION)
    .action(async (files: readonly string[], flags) => end(await merge(files, flags)));
}
