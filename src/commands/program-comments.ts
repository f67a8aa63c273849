import { Command, Option } from 'commander';
import { runIdOf } from './arguments.ts';
import { publishComment } from './publish-comment.ts';
import { publishForkComment } from './publish-fork-comment.ts';

/** The command line of `wiregauge publish-comment`. */
export function publishCommentCommand(end: (exitCode: number) => void): Command {
  return withCommentOptions(new Command('publish-comment'))
    .description("put the verdict of a comparison into a pull request's comment, or update it (GITHUB_TOKEN)")
    .argument('<run.json>')
    .requiredOption('--pull-request <name>', 'owner/name#12')
    .action(async (file: string, flags) => end(await publishComment(file, flags)));
}

/** The command line of `wiregauge publish-fork-comment`. */
export function publishForkCommentCommand(end: (exitCode: number) => void): Command {
  return withCommentOptions(new Command('publish-fork-comment'))
    .description(
      'judge anew what the job of a fork measured, by the rules of this checkout, and comment (GITHUB_TOKEN)',
    )
    .requiredOption('--repository <name>', 'owner/name that the pull request is for')
    .requiredOption('--workflow-run <id>', 'the workflow run that measured', runIdOf)
    .requiredOption('--head-sha <sha>', 'the commit that it ran for')
    .requiredOption('--head <branch>', 'its branch, as owner:branch')
    .option('--artifact <name>', 'the artifact that holds its run.json', 'wiregauge')
    .option('--policy <file>', 'thresholds, budgets and the like, instead of those of the suite')
    .action(async (flags) => end(await publishForkComment(flags)));
}

function withCommentOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--comment <when>', 'auto: where there is something to say, and then kept up to date')
        .choices(['auto', 'always', 'on-change', 'never'])
        .default('auto'),
    )
    .option('--comment-id <name>', 'tells the comments of several jobs apart', 'wiregauge')
    .option('--run-url <address>', 'the page of the run, for a link');
}
