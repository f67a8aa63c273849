import { type Alert, type AlertStatus, isReportedAlert } from '../history/alerts/alert-status.ts';
import {
  type AlertState,
  type AlertsOf,
  alertBody,
  alertRemark,
  alertStateIn,
  alertsOverBody,
  alertTitle,
} from '../report/comment/alert-issue.ts';
import type { Issues, OwnIssue } from './api/issues.ts';

/** Action taken, and the page of the issue. */
export type AlertIssueEnd =
  | { readonly did: 'opened' | 'updated' | 'unchanged' | 'closed'; readonly url: string }
  | { readonly did: 'none' };

/** Older changes open no issue, for example when alerts are enabled for an old history. */
const FRESH_RUNS = 30;

/**
 * Keeps one open issue per suite while there are alerts, and none otherwise. Alerts in an issue that a person closed are never reported
 * again. Rejects with errors of the port.
 */
export async function keepAlertIssue(issues: Issues, of: AlertsOf, status: AlertStatus): Promise<AlertIssueEnd> {
  const own = await alertIssues(issues, of);
  const dismissed = own.filter(({ isOpen, state }) => !isOpen && !state.isOver);
  const open = own.findLast(({ isOpen, state }) => isOpen && !state.isOver);
  const reported = open?.state.reported ?? [];
  const alerts = status.alerts.filter(
    (alert) =>
      !dismissed.some((issue) => isDismissed(alert, issue, status)) &&
      (alert.runs <= FRESH_RUNS || isReportedAlert(alert, reported, status)),
  );
  if (open === undefined) {
    return alerts.length === 0 ? { did: 'none' } : await opened(issues, of, alerts, status);
  }
  if (alerts.length > 0) {
    return await updated(issues, of, open, alerts, status);
  }
  await issues.update(open.number, { body: alertsOverBody(of), closed: 'completed' });
  return { did: 'closed', url: open.url };
}

interface AlertIssue extends OwnIssue {
  readonly state: AlertState;
}

async function alertIssues(issues: Issues, { suite }: AlertsOf): Promise<readonly AlertIssue[]> {
  return (await issues.all()).flatMap((issue) => {
    const state = alertStateIn(issue.body, suite);
    return state === undefined ? [] : [{ ...issue, state }];
  });
}

/** True if a closed issue covers an alert. A change point that moved is only covered if its run existed when the issue was closed. */
function isDismissed(alert: Alert, { state: { reported }, closedAt = '' }: AlertIssue, status: AlertStatus): boolean {
  const isNamed = reported.some(({ series, run }) => series === alert.id.series && run === alert.id.run);
  const isOlder = Date.parse(alert.at) <= Date.parse(closedAt);
  return isNamed || (isOlder && isReportedAlert(alert, reported, status));
}

/** Opens an issue. If another job opened one in the meantime, the older issue is kept; the second job sees both. */
async function opened(
  issues: Issues,
  of: AlertsOf,
  alerts: readonly Alert[],
  status: AlertStatus,
): Promise<AlertIssueEnd> {
  const { number, url } = await issues.create(alertTitle(of, alerts), alertBody(of, alerts));
  const others = (await alertIssues(issues, of)).filter((one) => one.isOpen && !one.state.isOver);
  const open = others.findLast((one) => one.number < number);
  if (open === undefined) {
    return { did: 'opened', url };
  }
  await issues.update(number, { body: alertsOverBody(of, open.number), closed: 'not_planned' });
  return await updated(issues, of, open, alerts, status);
}

async function updated(
  issues: Issues,
  of: AlertsOf,
  open: AlertIssue,
  alerts: readonly Alert[],
  status: AlertStatus,
): Promise<AlertIssueEnd> {
  const { number, url, state } = open;
  const added = alerts.filter((alert) => !isReportedAlert(alert, state.reported, status));
  if (added.length > 0) {
    // First, so that a failed comment is retried by the next run.
    await issues.remark(number, alertRemark(of, added));
  }
  const [title, body] = [alertTitle(of, alerts), alertBody(of, alerts)];
  if (title === open.title && body.trimEnd() === open.body.replaceAll('\r\n', '\n').trimEnd()) {
    return { did: 'unchanged', url };
  }
  await issues.update(number, { title, body });
  return { did: 'updated', url };
}
