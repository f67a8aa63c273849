import { Command, Option } from 'commander';
import { COMMENT_MODES } from '../../github/index.ts';
import { publish } from '../history/publish.ts';
import { publishCheck } from '../pull-request/check.ts';
import { publishComment } from '../pull-request/comment.ts';
import { publishForkComment } from '../pull-request/fork-comment.ts';
import { FAIL_ON, JSON_OPTION, requires, runIdOf, USUAL } from './options.ts';

/** The command line of `wiregauge publish-comment`. */
export function publishCommentCommand(end: (exitCode: number) => void): Command {
  return withCommentOptions(new Command('publish-comment'))
    .description("put the verdict of a comparison into a pull request's comment, or update it (GITHUB_TOKEN)")
    .argument('<run.json>')
    .option('--pull-request <name>', 'owner/name#12')
    .hook('preAction', requires('--pull-request'))
    .action(async (file: string, flags) => end(await publishComment(file, flags)));
}

/** The command line of `wiregauge publish-fork-comment`. */
export function publishForkCommentCommand(end: (exitCode: number) => void): Command {
  return withCommentOptions(new Command('publish-fork-comment'))
    .description(
      'judge anew what the job of a fork measured, by the rules of this checkout, and comment (GITHUB_TOKEN)',
    )
    .option('--repository <name>', 'owner/name that the pull request is for')
    .option('--workflow-run <id>', 'the workflow run that measured', runIdOf)
    .option('--head-sha <sha>', 'the commit that it ran for')
    .option('--head <branch>', 'its branch, as owner:branch')
    .option('--artifact <name>', 'the artifact that holds its run.json', USUAL.artifact)
    .option('--policy <file>', 'thresholds, budgets and the like, instead of those of the suite')
    .hook('preAction', requires('--repository', '--workflow-run', '--head-sha', '--head'))
    .action(async (flags) => end(await publishForkComment(flags)));
}

/** The command line of `wiregauge publish-check`. */
export function publishCheckCommand(end: (exitCode: number) => void): Command {
  return new Command('publish-check')
    .description('write the verdict of a comparison as a check run on its head, or update it (GITHUB_TOKEN)')
    .argument('<run.json>')
    .option('--repository <name>', 'owner/name')
    .option('--name <name>', 'tells the check runs of several jobs apart', 'Wiregauge')
    .option('--run-url <address>', 'the page of the run, for a link')
    .option('--report-url <address>', 'the page of the artifact with the reports, for a link')
    .addOption(
      new Option('--fail-on <what>', 'what makes it a failure; default: what the policy says').choices(FAIL_ON),
    )
    .option('--policy <file>', 'where the thresholds stand, for the lines of annotations')
    .option(...JSON_OPTION)
    .hook('preAction', requires('--repository'))
    .action(async (file: string, flags) => end(await publishCheck(file, flags)));
}

function withCommentOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--comment <when>', 'auto: where there is something to say, and then kept up to date')
        .choices(COMMENT_MODES)
        .default('auto'),
    )
    .option('--comment-id <name>', 'tells the comments of several jobs apart', 'wiregauge')
    .option('--run-url <address>', 'the page of the run, for a link')
    .option('--report-url <address>', 'the page of the artifact with the reports, for a link')
    .option(...JSON_OPTION);
}

/** The command line of `wiregauge publish`. */
export function publishCommand(end: (exitCode: number) => void): Command {
  return new Command('publish')
    .description('add a run to the history on a branch, safely while others do the same')
    .argument('[run.json]', 'the run', 'out/run.json')
    .option('--remote <name>', 'the remote that has the branch', 'origin')
    .option('--branch <name>', 'the branch that has the history', 'gh-pages')
    .option('--folder <path>', 'where on the branch', 'performance')
    .option('--create-branch', 'begin the branch where it is missing, with nothing else in it')
    .option('--allow-dirty', 'also a run of changes that are in no commit')
    .option('--if-allowed', 'where the credentials may only read, say so and go on')
    .option('--report-url <address>', 'the page of the reports of the run, for a link')
    .option('--dry-run', 'say what would be written, and write nothing')
    .option(...JSON_OPTION)
    .action(async (file: string, flags) => end(await publish(file, flags)));
}
