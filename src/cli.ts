import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import packageFile from '../package.json' with { type: 'json' };
import { updateBaseline } from './commands/baseline.ts';
import { merge } from './commands/merge.ts';
import { report } from './commands/report.ts';
import { run } from './commands/run.ts';
import { KnownError } from './core/errors.ts';
import { type Mode, PROFILES } from './core/plan.ts';

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
    .addOption(
      new Option('--runtime <name>', 'where services run').choices(['auto', 'docker', 'process']).default('auto'),
    )
    .option('--rounds <n>', 'measure everything so many times', wholeNumber)
    .option('--seed <n>', 'decides the order of the services; default: random', wholeNumber)
    .option('--against <file>', 'hold the run against a stored baseline')
    .option('--out <folder>', 'where run.json, report.md and report.html go', 'out')
    .action(async (flags) => end(await run(flags)));
}

function listOf(text: string): string[] {
  const names = text.split(',').filter((name) => name !== '');
  if (names.length === 0) {
    throw new InvalidArgumentError('Give names with commas between them.');
  }
  if (new Set(names).size < names.length) {
    throw new InvalidArgumentError('A name is given twice.');
  }
  return names;
}

function modesOf(text: string): Mode[] {
  return listOf(text).map((mode) => {
    if (mode !== 'open' && mode !== 'saturate') {
      throw new InvalidArgumentError('Modes are open and saturate.');
    }
    return mode;
  });
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < 1 || number >= 2 ** 31) {
    throw new InvalidArgumentError('Give a whole number from 1.');
  }
  return number;
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
