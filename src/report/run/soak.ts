import { soakTrends, type Trend } from '../../judge/counts/soak.ts';
import { formatMetric, METRICS } from '../../model/metric.ts';
import { noted, type Section } from '../document.ts';
import { aboutOf } from '../views/about.ts';
import type { RunView } from '../views/run-view.ts';

/** Change per minute in words: "+1.02 MiB per minute (95% interval +0.98 to +1.05)". */
export function trendText(trend: Trend): string {
  return `${signed(trend, trend.perMinute)} per minute (95% interval ${intervalText(trend)})`;
}

function intervalText(trend: Trend): string {
  return [trend.low, trend.high].map((value) => signed(trend, value)).join(' to ');
}

function signed({ metric }: Trend, value: number): string {
  return `${value < 0 ? '−' : '+'}${formatMetric(metric, Math.abs(value))}`;
}

/** Sentence on the memory of each service in a soak. */
export function soakSentences(view: RunView): readonly string[] {
  const trends = soakTrends(view.run);
  return [...new Set(trends.map(({ cell }) => cell.service))].map((service) => {
    const memory = trends.find(({ cell, grows }) => cell.service === service && grows !== undefined);
    return memory === undefined
      ? `${view.labels.service(service)}: memory could not be read, so a leak would not be found.`
      : `${view.labels.service(service)}: memory ${memory.grows ? 'grows' : 'does not keep growing'}, ${trendText(memory)}.`;
  });
}

/** Trends of a soak; empty for any other run. */
export function soakSection(view: RunView): Section {
  const rows = soakTrends(view.run).map((trend) => ({
    head: `${view.labels.service(trend.cell.service)}, ${trend.grows === undefined ? METRICS[trend.metric].title : 'memory'}`,
    about: aboutOf(view.run, { services: [trend.cell.service], tier: trend.cell.tier }),
    cells: [
      signed(trend, trend.perMinute),
      intervalText(trend),
      trend.grows === undefined ? '' : trend.grows ? 'grows' : 'does not keep growing',
    ],
  }));
  const note =
    'Change per minute: of memory in the second half, of latency in all of it. Memory grows if it does so in both parts of the second half.';
  const columns = ['', 'per minute', '95% interval', { text: 'memory', isText: true }];
  const table = { kind: 'table', caption: 'Change over time', columns, rows } as const;
  return { id: 'soak', title: 'Change over time', blocks: noted(note, table) };
}
