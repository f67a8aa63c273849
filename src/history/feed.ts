import { cleanText, encoded, escapeXml, shortCommit } from '../foundation/text.ts';
import {
  ALL_OPERATIONS,
  errorRateChange,
  errorRateText,
  isErrorRate,
  isMetric,
  METRICS,
  memberOf,
} from '../model/metric.ts';
import { isFromOrToZero } from './change-points/change-points.ts';
import { doubtTexts } from './change-points/doubts.ts';
import { byTime, type FileChange, type HistoryChange } from './store/changes.ts';
import { type HistoryEntry, type Series, seriesAddress, seriesKey, turnOf } from './store/entry.ts';

/** Feed readers keep older entries. */
const MAX_ENTRIES = 50;

/**
 * Atom feed of confirmed change points, the newest first. Pending ones are left out, so that no entry is withdrawn. The same changes give
 * the same text. Links lead to the page in the same folder.
 */
export function feedOf(changes: readonly HistoryChange[], repository: string | undefined, at: string): string {
  const shown = changes
    .filter(({ pending }) => !pending)
    .toSorted((left, right) => byTime(right, left))
    .slice(0, MAX_ENTRIES);
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

function entryOf(change: HistoryChange): string {
  const { series, run, at, commit, subject, before, after, runsAfter } = change;
  const key = seriesKey(series);
  const since =
    commit === undefined ? `the run of ${at.slice(0, 10)}` : `${shortCommit(commit)} ${subject ?? ''}`.trim();
  const levels = `${seriesFigure(before, series)} to ${seriesFigure(after, series)}`;
  const doubts = doubtTexts(change).map((text) => ` ${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`);
  const words = `${seriesTitle(series)} went from ${levels} with ${since}; ${runsAfter} later runs confirm it.${doubts.join('')}`;
  return [
    '<entry>',
    `<title>${escapeXml(cleanText(`${seriesTitle(series)}: ${seriesShift(change)}, ${turnOf(change.series, change.shift)}${change.environment === undefined ? '' : ' (may be the machine)'}`, 300))}</title>`,
    `<id>urn:x-wiregauge:change:${encoded(run)}:${encoded(key)}</id>`,
    `<updated>${escapeXml(at)}</updated>`,
    `<link href="${escapeXml(`index.html${seriesFragment(change)}`)}"/>`,
    `<summary>${escapeXml(cleanText(words, 1000))}</summary>`,
    '</entry>',
  ].join('\n');
}

/** Fragment of the history page's URL that opens a change. */
export function seriesFragment({ series, run }: Pick<HistoryChange, 'series' | 'run'>): string {
  return `${seriesAddress(series)}&run=${encoded(run)}`;
}

/** Title of a series, for example "rest saturation p95 latency". Untrusted text. */
export function seriesTitle({ service, operation, tier, metric }: Series): string {
  const title = isMetric(metric) ? METRICS[metric].title : metric;
  const member = memberOf({ operation });
  if (member !== undefined) {
    return `${service}, member ${member}, ${tier} ${title.replace(/^service /, '')}`;
  }
  return `${[service, operation === ALL_OPERATIONS ? '' : operation, tier].filter((part) => part !== '').join(' ')} ${title}`;
}

/** Signed change of a series, for example "+12%". */
export function seriesShift(change: Pick<HistoryChange, 'series' | 'before' | 'after' | 'shift'>): string {
  const { series, before, after, shift } = change;
  if (isErrorRate(series)) {
    return errorRateChange(before, after);
  }
  if (isFromOrToZero({ before, after })) {
    return `${seriesFigure(before, series)} → ${seriesFigure(after, series)}`;
  }
  return `${shift < 0 ? '−' : '+'}${Number((100 * Math.abs(shift)).toPrecision(2))}%`;
}

/** Figure of a series with its unit. Untrusted text. */
export function seriesFigure(value: number, series: Series): string {
  const { unit } = series;
  return isErrorRate(series) ? errorRateText(value) : `${Number(value.toPrecision(3))} ${unit}`;
}

interface Badge {
  readonly label: string;
  readonly value: string;
  readonly color: string;
}

/** Colors of badges; white text has a contrast of at least 4.5:1 on each of them. */
const [GOOD, BAD, UNSURE, PLAIN] = ['#2e7d32', '#c62828', '#8a5a00', '#1f5f99'] as const;

const OUTCOMES: Readonly<Record<NonNullable<HistoryEntry['outcome']>, string>> = {
  passed: GOOD,
  regressed: BAD,
  failed: BAD,
  inconclusive: UNSURE,
  incomplete: UNSURE,
  suspicious: UNSURE,
};

/** Limits the badges, since each adds to the size of every commit. */
const MAX_CELLS = 24;

/**
 * Badges of a run, below `badges`: `<suite>.svg` with the outcome, and `<suite>-<service>-<tier>-p95.svg` for at most 24 cells of all
 * operations together. Badges are also written under former names, which a README may still show. Characters that are invalid in a path
 * become dashes.
 */
export function badgeFiles(entry: HistoryEntry): readonly FileChange[] {
  const { suite, outcome } = entry;
  const verdict: Badge = {
    label: `performance: ${suite}`,
    value: outcome ?? 'measured',
    color: outcome === undefined ? PLAIN : OUTCOMES[outcome],
  };
  const files = [{ path: pathOf([suite]), text: badge(verdict) }, ...cellBadges(entry)];
  // Two names can result in the same path: the first one wins.
  return files.filter(({ path }, index) => files.findIndex((file) => file.path === path) === index);
}

function cellBadges({ suite, series, values, wasNamed }: HistoryEntry): readonly FileChange[] {
  const former = new Map(Object.entries(wasNamed?.services ?? {}));
  return series
    .flatMap(({ service, operation, tier, metric, unit }, place) => {
      const value = values[place];
      const isShown = metric === 'latencyP95Ms' && operation === ALL_OPERATIONS && typeof value === 'number';
      return isShown
        ? [{ service, tier, text: `${value >= 1000 ? value.toFixed(0) : Number(value.toPrecision(3))} ${unit}` }]
        : [];
    })
    .slice(0, MAX_CELLS)
    .flatMap(({ service, tier, text }) =>
      [service, ...(former.get(service) ?? [])].map((name) => ({
        path: pathOf([suite, name, tier, 'p95']),
        text: badge({ label: `p95 ${service} ${tier}`, value: text, color: PLAIN }),
      })),
    );
}

const LONGEST_NAME = 40;

function pathOf(names: readonly string[]): string {
  const parts = names.map((name) =>
    name
      .replace(/[^A-Za-z0-9_]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, LONGEST_NAME),
  );
  return `badges/${parts.map((part) => (part === '' ? 'x' : part)).join('-')}.svg`;
}

/** One-line SVG, which a screen reader reads as "label: value". */
function badge({ label, value, color }: Badge): string {
  const [left, right] = [cleanText(label, 60), cleanText(value, 30)];
  const [start, end] = [widthOf(left), widthOf(right)];
  const text = (words: string, from: number, width: number) =>
    `<text x="${from + width / 2}" y="14" textLength="${width - 12}">${escapeXml(words)}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${start + end}" height="20" role="img" aria-label="${escapeXml(`${left}: ${right}`)}">`,
    `<title>${escapeXml(`${left}: ${right}`)}</title>`,
    `<clipPath id="r"><rect width="${start + end}" height="20" rx="3"/></clipPath>`,
    `<g clip-path="url(#r)"><rect width="${start}" height="20" fill="#444"/><rect x="${start}" width="${end}" height="20" fill="${color}"/></g>`,
    `<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">${text(left, 0, start)}${text(right, start, end)}</g>`,
    '</svg>\n',
  ].join('\n');
}

/** Approximate width in pixels; `textLength` makes the text fit. */
function widthOf(words: string): number {
  return 12 + Math.round([...words].reduce((width, letter) => width + (/[ijl.,:|'! ]/.test(letter) ? 4 : 7), 0));
}
