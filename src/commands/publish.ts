import { Command, Option } from 'commander';
import { ALERT_FORMATS } from '../report/comment/alert-messages.ts';
import { publish } from './history/publish.ts';
import type { CommandFile } from './program/command.ts';
import { requires, withOptions } from './program/options.ts';
import { publishCheck } from './pull-request/check.ts';
import { publishComment } from './pull-request/comment.ts';
import { publishNote } from './pull-request/note.ts';

/** Places for a run, each with its required flags. */
const PLACES = {
  history: { publish, required: [] },
  comment: { publish: publishComment, required: ['--pull-request'] },
  check: { publish: publishCheck, required: ['--repository'] },
  note: { publish: publishNote, required: [] },
} as const;

type Place = keyof typeof PLACES;

export const publishCommand: CommandFile = {
  group: 'Store and publish runs:',
  examples: {
    publish: [
      ['publish --dry-run', 'show what out/run.json would add to the history'],
      ['publish out/run.json --create-branch', 'the first run of a history'],
      ['publish out/run.json --alert-issue', 'publish, and keep an issue about what got worse'],
      ['publish --to comment --pull-request owner/name#12', 'write a comment if there is something to report'],
      ['publish --to check --repository owner/name', 'a check run on the head'],
      ['publish --to note', 'in a GitLab merge request pipeline'],
      ['publish --to note --merge-request group/project!12', 'from anywhere'],
    ],
  },
  make: publishing,
};

function publishing(end: (exitCode: number) => void): Command {
  const forHistory = withOptions(new Command('publish'), 'remote branch create-branch', {
    'dry-run': 'print what would be written, without writing',
  })
    .description('Publish a run: to the history on a branch, in a comment, a check run, or a note of GitLab')
    .argument('[run.json]', 'the run', 'out/run.json')
    .addOption(new Option('--to <where>', 'where to publish it').choices(Object.keys(PLACES)).default('history'))
    .option('--folder <path>', 'history: the folder on the branch', 'performance')
    .option('--allow-dirty', 'history: also publish a run with uncommitted changes')
    .option('--if-allowed', 'history: if the credentials are read-only, warn and continue')
    .option('--alert-issue', 'history: keep a GitHub issue about what got worse (GITHUB_TOKEN)')
    .addOption(
      new Option('--alert-webhook <format>', 'history: report what got worse to a webhook (ALERT_WEBHOOK)').choices(
        ALERT_FORMATS,
      ),
    );
  return withOptions(forHistory, 'comment comment-id run-url report-url json', {
    'pull-request': 'comment: owner/name#12, of GitHub (GITHUB_TOKEN)',
    repository: 'check: owner/name, of GitHub (GITHUB_TOKEN)',
    'fail-on': 'check: what makes it a failure; default: set by the policy',
    policy: 'check: the file with the thresholds, for annotations',
  })
    .option('--name <name>', 'check: distinguishes the check runs of several jobs', 'Wiregauge')
    .option('--merge-request <name>', 'note: group/project!12 (GITLAB_TOKEN); default: that of the pipeline')
    .hook('preAction', (command) => requires(...PLACES[placeOf(command)].required)(command))
    .action(async (file: string, flags, command: Command) =>
      end(await PLACES[placeOf(command)].publish(file, { ...flags, command: 'publish' })),
    );
}

function placeOf(command: Command): Place {
  return command.opts<{ to: Place }>().to;
}
