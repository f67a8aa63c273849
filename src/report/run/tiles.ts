import { NO_FIGURE } from '../../foundation/numbers.ts';
import { formatMetric, type MetricName } from '../../model/metric.ts';
import type { Tiles } from '../document.ts';
import type { RunView, ServiceView, TierView } from '../views/run-view.ts';
import { cellAt, wholeOf } from '../views/service-comparison.ts';

/** More services have their figures in the tables only. */
const MOST_SERVICES = 4;

/** Capacity, CPU time per request and p99 at the middle load of each service; none without such figures. */
export function tilesOf(view: RunView): Tiles {
  const saturation = view.tiers.find(({ isSaturation }) => isSaturation);
  const loads = view.tiers.filter(({ isSaturation }) => !isSaturation);
  const middle = loads[Math.floor((loads.length - 1) / 2)];
  const groups = view.services.slice(0, MOST_SERVICES).flatMap((service) => {
    const tiles = [
      ...tileOf(view, service, { name: 'capacity', metric: 'achievedRps', tier: saturation }),
      ...tileOf(view, service, { name: 'CPU per request', metric: 'cpuMicrosPerRequest', tier: saturation ?? middle }),
      ...tileOf(view, service, { name: `p99 at ${middle?.label}`, metric: 'latencyP99Ms', tier: middle }),
    ];
    return tiles.length === 0 ? [] : [{ title: service.label, tiles }];
  });
  return { kind: 'tiles', groups };
}

interface Tile {
  readonly name: string;
  readonly metric: MetricName;
  readonly tier: TierView | undefined;
}

function tileOf(view: RunView, service: ServiceView, { name, metric, tier }: Tile): Tiles['groups'][number]['tiles'] {
  const cell = tier && cellAt(view, wholeOf(tier), service);
  const value = cell?.figures[metric]?.median;
  if (cell === undefined) {
    return [];
  }
  // A figure is never shown without its marks.
  const marks = cell.marks.map(({ mark }) => mark).join(', ');
  return [
    {
      name: marks === '' ? name : `${name} (${marks})`,
      value: value === undefined ? NO_FIGURE : formatMetric(metric, value),
    },
  ];
}
