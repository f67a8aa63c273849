import { Command } from 'commander';
import { configShow } from '../config-show.ts';
import { commaSeparated } from './arguments.ts';
import { JSON_OPTION } from './json-option.ts';
import { SUITE_HELP } from './suite-option.ts';

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
