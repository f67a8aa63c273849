import { formatCount, NO_FIGURE } from '../../foundation/numbers.ts';
import { formatMetric, type MetricName } from '../../model/metric.ts';
import { isClosed } from '../../model/suite/suite.ts';
import { noted, type Section, type Table, type TableRow } from '../document.ts';
import { aboutOf } from '../views/about.ts';
import type { RunView, TierView } from '../views/run-view.ts';
import { capital, cellAt, wholeOf } from '../views/service-comparison.ts';

const FIGURES = [
  ['mean', 'latencyMeanMs'],
  ['standard deviation', 'latencySdMs'],
  ['within one std. dev.', 'withinSdShare'],
  ['maximum', 'latencyMaxMs'],
  ['requests/s', 'achievedRps'],
] as const satisfies readonly (readonly [string, MetricName])[];

/** Results of closed loops in the form of wrk, for each service; empty if all users have think time. */
export function closedSection(view: RunView): Section {
  const names = view.run.suite.tiers.filter(isClosed).map(({ name }) => name);
  const tiers = view.tiers.filter(({ name, isSaturation }) => !isSaturation && names.includes(name));
  const note =
    'Users who send their next request as soon as the last one is answered, all operations: the mean and the standard deviation of latency, and the share of the requests whose latency is within one standard deviation of the mean.';
  const table: Table = {
    ...{ kind: 'table', caption: 'Latency of users at full rate', isCaptionQuiet: true },
    columns: ['', ...FIGURES.map(([title]) => title), 'requests'],
    rows: tiers.flatMap((tier) => rowsAt(view, tier)),
  };
  return { id: 'full-rate', title: 'Users at full rate', blocks: noted(note, table), isFolded: true };
}

function rowsAt(view: RunView, tier: TierView): readonly TableRow[] {
  return view.services.flatMap((service): TableRow[] => {
    const cell = cellAt(view, wholeOf(tier), service);
    if (cell === undefined) {
      return [];
    }
    const figures = FIGURES.map(([, metric]) => {
      const value = cell.figures[metric]?.median;
      return value === undefined ? NO_FIGURE : formatMetric(metric, value);
    });
    const about = aboutOf(view.run, { services: [service.name], tier: tier.name });
    return [
      { group: capital(tier.label), head: service.label, about, cells: [...figures, formatCount(cell.requests)] },
    ];
  });
}
