import * as z from 'zod';
import { counted } from '../../foundation/numbers.ts';
import { encoded, escapeMarkdown, shortCommit } from '../../foundation/text.ts';
import type { Alert } from '../../history/alerts/alert-status.ts';
import { doubtTexts } from '../../history/change-points/doubts.ts';
import { seriesFigure, seriesFragment, seriesShift, seriesTitle } from '../../history/feed.ts';
import { markdownLink, tableLines } from '../render/markdown.ts';
import { hiddenState, stateIn } from './state.ts';

/** Subject of alerts. Texts are untrusted; an address that is not a safe link is left out. */
export interface AlertsOf {
  readonly suite: string;
  /** The page of the history. */
  readonly page?: string | undefined;
}

const STATE = 'alert-state';

const idsSchema = z
  .array(z.strictObject({ series: z.string().max(40), run: z.string().max(200) }))
  .max(500)
  .readonly();

export interface AlertState {
  /** True if Wiregauge closed it because no alert was left. */
  readonly isOver: boolean;
  /** IDs of the alerts that it last reported. */
  readonly reported: z.infer<typeof idsSchema>;
}

const stateSchema: z.ZodType<AlertState> = z.union([
  z.strictObject({ isOver: z.boolean(), reported: idsSchema }),
  // Key of version 1.0.
  z
    .strictObject({ isOver: z.boolean(), told: idsSchema })
    .transform(({ isOver, told: reported }) => ({ isOver, reported })),
]);

/** Hidden first line of the issue of a suite. Any user can write one, so the author of the issue must also be checked. */
function alertMarker(suite: string): string {
  return `<!-- wiregauge:alerts ${encoded(suite)} -->`;
}

/** State stored in an issue; undefined for another suite, or without a complete valid state. Never throws. */
export function alertStateIn(body: string, suite: string): AlertState | undefined {
  const line = body.split(/\r?\n/).findLast((one) => one.startsWith(`<!-- wiregauge:${STATE} `));
  return body.startsWith(alertMarker(suite)) ? stateIn(line?.trimEnd(), STATE, stateSchema) : undefined;
}

/** Title of the issue, as plain text: the number of figures that are worse. */
export function alertTitle({ suite }: AlertsOf, alerts: readonly Alert[]): string {
  return `Performance of ${suite.slice(0, 80)}: ${counted(alerts.length, 'figure')} worse`.toWellFormed();
}

/** Body of the issue while there are alerts, by the commit that each began with. All untrusted text is escaped. */
export function alertBody(of: AlertsOf, alerts: readonly Alert[]): string {
  const lines = [...alertLines(of, alerts), KEPT];
  return bodyOf(of, lines, { isOver: false, reported: alerts.map(({ id }) => id) });
}

/** Body of the issue once no alert is left, or if another job had opened one a moment before. */
export function alertsOverBody(of: AlertsOf, duplicateOf?: number): string {
  const why =
    duplicateOf === undefined
      ? `None of these changes is left on the default branch, so Wiregauge closed this issue.${pageSentence(of)}`
      : `Another job opened #${duplicateOf} about the same changes, so Wiregauge closed this issue.`;
  return bodyOf(of, [why], { isOver: true, reported: [] });
}

/** Comment on the issue about later alerts: an edited body notifies no subscriber. */
export function alertRemark(of: AlertsOf, alerts: readonly Alert[]): string {
  return ['More figures got worse since this issue was opened:', ...alertLines(of, alerts)].join('\n\n').toWellFormed();
}

const KEPT =
  'Wiregauge updates this list whenever it publishes a run of the default branch, and closes the issue when the list is empty. ' +
  'If all changes are known or intended, close the issue: it stays closed, and only later changes open a new one.';

function bodyOf({ suite }: AlertsOf, paragraphs: readonly string[], state: AlertState): string {
  return `${[alertMarker(suite), ...paragraphs, hiddenState(STATE, state)].join('\n\n')}\n`.toWellFormed();
}

function alertLines(of: AlertsOf, alerts: readonly Alert[]): readonly string[] {
  return [...changeLines(of, alerts), ...driftLines(of, alerts), ...plantLines(alerts)];
}

function plantLines(alerts: readonly Alert[]): readonly string[] {
  const plants = alerts.filter(({ kind }) => kind === 'plant');
  const rows = plants.map((alert) => {
    const which = `${alert.series.service}: ${seriesShift(alert)} CPU time, on ${alert.at.slice(0, 10)}`;
    return `- ${escapeMarkdown(which, 200)}`;
  });
  return plants.length === 0
    ? []
    : [
        '**Planted slowdown not found:** a regression of this size would pass. See which noise this runner has with `wiregauge calibrate`.',
        rows.slice(0, MAX_ROWS).join('\n'),
      ];
}

/** Tables of the figures, one for each run that changes began with. */
function changeLines(of: AlertsOf, alerts: readonly Alert[]): readonly string[] {
  const changes = alerts.filter(({ kind }) => kind === 'change');
  const runs = [...Map.groupBy(changes, ({ run }) => run).values()];
  const shown = runs.slice(0, MAX_RUNS).flatMap((own) => changeTable(of, own));
  const more = runs.length - MAX_RUNS;
  return more > 0 ? [...shown, `Plus changes in ${counted(more, 'earlier run')}.${pageSentence(of)}`] : shown;
}

const MAX_RUNS = 8;

const MAX_ROWS = 12;

function changeTable(of: AlertsOf, alerts: readonly Alert[]): readonly string[] {
  const [first] = alerts;
  if (first === undefined) {
    return [];
  }
  const rows = alerts.slice(0, MAX_ROWS).map((alert) => {
    const { series, before, after } = alert;
    const figures = [seriesFigure(before, series), seriesFigure(after, series)].map((text) => escapeMarkdown(text, 60));
    return [escapeMarkdown(seriesTitle(series), 160), ...figures, linked(of, alert)];
  });
  const more = alerts.length - MAX_ROWS;
  const doubts = [...new Set(alerts.flatMap(doubtTexts))].slice(0, 4);
  const agreeing = `${counted(Math.min(...alerts.map(({ runs }) => runs)), 'run')} or more confirm it.`;
  return [
    `**${escapeMarkdown(counted(alerts.length, 'figure'))} since ${sinceText(first)}.** ${agreeing}`,
    ...(doubts.length === 0 ? [] : [doubts.map((text) => `- ${escapeMarkdown(text, 300)}`).join('\n')]),
    tableLines(['figure', 'before', 'since then', 'change'], rows, [false, true, true, true]).join('\n'),
    ...(more > 0 ? [`Plus ${counted(more, 'more figure')} of the same run.${pageSentence(of)}`] : []),
  ];
}

/** Commit that a change began with, or the day of its run. */
function sinceText({ commit, subject = '', at }: Alert): string {
  return commit === undefined
    ? `the run of ${at.slice(0, 10)}`
    : escapeMarkdown(`${shortCommit(commit)} ${subject}`.trim(), 120);
}

function driftLines(of: AlertsOf, alerts: readonly Alert[]): readonly string[] {
  const drifts = alerts.filter(({ kind }) => kind === 'drift');
  const rows = drifts.slice(0, MAX_ROWS).map((alert) => {
    const { series, runs, commit, at } = alert;
    const ago = runs === 1 ? 'the newest run' : `${runs} runs ago`;
    const title = escapeMarkdown(`${seriesTitle(series)} (${series.unit})`, 200);
    return `- ${title}: ${linked(of, alert)} in ${ago}, ${escapeMarkdown(commit === undefined ? at.slice(0, 10) : shortCommit(commit))}`;
  });
  const more = drifts.length - MAX_ROWS;
  return drifts.length === 0
    ? []
    : [
        '**Over its drift limit since the anchor**',
        [...rows, ...(more > 0 ? [`- and ${counted(more, 'more figure')}`] : [])].join('\n'),
      ];
}

function linked({ page }: AlertsOf, alert: Alert): string {
  const words = escapeMarkdown(seriesShift(alert), 40);
  return markdownLink(words, page === undefined ? undefined : `${page}${seriesFragment(alert)}`) ?? words;
}

function pageSentence({ page }: AlertsOf): string {
  const link = markdownLink('The page', page);
  return link === undefined ? '' : ` ${link} shows all changes.`;
}
