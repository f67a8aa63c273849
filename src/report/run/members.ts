import { formatShare, NO_FIGURE } from '../../foundation/numbers.ts';
import { median } from '../../foundation/statistics.ts';
import { wordList } from '../../foundation/text.ts';
import type { Run } from '../../model/run/run.ts';
import type { MemberValues } from '../../model/run/sample.ts';
import { heading, noted, type Section, type Table, type TableRow } from '../document.ts';
import { aboutOf } from '../views/about.ts';
import type { LabeledName, RunView, TierView } from '../views/run-view.ts';
import { capital, cellAt, metricText } from '../views/service-comparison.ts';

/** Use of the members of each service; empty without members. */
export function memberSection(view: RunView): Section {
  const blocks = view.services.flatMap((service) => {
    const table = memberTable(view, service);
    return table.rows.length === 0 ? [] : [...(view.services.length === 1 ? [] : [heading(service.label)]), table];
  });
  const note =
    'What each program used per request to the service, and its share of the total CPU time. Total peak memory is the sum of the peaks, which need not coincide. Bytes are those between the programs, without the load tool’s.';
  return { id: 'members', title: 'Member by member', blocks: noted(note, ...blocks) };
}

type Part = NonNullable<Run['services'][number]['members']>[number];

function partsOf({ run }: RunView, { name }: LabeledName): readonly Part[] {
  return run.services.find((service) => service.name === name)?.members ?? [];
}

type Values = ReadonlyMap<string, MemberValues>;

const FIGURES = ['cpuMicrosPerRequest', 'peakMemoryMiB', 'receivedBytesPerRequest', 'sentBytesPerRequest'] as const;

/** Use of each member of a service at a tier, as the median of rounds; empty without measurements. */
export function memberValuesAt(view: RunView, tier: TierView, service: LabeledName): Values {
  const samples = cellAt(view, { tier }, service)?.samples ?? [];
  return new Map(
    partsOf(view, service).flatMap(({ name }) => {
      const own = samples.flatMap(({ members }) => members?.[name] ?? []);
      const figures = FIGURES.map((figure) => [figure, median(own.flatMap((one) => one[figure] ?? []))] as const);
      return own.length === 0 ? [] : [[name, Object.fromEntries(figures)] as const];
    }),
  );
}

function memberTable(view: RunView, service: LabeledName): Table {
  const parts = partsOf(view, service);
  return {
    kind: 'table',
    caption: `Members of ${service.label} at each load`,
    columns: [
      'member',
      'CPU per request',
      'share',
      'peak memory',
      'bytes in',
      'bytes out',
      { text: 'calls', isText: true },
    ],
    rows: view.tiers.flatMap((tier) => {
      const values = memberValuesAt(view, tier, service);
      const about = aboutOf(view.run, { services: [service.name], tier: tier.name });
      const callsOf = (name: string) => parts.find((part) => part.name === name)?.dependsOn ?? [];
      return (values.size === 0 ? [] : tierRows(capital(tier.label), values)).map((row) => ({
        ...{ ...row, about },
        cells: [...row.cells, wordList([...callsOf(row.head)])],
      }));
    }),
  };
}

function tierRows(group: string, values: Values): readonly TableRow[] {
  const all = [...values.values()];
  const whole = sumOf(all, 'cpuMicrosPerRequest');
  const rows = [...values].map(([name, own]) => ({ group, head: name, cells: cellsOf(own, whole) }));
  const together = {
    cpuMicrosPerRequest: whole,
    peakMemoryMiB: sumOf(all, 'peakMemoryMiB'),
  };
  return [...rows, { group, head: 'total', cells: cellsOf(together, whole) }];
}

/** Total use of the members; undefined if one is unknown. */
export function sumOf(all: readonly MemberValues[], figure: keyof MemberValues): number | undefined {
  const known = all.flatMap((one) => one[figure] ?? []);
  return known.length < all.length ? undefined : known.reduce((sum, value) => sum + value, 0);
}

function cellsOf(own: MemberValues, whole: number | undefined): readonly string[] {
  return [
    metricText('cpuMicrosPerRequest', own.cpuMicrosPerRequest),
    own.cpuMicrosPerRequest === undefined || !whole ? NO_FIGURE : formatShare(own.cpuMicrosPerRequest / whole),
    metricText('peakMemoryMiB', own.peakMemoryMiB),
    metricText('wireBytesPerRequest', own.receivedBytesPerRequest),
    metricText('wireBytesPerRequest', own.sentBytesPerRequest),
  ];
}
