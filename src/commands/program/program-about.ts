import { Argument, Command } from 'commander';
import { printCompletion, SHELLS, type Shell } from '../help/completion.ts';
import { explain } from '../help/explain.ts';
import { JSON_OPTION } from './json-option.ts';

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
