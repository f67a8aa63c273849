import type { MetricName } from '../../model/metric.ts';
import type { Run } from '../../model/run/run.ts';
import type { CellKey } from '../../model/sample.ts';
import type { StoredRun } from './baseline.ts';
import type { Unmeasured } from './comparison.ts';
import type { MeasuredCell } from './measured-cells.ts';
import { historyRows } from './rows.ts';
import { placeOf } from './stored-run.ts';

/** What the run or its past lacks, and what the run measured without its being a measure of the service. */
export function unmeasuredOf(
  run: Run,
  cells: readonly MeasuredCell[],
  past: readonly StoredRun[],
): readonly Unmeasured[] {
  const measured = new Set(cells.map(({ cell }) => placeOf(cell)));
  const places = [...new Set(past.flatMap((stored) => Object.keys(stored.cells)))];
  return [
    ...cells.flatMap((cell) => lacksOf(cell, past)),
    ...places.filter((place) => !measured.has(place)).map((place) => absent(run, place, past)),
  ];
}

function lacksOf({ cell, values, spoiled }: MeasuredCell, past: readonly StoredRun[]): readonly Unmeasured[] {
  const runs = runsWith(past, cell);
  const reason = spoiled ?? (runs === 0 ? 'new' : undefined);
  if (reason !== undefined) {
    return [{ kind: 'unmeasured', cell, reason, runs }];
  }
  return historyRows(cell)
    .filter(({ metric }) => values[metric] === undefined && runsWith(past, cell, metric) > 0)
    .map(({ metric }) => ({
      kind: 'unmeasured',
      cell,
      metric,
      reason: 'missing',
      runs: runsWith(past, cell, metric),
    }));
}

/** How many runs of the past have a cell, or one metric of it. */
export function runsWith(past: readonly StoredRun[], cell: CellKey, metric?: MetricName): number {
  return past.filter(({ cells }) => {
    const values = cells[placeOf(cell)];
    return values !== undefined && (metric === undefined || values[metric] !== undefined);
  }).length;
}

function absent(run: Run, place: string, past: readonly StoredRun[]): Unmeasured {
  const [service = '', operation = '', tier = ''] = place.split('/');
  const cell = { suite: run.suite.name, service, operation, tier };
  const failed = run.failures.some((failure) => failure.service === service && failure.tier === tier);
  return { kind: 'unmeasured', cell, reason: failed ? 'failed' : 'gone', runs: runsWith(past, cell) };
}
