import { Command } from 'commander';
import packageFile from '../../../package.json' with { type: 'json' };
import { print, printLine } from '../../host/terminal/output.ts';
import { cleanCommand, toolsCommand } from '../clean.ts';
import { configCommand } from '../configuration/config.ts';
import { suitesCommand } from '../configuration/suites.ts';
import { doctorCommand } from '../doctor/doctor.ts';
import { completionsOf } from '../help/complete.ts';
import { completionCommand } from '../help/completion.ts';
import { explainCommand } from '../help/explain.ts';
import { baselineCommand } from '../history/baseline.ts';
import { historyCommand } from '../history/command.ts';
import { initCommand } from '../init/init.ts';
import { bisectCommand } from '../measure/bisect.ts';
import { calibrateCommand } from '../measure/calibrate.ts';
import { compareCommand } from '../measure/compare.ts';
import { demoCommand } from '../measure/demo.ts';
import { runCommand } from '../measure/run.ts';
import { saturateCommand } from '../measure/saturate.ts';
import { versusCommand } from '../measure/versus.ts';
import { publishCommand } from '../publish.ts';
import { publishForkCommentCommand } from '../pull-request/fork-comment.ts';
import { judgeCommand } from '../runs/judge.ts';
import { mergeCommand } from '../runs/merge.ts';
import { openCommand } from '../runs/open.ts';
import { planCommand } from '../runs/plan.ts';
import { reportCommand } from '../runs/report.ts';
import { type CallExample, type CommandFile, parentCommand } from './command.ts';
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
    exitCode = code;
  }, needsHelp && !argv.includes('--all'));
  if (argv[0] === '__complete') {
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
export function commandLine(end: (exitCode: number) => void, isBrief = false): Command {
  const program = new Command('wiregauge')
    .description(packageFile.description)
    .version(packageFile.version, '-v, --version', 'print the version')
    .showSuggestionAfterError()
    .exitOverride()
    .helpCommand(false);
  for (const { group, make } of COMMANDS) {
    const command = make(end).copyInheritedSettings(program).helpGroup(group);
    program.addCommand(command, { hidden: isBrief && !BASIC.has(command.name()) });
  }
  const help = new Command('help').argument('[command]').description('Show the help of a command');
  program.addHelpCommand(help.helpGroup('Learn more:'));
  return withHelp(program, EXAMPLES, isBrief);
}

/** Commands of `wiregauge --help`. */
const BASIC: ReadonlySet<string> = new Set(['init', 'doctor', 'demo', 'compare', 'run', 'versus', 'report', 'explain']);

function parentOf(
  name: string,
  { group, description, below }: { group: string; description: string; below: readonly CommandFile[] },
): CommandFile {
  const examples = Object.fromEntries(below.flatMap((one) => Object.entries(one.examples)));
  return {
    group,
    examples: { [name]: Object.values(examples).flatMap(([first]) => (first ? [first] : [])), ...examples },
    make: (end) => {
      const parent = parentCommand(name, description);
      for (const { make } of below) {
        parent.addCommand(make(end).copyInheritedSettings(parent));
      }
      return parent;
    },
  };
}

/** Commands in the order of `--help`. */
const COMMANDS: readonly CommandFile[] = [
  initCommand,
  doctorCommand,
  demoCommand,
  compareCommand,
  runCommand,
  versusCommand,
  saturateCommand,
  bisectCommand,
  calibrateCommand,
  judgeCommand,
  reportCommand,
  openCommand,
  parentOf('shards', {
    group: 'Split a comparison over jobs:',
    description: 'Plan the shards of a comparison, and merge their results',
    below: [planCommand, mergeCommand],
  }),
  publishCommand,
  historyCommand,
  baselineCommand,
  parentOf('github', {
    group: 'Store and publish runs:',
    description: 'Commands for workflows on GitHub',
    below: [publishForkCommentCommand],
  }),
  parentOf('cache', {
    group: 'Maintain this machine:',
    description: 'Load driver, and what killed runs left behind',
    below: [toolsCommand, cleanCommand],
  }),
  suitesCommand,
  configCommand,
  explainCommand,
  completionCommand,
];

/** Examples of every command by its path; a test parses each, and reports commands without one. */
export const EXAMPLES: Readonly<Record<string, readonly CallExample[]>> = {
  '': [
    ['init', 'a wiregauge.yml and a workflow for this repository'],
    ['compare --base main', 'the working tree against main'],
    ['run --profile smoke', 'every service once, in about two minutes'],
    ['demo', 'a report of services that come with Wiregauge'],
    ['explain inconclusive', 'explain a word in a report'],
  ],
  ...Object.fromEntries(COMMANDS.flatMap(({ examples }) => Object.entries(examples))),
};
