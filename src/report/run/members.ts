import { formatShare, NO_FIGURE } from '../../foundation/numbers.ts';
import { median } from '../../foundation/statistics.ts';
import { formatMetric, type MemberValues, SATURATION } from '../../model/metric.ts';
import type { Run } from '../../model/run/run.ts';
import { type Block, heading, paragraph, type Section, type Table, type TableRow } from '../document.ts';
import { aboutOf } from '../views/about.ts';
import type { RunView, ServiceView, TierView } from '../views/run-view.ts';
import { capital, cellAt, wholeOf } from '../views/service-comparison.ts';

/** What the programs of each service of several used, beside the whole; nothing of services of one program. */
export function memberSection(view: RunView): Section {
  const blocks = view.services.flatMap((service) => {
    const parts = partsOf(view, service);
    return parts.length === 0 ? [] : blocksOf(view, service, parts);
  });
  const note =
    'What each program used per request to the service, and its share of the total CPU time. Total peak memory is the sum of the peaks, which need not coincide. Bytes are those between the programs, without the load tool’s.';
  return {
    id: 'members',
    title: 'Member by member',
    blocks: blocks.length === 0 ? [] : [paragraph(note, 'note'), ...blocks],
  };
}

type Part = NonNullable<Run['services'][number]['members']>[number];

function partsOf({ run }: RunView, { name }: ServiceView): readonly Part[] {
  return run.services.find((service) => service.name === name)?.members ?? [];
}

function blocksOf(view: RunView, service: ServiceView, parts: readonly Part[]): readonly Block[] {
  const measured = view.tiers
    .map((tier) => ({ tier, values: memberValuesAt(view, { tier, service }) }))
    .filter(({ values }) => values.size > 0);
  const drawn = measured.find(({ tier }) => tier.name === SATURATION) ?? measured.at(-1);
  if (drawn === undefined) {
    return [];
  }
  const title = view.services.length === 1 ? [] : [heading(service.label)];
  const caption = `Its programs at ${drawn.tier.label}, with CPU time per request, its share, peak memory, and bytes if known`;
  return [
    ...title,
    paragraph(`${caption}:`),
    { kind: 'printed', text: chainText(parts, drawn.values) },
    memberTable(view, service, measured),
  ];
}

interface MemberPlace {
  readonly tier: TierView;
  readonly service: ServiceView;
}

type Values = ReadonlyMap<string, MemberValues>;

const FIGURES = ['cpuMicrosPerRequest', 'peakMemoryMiB', 'receivedBytesPerRequest', 'sentBytesPerRequest'] as const;

/** What each program of a service used at a tier, the median of the rounds of each figure; empty if nothing was measured there. */
export function memberValuesAt(view: RunView, { tier, service }: MemberPlace): Values {
  const samples = cellAt(view, wholeOf(tier), service)?.samples ?? [];
  return new Map(
    partsOf(view, service).flatMap(({ name }) => {
      const own = samples.flatMap(({ members }) => members?.[name] ?? []);
      const figures = FIGURES.map((figure) => [figure, median(own.flatMap((one) => one[figure] ?? []))] as const);
      return own.length === 0 ? [] : [[name, Object.fromEntries(figures)] as const];
    }),
  );
}

function memberTable(
  { run }: RunView,
  service: ServiceView,
  measured: readonly { readonly tier: TierView; readonly values: Values }[],
): Table {
  return {
    kind: 'table',
    caption: `Members of ${service.label} at each load`,
    isCaptionQuiet: true,
    columns: ['member', 'CPU per request', 'share', 'peak memory', 'bytes in', 'bytes out'],
    rows: measured.flatMap(({ tier, values }) => {
      const about = aboutOf(run, { services: [service.name], tier: tier.name });
      return tierRows(capital(tier.label), values).map((row) => ({ ...row, about }));
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

/** What all of them used together; undefined if that of one is not known. */
export function sumOf(all: readonly MemberValues[], figure: keyof MemberValues): number | undefined {
  const known = all.flatMap((one) => one[figure] ?? []);
  return known.length < all.length ? undefined : known.reduce((sum, value) => sum + value, 0);
}

function cellsOf(own: MemberValues, whole: number | undefined): readonly string[] {
  return [
    textOf('cpuMicrosPerRequest', own.cpuMicrosPerRequest),
    shareText(own, whole),
    textOf('peakMemoryMiB', own.peakMemoryMiB),
    textOf('wireBytesPerRequest', own.receivedBytesPerRequest),
    textOf('wireBytesPerRequest', own.sentBytesPerRequest),
  ];
}

function textOf(metric: Parameters<typeof formatMetric>[0], value: number | undefined): string {
  return value === undefined ? NO_FIGURE : formatMetric(metric, value);
}

function shareText({ cpuMicrosPerRequest }: MemberValues, whole: number | undefined): string {
  return cpuMicrosPerRequest === undefined || !whole ? NO_FIGURE : formatShare(cpuMicrosPerRequest / whole);
}

/** The programs as a tree from the entry on, each with what it used; what stands below one that several talk to is drawn once. */
function chainText(parts: readonly Part[], values: Values): string {
  const [entry] = parts;
  const whole = sumOf([...values.values()], 'cpuMicrosPerRequest');
  const words = (name: string): string => {
    const own = values.get(name) ?? {};
    return [
      name,
      textOf('cpuMicrosPerRequest', own.cpuMicrosPerRequest),
      shareText(own, whole),
      ...(own.peakMemoryMiB === undefined ? [] : [textOf('peakMemoryMiB', own.peakMemoryMiB)]),
      ...bytesText(own),
    ].join('  ');
  };
  const drawing = { parts, words, drawn: new Set<string>() };
  const tree = entry === undefined ? [] : ['load tool', ...branches(drawing, [entry.name], '')];
  // Those that no way from the entry leads to, such as a worker behind a broker.
  const others = parts.flatMap(({ name }) =>
    drawing.drawn.has(name) ? [] : [words(name), ...branches(drawing, undrawnBelow(drawing, name), '')],
  );
  return [...tree, ...others].join('\n');
}

/** What went into and out of a program for a request; nothing if nobody can tell. */
function bytesText({ receivedBytesPerRequest: received, sentBytesPerRequest: sent }: MemberValues): readonly string[] {
  const [into, out] = [received, sent].map((bytes) => textOf('wireBytesPerRequest', bytes));
  return received === undefined || sent === undefined ? [] : [`${into} in`, `${out} out`];
}

interface Drawing {
  readonly parts: readonly Part[];
  readonly words: (name: string) => string;
  /** Those of which all that stands below them is drawn. */
  readonly drawn: Set<string>;
}

function branches(drawing: Drawing, names: readonly string[], indent: string): readonly string[] {
  return names.flatMap((name, index) => {
    const [branch, below] = index === names.length - 1 ? ['└─ ', '   '] : ['├─ ', '│  '];
    const line = `${indent}${branch}${drawing.words(name)}`;
    return [line, ...branches(drawing, undrawnBelow(drawing, name), `${indent}${below}`)];
  });
}

function undrawnBelow({ parts, drawn }: Drawing, name: string): readonly string[] {
  const isDrawn = drawn.has(name);
  drawn.add(name);
  return isDrawn ? [] : (parts.find((part) => part.name === name)?.dependsOn ?? []);
}
