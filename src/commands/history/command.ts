import { type Command, Option } from 'commander';
import { daysOf } from '../../history/repair/thin.ts';
import { type CommandFile, parentCommand } from '../program/command.ts';
import { valid, wholeNumber, withOptions } from '../program/options.ts';
import { EXPORT_FORMATS, historyExportCommand, historyImportCommand, IMPORT_FORMATS } from './exchange.ts';
import { historyListCommand, historyShowCommand } from './list.ts';
import { USUAL_PLACE } from './place.ts';
import { historyRepairCommand } from './repair.ts';
import { historyThinCommand } from './thin.ts';

export const historyCommand: CommandFile = {
  group: 'Store and publish runs:',
  examples: {
    history: [
      ['history list --last 5', 'the newest published runs'],
      ['history export --format csv --out runs.csv', 'all of them as a table'],
    ],
    'history list': [
      ['history list --last 5', 'the newest five'],
      ['history list --suite users --folder performance --json', 'the runs of a suite in a copy of the folder'],
    ],
    'history show': [['history show 3f2a', 'the run whose ID starts with 3f2a']],
    'history export': [
      ['history export --format csv --out runs.csv', 'all runs as a table'],
      ['history export --format github-action-benchmark', 'as the data.js of another tool'],
    ],
    'history import': [
      ['history import data.js --format github-action-benchmark', 'the history of another tool'],
      ['history import bench.txt --format go-test --commit 0123abc', 'what `go test -bench` printed'],
      ['history import figures.json --format custom-smaller --commit 0123abc', 'figures for which lower is better'],
    ],
    'history thin': [
      ['history thin --keep 180d', 'which runs would be deleted'],
      ['history thin --keep 180d --yes', 'delete them'],
    ],
    'history repair': [
      ['history repair', 'show what could be repaired, without writing'],
      ['history repair --yes', 'rebuild the index'],
    ],
  },
  make: makeHistory,
};

function makeHistory(end: (exitCode: number) => void): Command {
  const history = parentCommand('history', 'Show, export, import, thin and repair published runs');
  placed(history, 'list', 'Show the newest runs', 'json')
    .option('--suite <name>', 'only runs of this suite')
    .option('--last <n>', 'how many runs', wholeNumber, 20)
    .action(async (flags) => end(await historyListCommand(flags)));
  placed(history, 'show', 'Show one run with all its figures', 'json')
    .argument('<run>', 'its ID, or the start of it')
    .action(async (run: string, flags) => end(await historyShowCommand(run, flags)));
  placed(history, 'export', 'Export the runs in another format')
    .addOption(new Option('--format <name>', 'the format to write').choices(EXPORT_FORMATS).default('json'))
    .option('--suite <name>', 'only runs of this suite')
    .option('--out <file>', 'the file to write; default: standard output')
    .action(async (flags) => end(await historyExportCommand(flags)));
  placed(history, 'import', 'Import the runs of an export, or of another tool', 'create-branch json')
    .argument('<file>')
    .addOption(new Option('--format <name>', 'the format of the file').choices(IMPORT_FORMATS).makeOptionMandatory())
    .option('--suite <name>', 'the suite, for custom figures and benchmark tools', 'Benchmark')
    .option('--commit <sha>', 'the commit, for custom figures and benchmark tools')
    .option(
      '--at <time>',
      'the time, for custom figures and benchmark tools, like 2026-11-21T10:00:00Z; default: the one in the file, else now',
    )
    .action(async (file: string, flags) => end(await historyImportCommand(file, flags)));
  placed(history, 'thin', 'Delete old runs: keep one a day, then one a week (dry run unless --yes)', 'json')
    .requiredOption('--keep <age>', 'keep every run younger than this, like 180d, 26w or 1y', daysArgument)
    .option('--yes', 'delete them')
    .option('--dry-run', 'print what would be deleted, even with --yes')
    .action(async (flags) => end(await historyThinCommand(flags)));
  placed(history, 'repair', 'Rebuild a lost or damaged index (dry run unless --yes)', 'dry-run json')
    .option('--change-points', 'also detect the change points again')
    .option('--repository <url>', 'the repository that the page links to; default: the one in the index, or the remote')
    .option('--default-branch <name>', 'the branch whose runs count; default: the one in the index, or of the remote')
    .option('--yes', 'write the files')
    .action(async (flags) => end(await historyRepairCommand(flags)));
  return history;
}

function placed(history: Command, name: string, description: string, options = ''): Command {
  return withOptions(history.command(name).description(description), `remote branch ${options}`.trim())
    .option('--folder <path>', "a checkout or a copy of the branch's folder, instead of the branch")
    .option('--branch-folder <name>', 'the folder of the history on that branch', USUAL_PLACE.branchFolder);
}

function daysArgument(text: string): number {
  return valid(daysOf(text), 'Use an age like 180d, 26w or 1y.');
}
