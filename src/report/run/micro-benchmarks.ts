import { significant } from '../../foundation/numbers.ts';
import { median } from '../../foundation/statistics.ts';
import { wordList } from '../../foundation/text.ts';
import type { Run } from '../../model/run/run.ts';
import type { MicroBenchmarks } from '../../model/sample/micro-benchmark.ts';
import { type Block, paragraph, type Section, type Table, type TableRow } from '../document.ts';

/** Results of benchmark tools, one table per file; empty without any. */
export function microBenchmarkSection({ microBenchmarks = [] }: Run): Section {
  const blocks = microBenchmarks.flatMap(({ file, tool, figures, failures = [], leftOut = [] }): readonly Block[] => [
    paragraph(`Functions alone, without a service around them, from ${file} (${tool}). They are not judged.`, 'note'),
    tableOf(`Micro-benchmarks of ${file}`, figures),
    ...namesOf('Failed', failures),
    ...namesOf('Could not be read', leftOut),
  ]);
  return { id: 'micro-benchmarks', title: 'Micro-benchmarks', blocks, isFolded: true, only: ['markdown', 'html'] };
}

function namesOf(what: string, found: readonly { readonly name: string; readonly why: string }[]): readonly Block[] {
  const names = found.map(({ name, why }) => `${name} (${why})`);
  return found.length === 0 ? [] : [paragraph(`${what}: ${wordList(names, 20)}.`, 'note')];
}

function tableOf(caption: string, figures: MicroBenchmarks['figures']): Table {
  const metrics = [...new Set(figures.map(({ metric }) => metric))];
  const rows = [...Map.groupBy(figures, ({ name }) => name)].map(([name, own]): TableRow => {
    // Names in Go begin with their package, and each benchmark with the same word.
    const [, group, head = name] = /^(?:(\S+) )?Benchmark(\S+)$/.exec(name) ?? [];
    const cells = metrics.map((metric) =>
      own
        .filter((one) => one.metric === metric)
        .map(figureText)
        .join(', '),
    );
    return { head, cells, ...(group !== undefined && { group }) };
  });
  return { kind: 'table', caption, columns: ['', ...metrics], rows };
}

const NANOSECONDS: Readonly<Record<string, number>> = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9 };

const STEPS = [
  ['s', 1e9],
  ['ms', 1e6],
  ['µs', 1e3],
  ['ns', 1],
] as const;

/** Median of all measured times, in the unit that makes it short. */
function figureText({ unit, values }: MicroBenchmarks['figures'][number]): string {
  const value = median(values) ?? Number.NaN;
  const [of = '', each] = unit.split('/');
  const isTime = each === undefined || each === 'op' || each === 'iter';
  const factor = isTime && Object.hasOwn(NANOSECONDS, of) ? NANOSECONDS[of] : undefined;
  if (factor === undefined) {
    return `${significant(value, Number.isInteger(value) ? 0 : 2)} ${unit}`.trimEnd();
  }
  const nanoseconds = value * factor;
  const [name, size] = STEPS.find(([, least]) => nanoseconds >= least) ?? ['ns', 1];
  return `${significant(nanoseconds / size, 2)} ${name}`;
}
