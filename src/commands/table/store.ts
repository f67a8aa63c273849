import { Command, Option } from 'commander';
import { actions, type CommandGroup, parentOf } from '../program/command.ts';
import {
  ageOf,
  BASELINES,
  EXPORT_FORMATS,
  IMPORT_FORMATS,
  OPTIONS,
  requires,
  runIdOf,
  USUAL_ARTIFACT,
  wholeNumber,
  withOptions,
} from '../program/options.ts';

export const STORE: CommandGroup = {
  heading: 'Store and publish runs:',
  examples: {
    publish: [
      ['publish --dry-run', 'show what out/run.json would add to the history'],
      ['publish out/run.json --create-branch', 'the first run of a history'],
      ['publish out/run.json --alert-issue', 'publish, and maintain an issue on regressions'],
      ['publish --to comment --pull-request owner/name#12', 'write a comment if there is something to report'],
      ['publish --to check --repository owner/name', 'a check run on the head'],
      ['publish --to note', 'in a GitLab merge request pipeline'],
      ['publish --to note --merge-request group/project!12', 'from anywhere'],
    ],
    'history list': [
      ['history list --last 5', 'the newest five runs'],
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
    'baseline pin': [['baseline pin v1.4.0', 'compare pushes to the default branch with it, until another is pinned']],
    'baseline update': [['baseline update out/run.json', 'add a run; commit the folder then']],
    'github fork-comment': [
      [
        'github fork-comment --repository owner/name --workflow-run 123 --head-sha 0123abc',
        "judge the results of a fork's job",
      ],
    ],
  },
  commands: [
    publishing,
    parentOf('history', 'Show, export, import, thin and repair published runs', [
      () =>
        placed('list', 'Show the newest runs', 'json')
          .option('--suite <name>', 'only runs of this suite')
          .option('--last <n>', 'how many runs', wholeNumber, 20)
          .action(async (flags) => await (await actions()).historyListCommand(flags)),
      () =>
        placed('show', 'Show one run with all its figures', 'json')
          .argument('<run>', 'its ID, or the start of it')
          .action(async (run: string, flags) => await (await actions()).historyShowCommand(run, flags)),
      () =>
        placed('export', 'Export the runs in another format')
          .addOption(new Option('--format <name>', 'the format to write').choices(EXPORT_FORMATS).default('json'))
          .option('--suite <name>', 'only runs of this suite')
          .option('--out <file>', 'the file to write; default: standard output')
          .action(async (flags) => await (await actions()).historyExportCommand(flags)),
      () =>
        placed('import', 'Import the runs of an export, or of another tool', 'create-branch json')
          .argument('<file>')
          .addOption(
            new Option('--format <name>', 'the format of the file').choices(IMPORT_FORMATS).makeOptionMandatory(),
          )
          .option('--suite <name>', 'the suite, for custom figures and benchmark tools', 'Benchmark')
          .option('--commit <sha>', 'the commit, for custom figures and benchmark tools')
          .option(
            '--at <time>',
            'the time, for custom figures and benchmark tools, like 2026-11-21T10:00:00Z; default: the one in the file, else now',
          )
          .action(async (file: string, flags) => await (await actions()).historyImportCommand(file, flags)),
      () =>
        placed('thin', 'Delete old runs: keep one a day, then one a week (dry run unless --yes)', 'json')
          .requiredOption('--keep <age>', 'keep every run younger than this, like 180d, 26w or 1y', ageOf)
          .option('--yes', 'delete them')
          .option('--dry-run', 'print what would be deleted, even with --yes')
          .action(async (flags) => await (await actions()).historyThinCommand(flags)),
      () =>
        placed('repair', 'Rebuild a lost or damaged index (dry run unless --yes)', 'dry-run json')
          .option('--change-points', 'also detect the change points again')
          .option(
            '--repository <url>',
            'the repository that the page links to; default: the one in the index, or the remote',
          )
          .option(
            '--default-branch <name>',
            'the branch whose runs count; default: the one in the index, or of the remote',
          )
          .option('--yes', 'write the files')
          .action(async (flags) => await (await actions()).historyRepairCommand(flags)),
    ]),
    parentOf('baseline', 'Store runs, or pin the anchor of the trend, in files of the repository', [
      () =>
        withOptions(new Command('update'), 'json')
          .description('Add a run to the history in a folder of the repository')
          .argument('[run.json]', 'the run', 'out/run.json')
          .option('--folder <folder>', 'the folder that has the history', BASELINES)
          .option('--allow-dirty', 'also add a run with uncommitted changes')
          .action(async (file: string, flags) => await (await actions()).updateBaseline(file, flags)),
      () =>
        withOptions(new Command('pin'), 'json')
          .description('Pin the commit that the trend is anchored to, in .wiregauge/anchor.yml')
          .argument('<ref>', 'a tag, a branch or a commit')
          .action(async (ref: string, flags) => await (await actions()).pinBaseline(ref, flags)),
    ]),
    parentOf('github', 'Commands for workflows on GitHub', [
      (end) =>
        withOptions(new Command('fork-comment'), 'comment comment-id run-url report-url json', {
          repository: 'owner/name that the pull request is for',
          policy: 'a policy file (thresholds, budgets), instead of the policy of the suite',
          suite: 'what the job measures, if not the first suite',
          services: 'the services that the job measures, if not all of the suite',
          operations: 'the operations that the job measures, if not all of the suite',
          'fail-on': 'what fails this command; default: set by the policy',
          against: 'where to find the drift of the default branch: history, or history:<folder>; default: none',
        })
          .description("Judge the results of a fork's job, and comment (GITHUB_TOKEN)")
          .option('--workflow-run <id>', 'the workflow run that measured', runIdOf)
          .option('--head-sha <sha>', 'the commit that it ran for')
          // For version 1.0: pull requests are found by the commit.
          .addOption(new Option('--head <branch>').hideHelp())
          .addOption(new Option('--head-repository <name>').hideHelp())
          .option('--artifact <name>', 'the artifact with its run.json', USUAL_ARTIFACT)
          .option('--check <name>', 'also write a check run of this name on the head')
          .hook('preAction', requires('--repository', '--workflow-run', '--head-sha'))
          .action(async (flags) => end(await (await actions()).forkComment(flags))),
    ]),
  ],
};

/** Places for a run, each with what publishes it there and its required flags. */
const PLACES = {
  history: { action: 'publish', required: [] },
  comment: { action: 'publishComment', required: ['--pull-request'] },
  check: { action: 'publishCheck', required: ['--repository'] },
  note: { action: 'publishNote', required: [] },
} as const;

function publishing(): Command {
  const forHistory = withOptions(new Command('publish'), 'remote branch create-branch alert-webhook', {
    'dry-run': 'print what would be written, without writing',
  })
    .description('Publish a run: to the history on a branch, in a comment, a check run, or a note of GitLab')
    .argument('[run.json]', 'the run', 'out/run.json')
    .addOption(new Option('--to <where>', 'where to publish it').choices(Object.keys(PLACES)).default('history'))
    .option('--folder <path>', 'history: the folder on the branch', OPTIONS['branch-folder'].usual)
    .option('--allow-dirty', 'history: also publish a run with uncommitted changes')
    .option('--if-allowed', 'history: if the credentials are read-only, warn and continue')
    .option('--alert-issue', 'history: keep a GitHub issue about what got worse (GITHUB_TOKEN)');
  return withOptions(forHistory, 'comment comment-id run-url report-url json', {
    'pull-request': 'comment: owner/name#12, of GitHub (GITHUB_TOKEN)',
    repository: 'check: owner/name, of GitHub (GITHUB_TOKEN)',
    'fail-on': 'check: what makes it a failure; default: set by the policy',
    policy: 'check: the file with the thresholds, for annotations',
  })
    .option('--name <name>', 'check: distinguishes the check runs of several jobs', 'Wiregauge')
    .option('--merge-request <name>', 'note: group/project!12 (GITLAB_TOKEN); default: that of the pipeline')
    .hook('preAction', (command) => requires(...placeOf(command).required)(command))
    .action(async (file: string, flags, command: Command) => {
      await (await actions())[placeOf(command).action](file, flags);
    });
}

function placeOf(command: Command) {
  return PLACES[command.opts<{ to: keyof typeof PLACES }>().to];
}

/** Command about a history, which is on a branch or in a folder. */
function placed(name: string, description: string, options = ''): Command {
  return withOptions(new Command(name), `remote branch branch-folder ${options}`.trim())
    .description(description)
    .option('--folder <path>', "a checkout or a copy of the branch's folder, instead of the branch");
}
