import { type Alert, type AlertStanding, isToldAlert } from '../history/alerts/alert-standing.ts';
import {
  type AlertState,
  type AlertsOf,
  alertBody,
  alertDuplicateBody,
  alertRemark,
  alertStateIn,
  alertsOverBody,
  alertTitle,
} from '../report/comment/alert-issue.ts';

/** An issue that the account behind the token opened. */
export interface OwnIssue {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly isOpen: boolean;
  /** ISO 8601, in UTC; undefined of an open one. */
  readonly closedAt?: string | undefined;
  /** Its page. */
  readonly url: string;
}

/** What of an issue is to be another. */
export interface IssueChange {
  readonly title?: string;
  readonly body?: string;
  /** Closed: because all of it is done, or because it is not to be followed. */
  readonly closed?: 'completed' | 'not_planned';
}

/** The issues of one repository that the account behind the token opened, and no others. Rejects with a KnownError if GitHub refuses. */
export interface Issues {
  /** Open and closed, the newest first. */
  all(): Promise<readonly OwnIssue[]>;
  create(title: string, body: string): Promise<OwnIssue>;
  update(number: number, change: IssueChange): Promise<void>;
  /** Writes a comment. */
  remark(number: number, body: string): Promise<void>;
}

/** What was done, and the page of the issue. */
export type AlertIssueEnd =
  | { readonly did: 'opened' | 'updated' | 'unchanged' | 'closed'; readonly url: string }
  | { readonly did: 'none' };

/** An older change has become what is usual: it opens no issue, as when alerts are switched on in an old history. */
const FRESH_RUNS = 30;

/**
 * Leaves the suite with one open issue while there is something in it to know, with a list of all of it; with none otherwise. What a
 * person closed an issue about is never told again. Rejects with what the port rejects with.
 */
export async function keepAlertIssue(issues: Issues, of: AlertsOf, standing: AlertStanding): Promise<AlertIssueEnd> {
  const own = await alertIssues(issues, of);
  const dismissed = own.filter(({ isOpen, state }) => !isOpen && !state.isOver);
  const open = own.findLast(({ isOpen, state }) => isOpen && !state.isOver);
  const told = open?.state.told ?? [];
  const alerts = standing.alerts.filter(
    (alert) =>
      !dismissed.some((issue) => isDismissed(alert, issue, standing)) &&
      (alert.runs <= FRESH_RUNS || isToldAlert(alert, told, standing)),
  );
  if (open !== undefined) {
    return alerts.length === 0 ? await closed(issues, of, open) : await updated(issues, of, { open, alerts, standing });
  }
  return alerts.length === 0 ? { did: 'none' } : await opened(issues, of, { alerts, standing });
}

interface AlertIssue extends OwnIssue {
  readonly state: AlertState;
}

/** Those of the suite. */
async function alertIssues(issues: Issues, { suite }: AlertsOf): Promise<readonly AlertIssue[]> {
  return (await issues.all()).flatMap((issue) => {
    const state = alertStateIn(issue.body, suite);
    return state === undefined ? [] : [{ ...issue, state }];
  });
}

/** A change point that moved to another run is the same only if that run had been there when the person closed the issue. */
function isDismissed(alert: Alert, { state: { told }, closedAt = '' }: AlertIssue, standing: AlertStanding): boolean {
  const isNamed = told.some(({ series, run }) => series === alert.id.series && run === alert.id.run);
  const isOlder = Date.parse(alert.at) <= Date.parse(closedAt);
  return isNamed || (isOlder && isToldAlert(alert, told, standing));
}

interface Listed {
  readonly alerts: readonly Alert[];
  readonly standing: AlertStanding;
}

/** Another job may have opened one in the meantime: the older issue stays, and the second job sees both. */
async function opened(issues: Issues, of: AlertsOf, { alerts, standing }: Listed): Promise<AlertIssueEnd> {
  const { number, url } = await issues.create(alertTitle(of, alerts), alertBody(of, alerts));
  const others = (await alertIssues(issues, of)).filter((one) => one.isOpen && !one.state.isOver);
  const open = others.findLast((one) => one.number < number);
  if (open === undefined) {
    return { did: 'opened', url };
  }
  await issues.update(number, { body: alertDuplicateBody(of, open.number), closed: 'not_planned' });
  return await updated(issues, of, { open, alerts, standing });
}

async function updated(
  issues: Issues,
  of: AlertsOf,
  { open, alerts, standing }: Listed & { readonly open: AlertIssue },
): Promise<AlertIssueEnd> {
  const { number, url, state } = open;
  const added = alerts.filter((alert) => !isToldAlert(alert, state.told, standing));
  if (added.length > 0) {
    // First, so that what was not told is tried again.
    await issues.remark(number, alertRemark(of, added));
  }
  const [title, body] = [alertTitle(of, alerts), alertBody(of, alerts)];
  if (title === open.title && body.trimEnd() === open.body.replaceAll('\r\n', '\n').trimEnd()) {
    return { did: 'unchanged', url };
  }
  await issues.update(number, { title, body });
  return { did: 'updated', url };
}

async function closed(issues: Issues, of: AlertsOf, { number, url }: AlertIssue): Promise<AlertIssueEnd> {
  await issues.update(number, { body: alertsOverBody(of), closed: 'completed' });
  return { did: 'closed', url };
}
