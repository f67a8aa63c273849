import { Command, Option } from 'commander';
import { RUNTIME_CHOICES } from '../../measure/index.ts';
import { ROUND_PROFILES } from '../../model/index.ts';
import { updateBaseline } from '../history/baseline.ts';
import { saturateServices } from '../measure/saturate.ts';
import { versus } from '../measure/versus.ts';
import { judge } from '../runs/judge.ts';
import { merge } from '../runs/merge.ts';
import { plan } from '../runs/plan.ts';
import { report } from '../runs/report.ts';
import {
  budgetOption,
  commaSeparated,
  durationOf,
  FAIL_ON,
  JSON_OPTION,
  latencyOf,
  rateOf,
  SUITE_HELP,
  shardCountOf,
  USUAL,
  wholeNumber,
} from './options.ts';

/** The command line of `wiregauge judge`. */
export function judgeCommand(end: (exitCode: number) => void): Command {
  return new Command('judge')
    .description('judge a comparison again from its run.json, or figures that were measured elsewhere')
    .argument('[run.json]')
    .option(
      '--samples <file>',
      'a CSV with the columns round,side,position,service,operation,tier,metric,value and, if wanted, better and gate',
    )
    .option(...JSON_OPTION)
    .option('--policy <file>', 'other thresholds, budgets and the like')
    .option('--alpha <share>', 'how often unchanged code may fail, like 1%')
    .addOption(new Option('--inconclusive <outcome>', 'what "inconclusive" is').choices(['warn', 'fail', 'pass']))
    .option('--out <folder>', 'where report.md and report.html go; default: the terminal report only')
    .action(async (file: string | undefined, flags) => end(await judge(file, flags)));
}

/** The command line of `wiregauge report`. */
export function reportCommand(end: (exitCode: number) => void): Command {
  return new Command('report')
    .description('write the reports of a run that was measured before')
    .argument('<run.json>')
    .option(
      '--against <file>',
      'hold it against a stored baseline, or the published runs: history, or history:<folder>',
    )
    .option('--out <folder>', 'where report.md and report.html go', 'out')
    .option(...JSON_OPTION)
    .action(async (file: string, flags) => end(await report(file, flags)));
}

/** The command lines of `wiregauge baseline`. */
export function baselineCommand(end: (exitCode: number) => void): Command {
  // Before its own command is made: it takes over what it has then.
  const baseline = new Command('baseline').exitOverride().showSuggestionAfterError();
  baseline.description('store runs as baselines, in files of the repository').helpCommand(false);
  baseline
    .command('update')
    .description('store a complete run as the baseline of its suite and runner class')
    .argument('[run.json]', 'the run', 'out/run.json')
    .option('--folder <folder>', 'where baselines are kept', 'baselines')
    .option('--note <text>', 'how it was taken, for the reviewer', 'no note')
    .option(...JSON_OPTION)
    .action(async (file: string, flags) => end(await updateBaseline(file, flags)));
  return baseline;
}

const STEP = '5s';

/** The command line of `wiregauge saturate`. */
export function saturateCommand(end: (exitCode: number) => void): Command {
  return new Command('saturate')
    .description('find the knee: the highest arrival rate that each service holds')
    .argument('[services...]', 'their names; default: all of the suite')
    .option('--suite <name>', SUITE_HELP)
    .option(
      '--p99 <time>',
      'the highest p99 at which a rate counts as held, like 50ms; default: ten times that of the service with little to do',
      latencyOf,
    )
    .option('--at-least <rate>', 'exit with 1 where a service holds less than so many requests a second', rateOf)
    .addOption(
      new Option('--step <time>', 'how long each step is measured')
        .argParser(durationOf)
        .default(durationOf(STEP), STEP),
    )
    .addOption(budgetOption('begin no step that would not end in this time'))
    .addOption(new Option('--runtime <name>', 'where services run').choices(RUNTIME_CHOICES).default(USUAL.runtime))
    .option('--out <folder>', 'where saturate.json, saturate.md and saturate.html go', 'out')
    .option(...JSON_OPTION)
    .action(async (services: readonly string[], flags) => end(await saturateServices(services, flags)));
}

/** The command line of `wiregauge plan`. */
export function planCommand(end: (exitCode: number) => void): Command {
  return new Command('plan')
    .description('say how a comparison is split among jobs, and how long each takes; measures nothing')
    .option('--suite <name>', SUITE_HELP)
    .option('--services <names>', "some of the suite's services", commaSeparated)
    .option('--shards <n>', 'how many jobs; auto: one for each service', shardCountOf, USUAL.shards)
    .addOption(
      new Option('--profile <name>', 'the profile of the comparison')
        .choices(Object.keys(ROUND_PROFILES))
        .default(USUAL.roundProfile),
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
    .action(async (files: readonly string[], flags) => end((await merge(files, flags)).exitCode));
}

/** The command line of `wiregauge versus`. */
export function versusCommand(end: (exitCode: number) => void): Command {
  return new Command('versus')
    .description('hold services that answer the same operations against the first of them, in interleaved rounds')
    .argument('<services...>', 'their names, the reference first')
    .option('--suite <name>', SUITE_HELP)
    .addOption(
      new Option('--profile <name>', 'how long the blocks are, and which tiers are loaded')
        .choices(Object.keys(ROUND_PROFILES))
        .default(USUAL.roundProfile),
    )
    .option(
      '--rounds <n>',
      'rounds of each service with the reference; default: the fewest of the profile',
      wholeNumber,
    )
    .addOption(budgetOption('begin no round that would not end in this time'))
    .addOption(new Option('--runtime <name>', 'where services run').choices(RUNTIME_CHOICES).default(USUAL.runtime))
    .option('--seed <n>', 'decides the coins and orders of the rounds; default: random', wholeNumber)
    .option('--out <folder>', 'where run.json, report.md and report.html go', 'out')
    .option(...JSON_OPTION)
    .action(async (services: readonly string[], flags) => end(await versus(services, flags)));
}
