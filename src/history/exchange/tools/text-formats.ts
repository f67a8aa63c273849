import { betterOf, type ToolFigure, type ToolRun, together } from './tool-figures.ts';

/**
 * What `go test -bench` prints: `BenchmarkSort/size=10-8  1000  1234 ns/op  16 B/op  1 allocs/op`, with the package before it. The number
 * of CPUs that Go appends to a name stays: it is another benchmark with another number. Benchmarks that `-count` repeats are one.
 */
export function goBenchmarks(text: string): ToolRun {
  let folder = '';
  const figures = text.split(/\r?\n/).flatMap((line) => {
    folder = /^pkg: (\S+)/.exec(line)?.[1] ?? folder;
    const [, name, pairs] = /^(Benchmark\S*)\s+\d+\s+(.+)$/.exec(line) ?? [];
    return name === undefined || pairs === undefined
      ? []
      : goFigures(folder === '' ? name : `${folder} ${name}`, pairs);
  });
  return { figures: together(figures) };
}

const GO_METRICS: Readonly<Record<string, string>> = {
  'ns/op': 'time',
  'B/op': 'memory',
  'allocs/op': 'allocations',
  'MB/s': 'throughput',
};

function goFigures(name: string, pairs: string): readonly ToolFigure[] {
  const words = pairs.trim().split(/\s+/);
  return words.flatMap((word, place) => {
    const unit = words[place + 1];
    const value = Number(word);
    return place % 2 === 1 || unit === undefined || !Number.isFinite(value)
      ? []
      : [
          {
            name,
            metric: (Object.hasOwn(GO_METRICS, unit) ? GO_METRICS[unit] : undefined) ?? unit,
            unit,
            better: betterOf(unit),
            values: [value],
          },
        ];
  });
}

/**
 * What Rust's own benchmarks print, and criterion with `--output-format bencher`: `test fib ... bench:  37,174 ns/iter (+/- 7,527)`; and what
 * criterion prints without it: `fib  time:   [26.029 µs 26.251 µs 26.505 µs]`.
 */
export function rustBenchmarks(text: string): ToolRun {
  const lines = text.split(/\r?\n/);
  const figures = lines.flatMap((line, place): readonly ToolFigure[] => {
    const [, name, digits = '', unit] = /^test (.+?)\s+\.\.\. bench:\s+([\d,.]+) (\S+)/.exec(line) ?? [];
    const value = Number(digits.replaceAll(',', ''));
    return name === undefined || unit === undefined || !Number.isFinite(value)
      ? criterionFigure(line, lines[place - 1])
      : [{ name, metric: 'time', unit, better: 'lower', values: [value] }];
  });
  return { figures: together(figures) };
}

const NANOSECONDS: Readonly<Record<string, number>> = { ps: 1e-3, ns: 1, µs: 1e3, us: 1e3, ms: 1e6, s: 1e9 };

/** The estimate between its bounds. A long name has the line before. Changes since the last time are in percent, and passed over. */
function criterionFigure(line: string, before = ''): readonly ToolFigure[] {
  const at = line.lastIndexOf(' time:');
  const figures = at === -1 ? '' : line.slice(at);
  const [, digits, unit = ''] = /^ time:\s+\[[\d.]+ \S+ ([\d.]+) (\S+) [\d.]+ \S+\]/.exec(figures) ?? [];
  const name = line.slice(0, Math.max(0, at)).trim() || before.trim();
  const scale = Object.hasOwn(NANOSECONDS, unit) ? NANOSECONDS[unit] : undefined;
  const value = Number(digits) * (scale ?? Number.NaN);
  return name === '' || !Number.isFinite(value)
    ? []
    : [{ name, metric: 'time', unit: 'ns', better: 'lower', values: [Number(value.toPrecision(12))] }];
}
