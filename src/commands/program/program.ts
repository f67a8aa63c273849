import { Command } from 'commander';
import packageFile from '../../../package.json' with { type: 'json' };
import { print, printLine } from '../../host/terminal/output.ts';
import { LEARN, MACHINE } from '../table/learn.ts';
import { MEASURE } from '../table/measure.ts';
import { RESULTS, SHARDS } from '../table/results.ts';
import { START } from '../table/start.ts';
import { STORE } from '../table/store.ts';
import type { CallExample, CommandMaker } from './command.ts';
import { failureData, reportFailure } from './failure.ts';
import { renamed } from './former.ts';
import { withHelp } from './help.ts';
import { OPTIONS } from './options.ts';
import { printResult } from './result.ts';

/** Runs a command line and returns its exit code; errors are printed on standard error. */
export async function runCommandLine(given: readonly string[]): Promise<number> {
  let exitCode = 0;
  const { argv, changes } = renamed(given);
  const needsHelp = argv.length === 0 || argv[0] === 'help' || argv.some((word) => word === '--help' || word === '-h');
  const program = commandLine((code) => {
    exitCode = typeof code === 'number' ? code : code.exitCode;
  }, needsHelp && !argv.includes('--all'));
  if (argv[0] === '__complete') {
    const { completionsOf } = await import('../help/complete.ts');
    print(`${(await completionsOf(program, argv.slice(1))).join('\n')}\n`);
    return 0;
  }
  for (const [former, current] of changes) {
    printLine(`wiregauge: \`${former}\` is now \`${current}\``, 'err');
  }
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (thrown) {
    const isJson = argv.includes(OPTIONS.json.flags);
    const data = isJson ? failureData(thrown) : undefined;
    if (data !== undefined) {
      printResult({ command: nameIn(program, argv), json: true }, data, '');
    }
    // Standard output may go to a program.
    return reportFailure(thrown, isJson ? 'err' : 'out');
  }
}

/** Name of the command that the words begin with: "history list". */
function nameIn({ commands }: Command, [word, ...words]: readonly string[]): string {
  const found = commands.find((one) => one.name() === word);
  return found === undefined ? '' : `${found.name()} ${nameIn(found, words)}`.trim();
}

/** Program with all commands; `end` receives the exit code. If brief, it hides rare commands and options, which `--help --all` shows. */
export function commandLine(end: Parameters<CommandMaker>[0], isBrief = false): Command {
  const program = new Command('wiregauge')
    .description(packageFile.description)
    .version(packageFile.version, '-v, --version', 'print the version')
    .showSuggestionAfterError()
    .exitOverride()
    .helpCommand(false);
  for (const { heading, commands } of GROUPS) {
    for (const make of commands) {
      const command = make(end).copyInheritedSettings(program).helpGroup(heading);
      program.addCommand(command, { hidden: isBrief && !BASIC.has(command.name()) });
    }
  }
  const help = new Command('help').argument('[command]').description('Show the help of a command');
  program.addHelpCommand(help.helpGroup('Learn more:'));
  return withHelp(program, EXAMPLES, isBrief);
}

/** Commands of `wiregauge --help`. */
const BASIC: ReadonlySet<string> = new Set(['init', 'doctor', 'demo', 'compare', 'run', 'versus', 'report', 'explain']);

const GROUPS = [START, MEASURE, RESULTS, SHARDS, STORE, MACHINE, LEARN];

/** Examples of every command that has none below it, and of the program, by path; a test parses each, and reports commands without one. */
export const EXAMPLES: Readonly<Record<string, readonly CallExample[]>> = {
  '': [
    ['init', 'a wiregauge.yml and a workflow for this repository'],
    ['compare --base main', 'the working tree against main'],
    ['run --profile smoke', 'every service once, in about two minutes'],
    ['demo', 'a report of services that come with Wiregauge'],
    ['explain inconclusive', 'explain a word in a report'],
  ],
  ...Object.fromEntries(GROUPS.flatMap(({ examples }) => Object.entries(examples))),
};
