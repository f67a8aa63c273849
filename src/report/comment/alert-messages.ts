import { counted } from '../../foundation/numbers.ts';
import { cleanText, shortCommit } from '../../foundation/text.ts';
import type { Alert } from '../../history/alerts/alert-status.ts';
import { doubtTexts } from '../../history/change-points/doubts.ts';
import { seriesFragment, seriesShift, seriesTitle } from '../../history/feed.ts';
import type { AlertsOf } from './alert-issue.ts';

/** Changes of alerts by a run. Texts are untrusted. */
export interface AlertNews extends AlertsOf {
  /** The page of the repository. */
  readonly repository?: string | undefined;
  /** Published run, and its commit. */
  readonly run: string;
  readonly commit?: string | undefined;
  /** New and removed alerts, and the number of current ones. */
  readonly worse: readonly Alert[];
  readonly gone: readonly Alert[];
  readonly openCount: number;
}

const FORMATS = { json: plainMessage, slack: slackMessage, teams: teamsMessage } as const;

export type AlertFormat = keyof typeof FORMATS;

export const ALERT_FORMATS = Object.keys(FORMATS) as readonly AlertFormat[];

/** Body for a webhook, as JSON. Untrusted text never becomes markup, a mention or a link in it. */
export function alertMessage(format: AlertFormat, news: AlertNews): string {
  return JSON.stringify(FORMATS[format](news)).toWellFormed();
}

const MAX_OF_JSON = 100;

function plainMessage(news: AlertNews): object {
  const { suite, repository, run, commit, page, worse, gone, openCount } = news;
  const item = (alert: Alert) => itemOf(news, alert);
  return {
    schema: 1,
    source: 'wiregauge',
    summary: headlineOf(news),
    suite,
    repository,
    run,
    commit,
    page,
    openCount,
    // Name of `openCount` in 1.0.0.
    standing: openCount,
    worseCount: worse.length,
    goneCount: gone.length,
    worse: worse.slice(0, MAX_OF_JSON).map(item),
    gone: gone.slice(0, MAX_OF_JSON).map(item),
  };
}

function itemOf({ page }: AlertNews, alert: Alert): object {
  const { kind, series, before, after, shift, runs, run, at, commit, subject, neighbor, environment } = alert;
  const { service, operation, tier, metric, unit, better } = series;
  return {
    kind,
    ...{ service, operation, tier, metric, unit, better, before, after, change: shift, runs },
    since: { run, at, commit, subject },
    neighbor,
    environment,
    page: page === undefined ? undefined : `${page}${seriesFragment(alert)}`,
  };
}

function headlineOf({ suite, worse, gone, openCount }: AlertNews): string {
  const reported = [
    ...(worse.length > 0 ? [`${counted(worse.length, 'figure')} got worse`] : []),
    ...(gone.length > 0 ? [`${counted(gone.length, 'figure')} no longer worse`] : []),
  ];
  const left = openCount > worse.length ? ` (${openCount} worse in total)` : '';
  return cleanText(`Performance of ${suite.slice(0, 60)}: ${reported.join(', ')}${left}`, 150);
}

/** Limit of lines in a chat: the page has all. */
const MAX_LINES = 10;

function chatLines({ worse, gone }: AlertNews): readonly string[] {
  const lines = [
    ...worse.map((alert) => `▲ ${lineOf(alert)}`),
    ...gone.map((alert) => `✓ ${cleanText(seriesTitle(alert.series), 160)}: no longer worse`),
  ];
  const more = lines.length - MAX_LINES;
  return more > 0 ? [...lines.slice(0, MAX_LINES), `and ${more} more`] : lines;
}

function lineOf(alert: Alert): string {
  const { kind, series, commit, subject = '', at } = alert;
  if (kind === 'plant') {
    return `${cleanText(series.service, 100)}: planted ${seriesShift(alert)} CPU time not found on ${at.slice(0, 10)}`;
  }
  const title = `${cleanText(seriesTitle(series), 160)}: ${seriesShift(alert)}`;
  const since =
    commit === undefined ? `the run of ${at.slice(0, 10)}` : `${shortCommit(commit)} ${cleanText(subject, 80)}`;
  return kind === 'drift'
    ? `${title} (${cleanText(series.unit, 60)}), over its drift limit`
    : [`${title} since ${since.trim()}`, ...doubtTexts(alert)].join('; ');
}

/** Plain text is not markup in Slack; the text next to the blocks, which notifications show, has its three special characters escaped. */
function slackMessage(news: AlertNews): object {
  const headline = headlineOf(news);
  const plain = (text: string) => ({ type: 'plain_text', text, emoji: false });
  // An address must not end Slack's angle brackets.
  const escaped = (url: string) =>
    slackText(url.replace(/[*|~`!'()]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`));
  const links = linksOf(news).map(({ title, url }) => `<${escaped(url)}|${title}>`);
  return {
    text: slackText(headline),
    blocks: [
      { type: 'header', text: plain(headline) },
      { type: 'section', text: plain(chatLines(news).join('\n')) },
      ...(links.length === 0 ? [] : [{ type: 'section', text: { type: 'mrkdwn', text: links.join(' · ') } }]),
    ],
  };
}

function slackText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Adaptive Card, which a Teams workflow posts. Unlike a TextBlock, a TextRun has no markup. */
function teamsMessage(news: AlertNews): object {
  const line = (text: string, more: object = {}) => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text, ...more }],
  });
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [line(headlineOf(news), { weight: 'Bolder', size: 'Medium' }), ...chatLines(news).map((text) => line(text))],
    actions: linksOf(news).map(({ title, url }) => ({ type: 'Action.OpenUrl', title, url })),
  };
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  };
}

/** Links to the page of the history at the first change, and to the repository. */
function linksOf({ page, repository, worse }: AlertNews): readonly { readonly title: string; readonly url: string }[] {
  const [first] = worse;
  const shown = page === undefined || first === undefined ? page : `${page}${seriesFragment(first)}`;
  return [
    { title: 'Trend', url: shown },
    { title: 'Repository', url: repository },
  ].flatMap(({ title, url }) => (url === undefined ? [] : [{ title, url }]));
}
