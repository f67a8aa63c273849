import { cleanText } from '../foundation/escape.ts';
import { escapeXml } from '../foundation/xml.ts';
import { METRICS, type MetricName } from '../model/metric.ts';
import { ALL_OPERATIONS } from '../model/sample.ts';
import type { HistoryChange } from './store/changes.ts';
import { type Series, seriesKey } from './store/series.ts';

/** What a feed is made of. */
export interface FeedSource {
  readonly changes: readonly HistoryChange[];
  /** The address of the repository, where it is known: text from outside. */
  readonly repository: string | undefined;
  /** When nothing has changed yet, this is when the feed was last so: the time of the latest run. */
  readonly at: string;
}

/** Readers keep the older ones. */
const MOST_ENTRIES = 50;

/**
 * An Atom feed of change points, the newest first: those that enough runs have borne out, so that none is taken back. The same
 * changes give the same text. Links lead to the page beside it.
 */
export function feedOf({ changes, repository, at }: FeedSource): string {
  const shown = changes
    .filter(({ pending }) => !pending)
    .toSorted(newestFirst)
    .slice(0, MOST_ENTRIES);
  const of = repository === undefined ? '' : ` of ${repository}`;
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `<title>${escapeXml(`Performance changes${of}`)}</title>`,
    `<id>urn:x-wiregauge:history:${encoded(repository ?? 'local')}</id>`,
    `<updated>${escapeXml(shown[0]?.at ?? at)}</updated>`,
    '<author><name>Wiregauge</name></author>',
    '<link href="index.html"/>',
    '<link rel="self" type="application/atom+xml" href="feed.xml"/>',
    ...shown.map(entryOf),
    '</feed>\n',
  ].join('\n');
}

function newestFirst(left: HistoryChange, right: HistoryChange): number {
  const [one, other] = [left, right].map(({ at, series }) => `${at} ${seriesKey(series)}`);
  return one === other ? 0 : (one ?? '') < (other ?? '') ? 1 : -1;
}

function entryOf(change: HistoryChange): string {
  const { series, run, at, commit, subject, before, after, runsAfter } = change;
  const key = seriesKey(series);
  const since =
    commit === undefined ? `the run of ${at.slice(0, 10)}` : `${commit.slice(0, 10)} ${subject ?? ''}`.trim();
  const words = `${nameOf(series)} went from ${figure(before, series)} to ${figure(after, series)} with ${since}; ${runsAfter} runs since then agree.`;
  return [
    '<entry>',
    `<title>${escapeXml(cleanText(`${nameOf(series)}: ${shiftOf(change)}, ${direction(change)}`, 300))}</title>`,
    `<id>urn:x-wiregauge:change:${encoded(run)}:${encoded(key)}</id>`,
    `<updated>${escapeXml(at)}</updated>`,
    `<link href="${escapeXml(`index.html#series=${encoded(key)}&run=${encoded(run)}`)}"/>`,
    `<summary>${escapeXml(cleanText(words, 1000))}</summary>`,
    '</entry>',
  ].join('\n');
}

function nameOf({ service, operation, tier, metric }: Series): string {
  const title = isMetric(metric) ? METRICS[metric].title : metric;
  return `${[service, operation === ALL_OPERATIONS ? '' : operation, tier].filter((part) => part !== '').join(' ')} ${title}`;
}

function isMetric(name: string): name is MetricName {
  return Object.hasOwn(METRICS, name);
}

function shiftOf({ shift }: HistoryChange): string {
  return `${shift < 0 ? '−' : '+'}${Number((100 * Math.abs(shift)).toPrecision(2))} %`;
}

function direction({ shift, series }: HistoryChange): string {
  return shift > 0 === (series.better === 'higher') ? 'better' : 'worse';
}

function figure(value: number, { unit }: Series): string {
  return `${Number(value.toPrecision(3))} ${unit}`;
}

/** Lone surrogates have no code in UTF-8. */
function encoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));
}
