import { Command, CommanderError, Option } from 'commander';
import packageFile from '../package.json' with { type: 'json' };
import { durationOf, listOf, modesOf, wholeNumber } from './commands/arguments.ts';
import { updateBaseline } from './commands/baseline.ts';
import { calibrate } from './commands/calibrate.ts';
import { compare } from './commands/compare.ts';
import { judge } from './commands/judge.ts';
import { merge } from './commands/merge.ts';
import { report } from './commands/report.ts';
import { run } from './commands/run.ts';
import { KnownError } from './core/errors.ts';
import { PROFILES } from './core/plan.ts';
import { ROUND_PROFILES } from './core/rounds/profile.ts';

/** 0 as planned, 1 regressed by policy, 2 could not measure or was misused. */
const COULD_NOT = 2;

function commands(end: (exitCode: number) => void): Command {
  const program = new Command('wiregauge')
    .description(packageFile.description)
    .version(packageFile.version)
    .showSuggestionAfterError()
    .exitOverride()
    .helpCommand(false);
  program.addCommand(runCommand(end).copyInheritedSettings(program));
  program.addCommand(compareCommand(end).copyInheritedSettings(program));
  program.addCommand(judgeCommand(end).copyInheritedSettings(program));
  program.addCommand(calibrateCommand(end).copyInheritedSettings(program));
  program
    .command('report')
    .description('write the reports of a run that was measured before')
    .argument('<run.json>')
    .option('--against <file>', 'hold it against a stored baseline')
    .option('--out <folder>', 'where report.md and report.html go', 'out')
    .action(async (file: string, flags) => end(await report(file, flags)));
  program
    .command('merge')
    .description('make one run.json of several: shards, or more rounds')
    .argument('<run.json...>')
    .option('--out <file>', 'the file to write', 'out/run.json')
    .action(async (files: [string, ...string[]], flags: { out: string }) => end(await merge(files, flags.out)));
  const baseline = program.command('baseline').description('stored baselines').helpCommand(false);
  baseline
    .command('update')
    .description('store a complete run as the baseline of its suite and runner class')
    .argument('[run.json]', 'the run', 'out/run.json')
    .option('--folder <folder>', 'where baselines are kept', 'baselines')
    .option('--note <text>', 'how it was taken, for the reviewer', 'no note')
    .action(async (file: string, flags) => end(await updateBaseline(file, flags)));
  return program;
}

function runCommand(end: (exitCode: number) => void): Command {
  return new Command('run')
    .description('start the services, verify that they answer the same, load them, and report')
    .option('--suite <name>', 'what to measure: suites/<name>.yml', 'users')
    .addOption(new Option('--profile <name>', 'how long to measure').choices(Object.keys(PROFILES)).default('default'))
    .option('--services <names>', "services instead of the suite's own, the reference first", listOf)
    .option('--mode <modes>', 'open (the tiers), saturate (closed loop), or both', modesOf, ['open', 'saturate'])
    .addOption(runtimeOption())
    .option('--rounds <n>', 'measure everything so many times', wholeNumber)
    .option('--seed <n>', 'decides the order of the services; default: random', wholeNumber)
    .option('--against <file>', 'judge the run by the stored ones of the same kind of machine')
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
    .action(async (flags) => end(await run(flags)));
}

function compareCommand(end: (exitCode: number) => void): Command {
  return new Command('compare')
    .description('measure two versions in interleaved rounds, and judge what got slower')
    .requiredOption('--base <ref>', 'the version to compare with: a branch, a tag or a commit')
    .option('--head <ref>', 'the version to judge; default: the working tree as it is')
    .option('--suite <name>', 'what to measure: suites/<name>.yml', 'users')
    .option('--services <names>', "some of the suite's services", listOf)
    .addOption(
      new Option('--profile <name>', 'how long the blocks are, and which tiers are loaded')
        .choices(Object.keys(ROUND_PROFILES))
        .default('standard'),
    )
    .option('--budget <time>', 'begin no round that would not end in this time', durationOf, durationOf('10m'))
    .addOption(runtimeOption())
    .addOption(
      new Option(
        '--interleave <way>',
        'blocks: both versions stand ready; slots: one after the other, for services that cannot',
      )
        .choices(['blocks', 'slots'])
        .default('blocks'),
    )
    .option('--confirm-all', 'go on to the last look, to name everything that got slower')
    .option('--policy <file>', 'thresholds, budgets and the like, instead of those of the suite')
    .option('--seed <n>', 'decides the coins and orders of the rounds; default: random', wholeNumber)
    .option('--out <folder>', 'where run.json, report.md and report.html go', 'out')
    .action(async (flags) => end(await compare(flags)));
}

function judgeCommand(end: (exitCode: number) => void): Command {
  return new Command('judge')
    .description('judge a comparison again from its run.json, or figures that were measured elsewhere')
    .argument('[run.json]')
    .option(
      '--samples <file>',
      'a CSV with the columns round,side,position,service,operation,tier,metric,value and, if wanted, better and gate',
    )
    .option('--json', 'print verdicts and intervals as JSON')
    .option('--policy <file>', 'other thresholds, budgets and the like')
    .option('--alpha <share>', 'how often unchanged code may fail, like 1%')
    .addOption(new Option('--inconclusive <outcome>', 'what "inconclusive" is').choices(['warn', 'fail', 'pass']))
    .option('--out <folder>', 'where report.md and report.html go; default: the terminal report only')
    .action(async (file: string | undefined, flags) => end(await judge(file, flags)));
}

function calibrateCommand(end: (exitCode: number) => void): Command {
  return new Command('calibrate')
    .description(
      'compare the working tree with itself: how small a change this machine can see, and how often it alarms',
    )
    .option('--suite <name>', 'what to measure: suites/<name>.yml', 'users')
    .option('--services <names>', "some of the suite's services", listOf)
    .addOption(
      new Option('--profile <name>', 'the profile of the comparisons that it is for')
        .choices(Object.keys(ROUND_PROFILES))
        .default('standard'),
    )
    .option('--rounds <n>', 'rounds to measure', wholeNumber, 30)
    .addOption(runtimeOption())
    .option('--seed <n>', 'decides the coins and orders of the rounds; default: random', wholeNumber)
    .option('--out <folder>', 'where run.json goes', 'out')
    .action(async (flags) => end(await calibrate(flags)));
}

function runtimeOption(): Option {
  return new Option('--runtime <name>', 'where services run').choices(['auto', 'docker', 'process']).default('auto');
}

/** The one place where errors end: known ones as a message and what to do next, others with their stack. */
function complain(thrown: unknown): number {
  if (thrown instanceof CommanderError) {
    return thrown.exitCode === 0 ? 0 : COULD_NOT;
  }
  if (thrown instanceof KnownError) {
    const next = thrown.next === undefined ? '' : `  ${thrown.next}\n`;
    process.stderr.write(`wiregauge: ${thrown.message}\n${next}`);
    return COULD_NOT;
  }
  const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  process.stderr.write(`wiregauge: an error that should not happen; please report it with these lines:\n${stack}\n`);
  return COULD_NOT;
}

try {
  await commands((exitCode) => {
    process.exitCode = exitCode;
  }).parseAsync();
} catch (thrown) {
  process.exitCode = complain(thrown);
}
