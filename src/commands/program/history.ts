import { Command, InvalidArgumentError, Option } from 'commander';
import { daysOf } from '../../history/index.ts';
import { EXPORT_FORMATS, historyExportCommand, historyImportCommand, IMPORT_FORMATS } from '../history/exchange.ts';
import { historyListCommand, historyShowCommand, USUAL_PLACE } from '../history/list.ts';
import { historyRepairCommand } from '../history/repair.ts';
import { historyThinCommand } from '../history/thin.ts';
import { JSON_OPTION, wholeNumber } from './options.ts';

/** The command lines of `wiregauge history`. */
export function historyCommand(end: (exitCode: number) => void): Command {
  // Before its own commands are made: they take over what it has then.
  const history = new Command('history').exitOverride().showSuggestionAfterError();
  history.description('show, export, import, thin and repair the published runs').helpCommand(false);
  placed(history, 'list', 'show the newest runs')
    .option('--suite <name>', 'only of this suite')
    .option('--last <n>', 'how many runs', wholeNumber, 20)
    .option(...JSON_OPTION)
    .action(async (flags) => end(await historyListCommand(flags)));
  placed(history, 'show', 'show one run with all its figures')
    .argument('<run>', 'its id, or the beginning of it')
    .option(...JSON_OPTION)
    .action(async (run: string, flags) => end(await historyShowCommand(run, flags)));
  placed(history, 'export', 'write the runs in another format')
    .addOption(new Option('--format <name>', 'what to write').choices(EXPORT_FORMATS).default('json'))
    .option('--suite <name>', 'only of this suite')
    .option('--out <file>', 'the file to write; default: standard output')
    .action(async (flags) => end(await historyExportCommand(flags)));
  placed(history, 'import', 'add the runs of an export, or of another tool')
    .argument('<file>')
    .addOption(new Option('--format <name>', 'what the file is').choices(IMPORT_FORMATS).makeOptionMandatory())
    .option('--suite <name>', 'of custom figures: what they are called', 'Benchmark')
    .option('--commit <sha>', 'of custom figures: what was measured')
    .option('--at <time>', 'of custom figures: when, like 2026-11-21T10:00:00Z; default: now')
    .option('--create-branch', 'begin the branch where there is none')
    .option(...JSON_OPTION)
    .action(async (file: string, flags) => end(await historyImportCommand(file, flags)));
  placed(history, 'thin', 'let old runs go: one a day stays, then one a week; only says so without --yes')
    .requiredOption('--keep <age>', 'keep every run younger than this, like 180d, 26w or 1y', daysArgument)
    .option('--yes', 'let them go')
    .option('--dry-run', 'only say what would go, whatever else is said')
    .option(...JSON_OPTION)
    .action(async (flags) => end(await historyThinCommand(flags)));
  placed(history, 'repair', 'make a lost or damaged index again from the segments; only says so without --yes')
    .option('--change-points', 'also find the change points anew where their file can be read')
    .option('--repository <url>', 'where the links of the page go; default: what the index says, or the remote')
    .option('--default-branch <name>', 'whose runs count; default: what the index says, or the remote')
    .option('--yes', 'write the files')
    .option('--dry-run', 'only say what would be written, whatever else is said')
    .option(...JSON_OPTION)
    .action(async (flags) => end(await historyRepairCommand(flags)));
  return history;
}

/** A command that works on a history in any place. */
function placed(history: Command, name: string, description: string): Command {
  return history
    .command(name)
    .description(description)
    .option('--folder <path>', "a checkout or a copy of the branch's folder, instead of the branch")
    .option('--remote <name>', 'the remote that has the branch', USUAL_PLACE.remote)
    .option('--branch <name>', 'the branch that has the history', USUAL_PLACE.branch)
    .option('--branch-folder <name>', 'the folder of the history on that branch', USUAL_PLACE.branchFolder);
}

function daysArgument(text: string): number {
  const days = daysOf(text);
  if (days === undefined) {
    throw new InvalidArgumentError('Give an age like 180d, 26w or 1y.');
  }
  return days;
}
