import { Command, Option } from 'commander';
import { ConfigError, cleanText } from '../../foundation/index.ts';
import { type CheckRun, type GitHub, openGitHub } from '../../github/index.ts';
import { remarkLog } from '../../host/index.ts';
import { type ComparisonResult, isFullPass, type JudgedRun, judgedRun } from '../../judge/index.ts';
import { configPlaces } from '../../project/index.ts';
import {
  annotationsOf,
  comparisonSummary,
  headline,
  type Unjudged,
  unjudgedLine,
  unjudgedSummary,
  viewComparison,
} from '../../report/index.ts';
import type { CommandFile } from '../program/command.ts';
import { exitCodeFor, FAIL_ON, type FailOn, JSON_OPTION, requires } from '../program/options.ts';
import { tellResult } from '../program/result.ts';
import { readVersions } from '../runs/run-files.ts';
import { access } from './comment.ts';

/** The command line of `wiregauge publish-check`. */
export const publishCheckCommand: CommandFile = {
  group: 'Publish to GitHub or GitLab:',
  examples: {
    'publish-check': [['publish-check out/run.json --repository owner/name', 'a check run on the head']],
  },
  make: (end) => {
    return new Command('publish-check')
      .description('Write or update a check run on the head commit (GITHUB_TOKEN)')
      .argument('<run.json>')
      .option('--repository <name>', 'owner/name')
      .option('--name <name>', 'distinguishes the check runs of several jobs', 'Wiregauge')
      .option('--run-url <address>', 'the page of the run, for a link')
      .option('--report-url <address>', 'the page of the artifact with the reports, for a link')
      .addOption(new Option('--fail-on <what>', 'what makes it a failure; default: set by the policy').choices(FAIL_ON))
      .option('--policy <file>', 'the file with the thresholds, for annotations')
      .option(...JSON_OPTION)
      .hook('preAction', requires('--repository'))
      .action(async (file: string, flags) => end(await publishCheck(file, flags)));
  },
};

export interface PublishCheckFlags {
  /** "owner/name". */
  readonly repository: string;
  readonly name: string;
  /** Page of the workflow's run. */
  readonly runUrl?: string | undefined;
  /** Page of the artifact that holds the reports. */
  readonly reportUrl?: string | undefined;
  readonly failOn?: FailOn | undefined;
  /** The file with thresholds that was used instead of those of the suite. */
  readonly policy?: string | undefined;
  readonly json?: boolean | undefined;
}

/**
 * `wiregauge publish-check`: writes the verdict of a `run.json` as a check run on the commit of its head, or updates the one of that
 * name. The token is that of the variable GITHUB_TOKEN. Exit code 0; throws ConfigError if the head is no commit, GitHubRefusal
 * if GitHub does not take it.
 */
export async function publishCheck(file: string, flags: PublishCheckFlags): Promise<number> {
  await checkRunOf(judgedRun(readVersions(file)), file, flags);
  return 0;
}

/** Does what `wiregauge publish-check` does with a comparison that is judged already; `file` is its run.json, for messages. */
export async function checkRunOf({ run, result }: JudgedRun, file: string, flags: PublishCheckFlags): Promise<void> {
  const [owner = '', repo = ''] = flags.repository.split('/');
  const { commit: headSha, dirty } = run.rounds.head;
  if (headSha === undefined || dirty) {
    throw new ConfigError(`${file}: its head was a working tree with changes, but a check run belongs to a commit`, {
      code: 'WG-509',
      next: 'Compare a commit: `wiregauge compare --head <commit>`.',
    });
  }
  const log = remarkLog(flags);
  const conclusion = conclusionOf(result, flags.failOn);
  const { url } = await openGitHub({ ...access(), owner, repo, log }).checkRun({
    name: flags.name,
    headSha,
    conclusion,
    title: cleanText(headline(viewComparison(result, run)), MOST_TITLE),
    summary: comparisonSummary(run, result, flags.reportUrl),
    ...(flags.runUrl !== undefined && { detailsUrl: flags.runUrl }),
    annotations: annotationsOf(run, result, configPlaces(process.cwd(), run, flags.policy)),
  });
  tellResult(
    { command: 'publish-check', json: flags.json },
    {
      text: () => `check run "${flags.name}": ${url ?? 'written'}\n`,
      data: () => ({ name: flags.name, conclusion, outcome: result.outcome, url }),
    },
  );
}

/** Writes the check run of a commit that was not judged: a failure, which also replaces an earlier success of that name. */
export async function checkUnjudged(
  github: GitHub,
  unjudged: Unjudged,
  of: { readonly name: string; readonly headSha: string; readonly detailsUrl?: string | undefined },
): Promise<void> {
  await github.checkRun({
    name: of.name,
    headSha: of.headSha,
    conclusion: 'failure',
    title: cleanText(unjudgedLine(unjudged), MOST_TITLE),
    summary: unjudgedSummary(unjudged),
    ...(of.detailsUrl !== undefined && { detailsUrl: of.detailsUrl }),
  });
}

/** The summary says it whole. */
const MOST_TITLE = 250;

/** What fails the job fails the check; what passes without having seen everything, or with other answers, is neutral. */
export function conclusionOf(result: ComparisonResult, failOn: FailOn | undefined): CheckRun['conclusion'] {
  if (exitCodeFor(result, failOn) !== 0) {
    return 'failure';
  }
  return isFullPass(result) ? 'success' : 'neutral';
}
