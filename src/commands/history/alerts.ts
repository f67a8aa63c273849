import { EnvironmentError, KnownError, messageOf } from '../../foundation/errors.ts';
import { type AlertIssueEnd, keepAlertIssue } from '../../github/issue.ts';
import { type Alert, isReportedAlert, statusOf } from '../../history/alerts/alert-status.ts';
import type { Publication, PublishedRun } from '../../history/publish.ts';
import { remarkLog } from '../../host/terminal/output.ts';
import { sendToWebhook } from '../../host/webhook.ts';
import { type AlertFormat, type AlertNews, alertMessage } from '../../report/comment/alert-messages.ts';
import { gitHubOf } from '../pull-request/comment.ts';

export interface AlertFlags {
  readonly alertIssue?: boolean | undefined;
  readonly alertWebhook?: AlertFormat | undefined;
  /** Address of the webhook, a secret; default: the variable ALERT_WEBHOOK. */
  readonly alertAddress?: string | undefined;
  readonly json?: boolean | undefined;
}

interface PublishedForAlerts {
  readonly publication: Publication;
  readonly done: PublishedRun;
  readonly page: string | undefined;
  readonly flags: AlertFlags;
  readonly warn: (message: string) => void;
}

/**
 * Sends the requested alerts for regressions of a published run of the default branch, and for those that ended. A failed delivery is a warning with
 * the fix: the run is published all the same. Returns undefined if no alert is requested, and an empty end for a run that sends none. Never rejects.
 */
export async function sendAlerts(published: PublishedForAlerts) {
  const { flags, publication } = published;
  const isRequested = flags.alertIssue === true || flags.alertWebhook !== undefined;
  if (!isRequested) {
    return undefined;
  }
  const { entry } = publication.addition;
  if (entry.pullRequest !== undefined || entry.branch === undefined || entry.branch !== publication.about.branch) {
    remarkLog(flags)('no alerts: this run is not from the default branch');
    return {};
  }
  return {
    ...(flags.alertIssue === true && {
      issue: await orWarn(published, 'The issue about changes was not updated', keepIssue),
    }),
    ...(flags.alertWebhook !== undefined && {
      webhook: await orWarn(published, 'The changes were not sent to the webhook', notifyWebhook),
    }),
  };
}

async function orWarn<End>(
  published: PublishedForAlerts,
  what: string,
  work: (published: PublishedForAlerts) => Promise<End>,
): Promise<End | { readonly did: 'failed' }> {
  try {
    return await work(published);
  } catch (thrown) {
    const next = thrown instanceof KnownError && thrown.next !== undefined ? `. ${thrown.next}` : '';
    published.warn(`${what}: ${messageOf(thrown)}${next}`);
    return { did: 'failed' };
  }
}

async function keepIssue({ publication, done, page, flags }: PublishedForAlerts): Promise<AlertIssueEnd> {
  const { suite } = publication.addition.entry;
  const log = remarkLog(flags);
  const github = gitHubOf(repositoryOf(publication), log, GIVE_TOKEN);
  const end = await keepAlertIssue(github.issues(), { suite, page }, await statusOf(done.after, suite));
  log(end.did === 'none' ? 'alerts: none, no issue needed' : `alerts: issue ${end.did}: ${end.url}`);
  return end;
}

const GIVE_TOKEN = 'give the job `permissions: { contents: write, issues: write }`.';

/** Name of the repository for the issues. Throws EnvironmentError if the history is not on GitHub. */
function repositoryOf({ about: { repository = '' } }: Publication): string {
  const server = process.env['GITHUB_SERVER_URL'] || 'https://github.com';
  const name = repository.startsWith(`${server}/`) ? repository.slice(server.length + 1) : '';
  if (!/^[^/]+\/[^/]+$/.test(name)) {
    throw new EnvironmentError(`the repository of the history is not on ${server}`, {
      code: 'WG-211',
      next: 'Outside GitHub, send alerts to a webhook: `--alert-webhook`.',
    });
  }
  return name;
}

/** A webhook gets each change once, with the first run that shows it; counts the changes for the worse, and those that are gone. */
async function notifyWebhook({ publication, done, page, flags }: PublishedForAlerts) {
  const log = remarkLog(flags);
  const { entry } = publication.addition;
  const news = await newsOf(publication, done, page);
  const counts = { worse: news.worse.length, gone: news.gone.length };
  if (counts.worse + counts.gone === 0) {
    log('alerts: no confirmed change, so nothing was sent to the webhook');
    return { did: 'none' as const, ...counts };
  }
  const address = flags.alertAddress ?? process.env['ALERT_WEBHOOK'] ?? '';
  if (address === '') {
    throw new EnvironmentError('there is no webhook address', { code: 'WG-109', next: PASS_ADDRESS });
  }
  const body = alertMessage(flags.alertWebhook ?? 'json', { ...news, run: entry.run, commit: entry.commit?.sha });
  const end = await sendToWebhook({ address, body });
  if (end.kind === 'failed') {
    throw new EnvironmentError(end.why, { code: 'WG-510', next: end.next });
  }
  log(`alerts: sent to the webhook: ${counts.worse} worse, ${counts.gone} no longer worse`);
  return { did: 'sent' as const, ...counts };
}

const PASS_ADDRESS =
  'Store it as a secret, and pass it to the step: `with: { alert-webhook: "${{ secrets.ALERT_WEBHOOK }}" }`; on the command line, set the variable ALERT_WEBHOOK.';

/** Alerts that the run added and removed. */
async function newsOf(
  { addition: { entry }, about: { repository } }: Publication,
  { before, after }: PublishedRun,
  page: string | undefined,
): Promise<Omit<AlertNews, 'run' | 'commit'>> {
  const { suite } = entry;
  const [was, is] = [await statusOf(before, suite), await statusOf(after, suite)];
  const reported = was.alerts.map(({ id }) => id);
  const isLeft = ({ id }: Alert) => is.alerts.some((one) => isReportedAlert(one, [id], is));
  return {
    ...{ suite, page, repository },
    worse: is.alerts.filter((alert) => !isReportedAlert(alert, reported, is)),
    gone: was.alerts.filter((alert) => !isLeft(alert)),
    openCount: is.alerts.length,
  };
}
