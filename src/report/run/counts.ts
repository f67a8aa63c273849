import { formatShare, NO_FIGURE } from '../../foundation/numbers.ts';
import { median } from '../../foundation/statistics.ts';
import { type CountedValue, countedValues } from '../../judge/counts/figures.ts';
import { headCalls } from '../../judge/counts/need-calls.ts';
import { ALL_OPERATIONS, formatMetric } from '../../model/metric.ts';
import type { InstructionsRecord } from '../../model/run/instructions.ts';
import { type Block, list, noted, paragraph, type Section, type TableRow } from '../document.ts';
import { aboutOf } from '../views/about.ts';
import { notesOnWarmUps } from '../views/notes.ts';
import { operationLabel, type RunView, serviceLabel } from '../views/run-view.ts';
import { capital } from '../views/service-comparison.ts';

/** Section of counted instructions for a request; empty without counts. */
export function countsSection(view: RunView): Section {
  const { instructions } = view.run;
  const blocks = instructions === undefined ? [] : countsBlocks(view, instructions);
  return { id: 'instructions', title: 'Instructions per request', blocks };
}

/** Queries that operations send to the needs of their services, as counted; nothing if they were not. */
export function queriesSection(view: RunView): Section {
  const rows = headCalls(view.run).map(({ cell: { service, operation }, metric, values }) => ({
    head: `${capital(serviceLabel(view, service))}, ${operationLabel(view, operation)}`,
    about: aboutOf(view.run, { services: [service] }),
    cells: [formatMetric(metric, median(values) ?? 0)],
  }));
  const caption = 'Queries per request, to all needs together';
  const table: Block = { kind: 'table', caption, columns: ['', 'queries'], rows };
  return { id: 'queries', title: 'Queries per request', blocks: [table] };
}

function countsBlocks(view: RunView, { counter, starts, failures }: InstructionsRecord): readonly Block[] {
  const values = countedValues(view.run, starts);
  const rows = values
    .filter(({ metric }) => metric === 'instructionsPerRequest')
    .map((one) => rowOf(view, one, values));
  const note = `Counted by Valgrind ${counter.version} (${counter.architecture}) with one user, without kernel time. The machine and its load hardly affect counts: compare them with counts of the same Valgrind.`;
  const columns = ['', 'instructions', 'system calls', 'allocations', 'starts', 'spread'];
  const caption = 'Instructions, system calls and allocations per request';
  const lost = failures.map(({ service, message, brief = message }) => `${serviceLabel(view, service)}: ${brief}`);
  return [
    ...noted(note, { kind: 'table', caption, columns, rows }),
    list(notesOnWarmUps(starts)),
    ...(lost.length === 0 ? [] : [paragraph('Not counted:'), list(lost)]),
  ];
}

function rowOf(view: RunView, counted: CountedValue, values: readonly CountedValue[]): TableRow {
  const { service, operation } = counted.cell;
  const part = operation === ALL_OPERATIONS ? '' : `, ${operationLabel(view, operation)}`;
  const otherCell = (metric: CountedValue['metric']) => {
    const isSame = ({ cell }: CountedValue) => cell.service === service && cell.operation === operation;
    const found = values.find((one) => one.metric === metric && isSame(one));
    return found === undefined ? NO_FIGURE : formatMetric(metric, found.value);
  };
  const spread = (Math.max(...counted.means) - Math.min(...counted.means)) / counted.value;
  return {
    head: `${capital(serviceLabel(view, service))}${part}`,
    about: aboutOf(view.run, { services: [service] }),
    cells: [
      formatMetric('instructionsPerRequest', counted.value),
      otherCell('syscallsPerRequest'),
      otherCell('allocationsPerRequest'),
      String(counted.means.length),
      formatShare(spread),
    ],
  };
}
