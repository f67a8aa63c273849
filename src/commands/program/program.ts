import { Command, Option } from 'commander';
import packageFile from '../../../package.json' with { type: 'json' };
import { RUNTIME_CHOICES } from '../../measure/index.ts';
import { PROFILES, ROUND_PROFILES } from '../../model/index.ts';
import { clean, tools } from '../clean.ts';
import { calibrate } from '../measure/calibrate.ts';
import { compare } from '../measure/compare.ts';
import { run } from '../measure/run.ts';
import { tellFailure } from './failure.ts';
import { publishCheckCommand, publishCommand, publishCommentCommand, publishForkCommentCommand } from './github.ts';
import { withHelp } from './help.ts';
import { historyCommand } from './history.ts';
import {
  budgetOption,
  commaSeparated,
  FAIL_ON,
  JSON_OPTION,
  modesOf,
  requires,
  SUITE_HELP,
  shardOf,
  USUAL,
  wholeNumber,
} from './options.ts';
import {
  baselineCommand,
  judgeCommand,
  mergeCommand,
  planCommand,
  reportCommand,
  saturateCommand,
  versusCommand,
} from './runs.ts';
import { completionCommand, configCommand, doctorCommand, explainCommand, initCommand } from './setup.ts';

/** Does what a command line asks for and gives its exit code; whatever goes wrong is told on standard error. */
export async function runCommandLine(argv: readonly string[]): Promise<number> {
  let exitCode = 0;
  try {
    await commandLine((code) => {
      exitCode = code;
    }).parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (thrown) {
    // Standard output may be on its way to a program.
    return tellFailure(thrown, argv.includes(JSON_OPTION[0]) ? process.stderr : process.stdout);
  }
}

/** All commands as they are parsed; `end` is given the exit code of the one that was asked for. */
export function commandLine(end: (exitCode: number) => void): Command {
  const program = new Command('wiregauge')
    .description(packageFile.description)
    .version(packageFile.version)
    .showSuggestionAfterError()
    .exitOverride()
    .helpCommand(false);
  for (const make of COMMANDS) {
    program.addCommand(make(end).copyInheritedSettings(program));
  }
  return withHelp(program);
}

/** In the order of `--help`. */
const COMMANDS: readonly ((end: (exitCode: number) => void) => Command)[] = [
  initCommand,
  doctorCommand,
  compareCommand,
  runCommand,
  versusCommand,
  saturateCommand,
  calibrateCommand,
  judgeCommand,
  reportCommand,
  planCommand,
  mergeCommand,
  publishCommand,
  historyCommand,
  baselineCommand,
  publishCommentCommand,
  publishCheckCommand,
  publishForkCommentCommand,
  toolsCommand,
  cleanCommand,
  configCommand,
  explainCommand,
  completionCommand,
];

function toolsCommand(end: (exitCode: number) => void): Command {
  return new Command('tools')
    .description('fetch the load tools into a cache of this machine, and say where they lie')
    .option(...JSON_OPTION)
    .action(async (flags) => end(await tools(flags)));
}

function cleanCommand(end: (exitCode: number) => void): Command {
  return new Command('clean')
    .description(
      'remove what runs that no longer exist have left: containers, processes, folders, git worktrees, old images',
    )
    .option(...JSON_OPTION)
    .action(async (flags) => end(await clean(flags)));
}

function runCommand(end: (exitCode: number) => void): Command {
  return new Command('run')
    .description('start the services, verify that they answer the same, load them, and report')
    .option('--suite <name>', SUITE_HELP)
    .addOption(
      new Option('--profile <name>', 'how long to measure').choices(Object.keys(PROFILES)).default(USUAL.runProfile),
    )
    .option('--services <names>', "services instead of the suite's own, the reference first", commaSeparated)
    .addOption(
      new Option(
        '--mode <modes>',
        'open (the tiers), saturate (closed loop), or both; default: both, open alone where no tier has a rate',
      ).argParser(modesOf),
    )
    .addOption(runtimeOption())
    .option('--rounds <n>', 'measure every slot so many times', wholeNumber)
    .option('--no-versus', 'do not hold the services against each other in interleaved rounds')
    .option('--seed <n>', 'decides the order of the services; default: random', wholeNumber)
    .option(
      '--against <file>',
      'judge the run by the stored ones of the same kind of machine; history, or history:<folder>, for the published ones',
    )
    .addOption(
      new Option(
        '--on-suspicion <way>',
        'what a suspicion against stored runs leads to: a warning, or a comparison in rounds',
      )
        .choices(['warn', 'confirm'])
        .default('warn'),
    )
    .addOption(new Option('--gate <what>', 'let a suspicion against stored runs fail by itself').choices(['history']))
    .option('--out <folder>', 'where run.json, report.md and report.html go', 'out')
    .option(...JSON_OPTION)
    .action(async (flags) => end((await run(flags)).exitCode));
}

function compareCommand(end: (exitCode: number) => void): Command {
  return new Command('compare')
    .description('measure two versions in interleaved rounds, and judge what got slower')
    .option('--base <ref>', 'the version to compare with: a branch, a tag or a commit')
    .option('--head <ref>', 'the version to judge; default: the working tree as it is')
    .option('--merge-base', 'compare with the commit at which base and head parted, as a pull request is compared')
    .option('--suite <name>', SUITE_HELP)
    .option('--services <names>', "some of the suite's services", commaSeparated)
    .option(
      '--shard <i/n>',
      'measure only the i-th of n shares of the services; `wiregauge merge` unites them',
      shardOf,
    )
    .addOption(
      new Option('--profile <name>', 'how long the blocks are, and which tiers are loaded')
        .choices(Object.keys(ROUND_PROFILES))
        .default(USUAL.roundProfile),
    )
    .addOption(budgetOption('begin no round that would not end in this time'))
    .addOption(runtimeOption())
    .addOption(interleaveOption())
    .option('--confirm-all', 'go on to the last look, to name everything that got slower')
    .option('--policy <file>', 'thresholds, budgets and the like, instead of those of the suite')
    .addOption(
      new Option('--fail-on <what>', 'what makes the exit code 1; default: what the policy says').choices(FAIL_ON),
    )
    .option(
      '--pull-request <name>',
      'owner/name#12: its label "wiregauge: accepted" accepts what regressed (GITHUB_TOKEN)',
    )
    .option('--seed <n>', 'decides the coins and orders of the rounds; default: random', wholeNumber)
    .option('--out <folder>', 'where run.json, report.md and report.html go', 'out')
    .option(...JSON_OPTION)
    .hook('preAction', requires('--base'))
    .action(async (flags) => end((await compare(flags)).exitCode));
}

function interleaveOption(): Option {
  return new Option(
    '--interleave <way>',
    'blocks: both versions stand ready; slots: one after the other, for services that cannot',
  )
    .choices(['blocks', 'slots'])
    .default('blocks');
}

function calibrateCommand(end: (exitCode: number) => void): Command {
  return new Command('calibrate')
    .description(
      'compare the working tree with itself: how small a change this machine can see, and how often it alarms',
    )
    .option('--suite <name>', SUITE_HELP)
    .option('--services <names>', "some of the suite's services", commaSeparated)
    .addOption(
      new Option('--profile <name>', 'the profile of the comparisons that it is for')
        .choices(Object.keys(ROUND_PROFILES))
        .default(USUAL.roundProfile),
    )
    .option('--rounds <n>', 'rounds to measure', wholeNumber, USUAL.calibrationRounds)
    .addOption(runtimeOption())
    .option('--seed <n>', 'decides the coins and orders of the rounds; default: random', wholeNumber)
    .option('--out <folder>', 'where run.json goes', 'out')
    .option(...JSON_OPTION)
    .action(async (flags) => end(await calibrate(flags)));
}

function runtimeOption(): Option {
  return new Option('--runtime <name>', 'where services run').choices(RUNTIME_CHOICES).default(USUAL.runtime);
}
