import { Command } from 'commander';
import packageFile from '../../../package.json' with { type: 'json' };
import { print } from '../../host/terminal/output.ts';
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
import { formerPublishCommands, publishCommand } from '../publish.ts';
import { publishForkCommentCommand } from '../pull-request/fork-comment.ts';
import { judgeCommand } from '../runs/judge.ts';
import { mergeCommand } from '../runs/merge.ts';
import { openCommand } from '../runs/open.ts';
import { planCommand } from '../runs/plan.ts';
import { reportCommand } from '../runs/report.ts';
import type { CallExample, CommandFile } from './command.ts';
import { failureData, tellFailure } from './failure.ts';
import { withHelp } from './help.ts';
import { OPTIONS } from './options.ts';
import { tellResult } from './result.ts';

/** Does what a command line asks for and gives its exit code; whatever goes wrong is told on standard error. */
export async function runCommandLine(argv: readonly string[]): Promise<number> {
  let exitCode = 0;
  const program = commandLine((code) => {
    exitCode = code;
  });
  if (argv[0] === '__complete') {
    print(`${(await completionsOf(program, argv.slice(1))).join('\n')}\n`);
    return 0;
  }
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (thrown) {
    const isJson = argv.includes(OPTIONS.json.flags);
    const data = isJson ? failureData(thrown) : undefined;
    if (data !== undefined) {
      tellResult({ command: nameIn(program, argv), json: true }, { text: () => '', data: () => data });
    }
    // Standard output may be on its way to a program.
    return tellFailure(thrown, isJson ? 'err' : 'out');
  }
}

/** The name of the command that the words begin with: "history list". */
function nameIn({ commands }: Command, [word, ...words]: readonly string[]): string {
  const found = commands.find((one) => one.name() === word);
  return found === undefined ? '' : `${found.name()} ${nameIn(found, words)}`.trim();
}

/** All commands as they are parsed; `end` is given the exit code of the one that was asked for. */
export function commandLine(end: (exitCode: number) => void): Command {
  const program = new Command('wiregauge')
    .description(packageFile.description)
    .version(packageFile.version, '-v, --version', 'print the version')
    .showSuggestionAfterError()
    .exitOverride()
    .helpCommand(false);
  for (const { group, make } of COMMANDS) {
    program.addCommand(make(end).copyInheritedSettings(program).helpGroup(group));
  }
  for (const make of formerPublishCommands) {
    program.addCommand(make(end).copyInheritedSettings(program), { hidden: true });
  }
  const help = new Command('help').argument('[command]').description('Show the help of a command');
  program.addHelpCommand(help.helpGroup('Learn more:'));
  return withHelp(program, EXAMPLES);
}

/** In the order of `--help`. */
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
  planCommand,
  mergeCommand,
  publishCommand,
  historyCommand,
  baselineCommand,
  publishForkCommentCommand,
  toolsCommand,
  cleanCommand,
  suitesCommand,
  configCommand,
  explainCommand,
  completionCommand,
];

/** Examples of every command by its path; a test parses each of them, and finds commands without one. */
export const EXAMPLES: Readonly<Record<string, readonly CallExample[]>> = {
  '': [
    ['init', 'a wiregauge.yml and a workflow for this repository'],
    ['compare --base main', 'the working tree against main'],
    ['run --profile smoke', 'every service once, in about two minutes'],
    ['demo', 'a report of services that come with Wiregauge'],
    ['plan --shards 2', 'show what each job measures, and how long it takes'],
    ['publish --dry-run', 'show what out/run.json would add to the history'],
    ['history list --last 5', 'the newest published runs'],
    ['explain inconclusive', 'explain a word in a report'],
  ],
  ...Object.fromEntries(COMMANDS.flatMap(({ examples }) => Object.entries(examples))),
};
