import { Command, InvalidArgumentError, Option } from 'commander';
import { daysOf } from '../../history/index.ts';
import type { CommandFile } from '../program/command.ts';
import { JSON_OPTION, wholeNumber } from '../program/options.ts';
import { EXPORT_FORMATS, historyExportCommand, historyImportCommand, IMPORT_FORMATS } from './exchange.ts';
import { historyListCommand, historyShowCommand } from './list.ts';
import { USUAL_PLACE } from './place.ts';
import { historyRepairCommand } from './repair.ts';
import { historyThinCommand } from './thin.ts';

/** The command lines of `wiregauge history`. */
export const historyCommand: CommandFile = {
  group: 'Keep runs:',
  examples: {
    history: [
      ['history list --last 5', 'the newest published runs'],
      ['history export --format csv --out runs.csv', 'all of them as a table'],
    ],
    'history list': [
      ['history list --last 5', 'the newest five'],
      ['history list --suite users --folder performance --json', 'those of a suite in a copy of the folder'],
    ],
    'history show': [['history show 3f2a', 'the run whose id begins so']],
    'history export': [
      ['history export --format csv --out runs.csv', 'all runs as a table'],
      ['history export --format github-action-benchmark', 'as the data.js of another tool'],
    ],
    'history import': [
      ['history import data.js --format github-action-benchmark', 'the history of another tool'],
      ['history import figures.json --format custom-smaller --commit 0123abc', 'figures of which less is better'],
    ],
    'history thin': [
      ['history thin --keep 180d', 'which runs would go'],
      ['history thin --keep 180d --yes', 'let them go'],
    ],
    'history repair': [
      ['history repair', 'what could be mended; nothing is written'],
      ['history repair --yes', 'make the index and what follows from the segments again'],
    ],
  },
  make: makeHistory,
};

function makeHistory(end: (exitCode: number) => void): Command {
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
