import { Argument, Command } from 'commander';
import { configShow } from '../config.ts';
import { doctor } from '../doctor/doctor.ts';
import { printCompletion, SHELLS, type Shell } from '../help/completion.ts';
import { explain } from '../help/explain.ts';
import { init } from '../init/init.ts';
import { commaSeparated, JSON_OPTION, SUITE_HELP } from './options.ts';

/** The command line of `wiregauge init`. */
export function initCommand(end: (exitCode: number) => void): Command {
  return new Command('init')
    .description('write a wiregauge.yml and a workflow for a repository, by what lies in it')
    .argument('[folder]', 'the repository; default: the current folder')
    .option('--yes', 'ask nothing')
    .option('--force', 'overwrite files that are there')
    .option('--dry-run', 'print the files instead of writing them')
    .option(...JSON_OPTION)
    .action(async (folder: string | undefined, flags) => end(await init(folder, flags)));
}

/** The command line of `wiregauge doctor`. */
export function doctorCommand(end: (exitCode: number) => void): Command {
  return new Command('doctor')
    .description('look whether all is there that measuring needs, and say what to do where it is not')
    .option('--suite <name>', SUITE_HELP)
    .option(...JSON_OPTION)
    .action(async (flags) => end(await doctor(flags)));
}

/** The command line of `wiregauge config`. */
export function configCommand(end: (exitCode: number) => void): Command {
  // Before its own commands are made: they take over what it has then.
  const command = new Command('config').exitOverride().showSuggestionAfterError().helpCommand(false);
  command.description('look at what is configured');
  command
    .command('show')
    .description('print what the files come to, with everything that they leave out, and how long it takes')
    .option('--suite <name>', SUITE_HELP)
    .option('--services <names>', "some of the suite's services", commaSeparated)
    .option(...JSON_OPTION)
    .action(async (flags) => end(await configShow(flags)));
  return command;
}

/** The command line of `wiregauge explain`. */
export function explainCommand(end: (exitCode: number) => void): Command {
  return new Command('explain')
    .description('say what a verdict, a mark, a metric, an exit code, a term or the text of a message means')
    .argument('[topic...]', 'a name, or a message as it was printed; none: list the names')
    .option(...JSON_OPTION)
    .action((words: readonly string[], flags) => end(explain(words.join(' '), flags)));
}

/** The command line of `wiregauge completion`. */
export function completionCommand(end: (exitCode: number) => void): Command {
  return new Command('completion')
    .description('print a script that has a shell complete commands, flags and names')
    .addArgument(new Argument('<shell>', 'the shell that is to run it').choices(SHELLS))
    .action((shell: Shell, _flags, command: Command) => end(printCompletion(shell, command.parent ?? command)));
}
