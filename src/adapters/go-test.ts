import { type Adapter, Gathering, recordOf, textIn } from './tool-run.ts';
import type { Direction } from './units.ts';

const METRICS: Readonly<Record<string, string>> = {
  'ns/op': 'time',
  'B/op': 'memory',
  'allocs/op': 'allocations',
  'MB/s': 'throughput',
};

/**
 * Adapter of `go test -bench`, also with `-json`: `BenchmarkSort/size=10-8  1000  1234 ns/op  16 B/op`, with the package before it. The
 * number of CPUs that Go appends to a name stays: it is another benchmark with another number. What `-count` repeats is one benchmark. A
 * line that a log splits is joined, and `Unit` lines say which way a metric is better (golang.org/design/14313-benchmark-format).
 */
export const goTest: Adapter = (text) => {
  const lines = plainOutput(text).split(/\r?\n/);
  const reader = new GoReader(directionsIn(lines));
  for (const [index, line] of lines.entries()) {
    reader.read(line, index + 1);
  }
  return reader.end();
};

/** The printed text in the events of `-json`, each package by itself; any other text as it is. */
function plainOutput(text: string): string {
  if (!/^\{"(?:Time|Action)"/.test(text)) {
    return text;
  }
  const packages = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const { Package, Output } = eventIn(line);
    const name = textIn(Package) ?? '';
    packages.set(name, `${packages.get(name) ?? ''}${textIn(Output) ?? ''}`);
  }
  return [...packages].map(([name, printed]) => `pkg: ${name}\n${printed}`).join('\n');
}

function eventIn(line: string): Readonly<Record<string, unknown>> {
  try {
    return recordOf(JSON.parse(line)) ?? {};
  } catch {
    return { Output: `${line}\n` };
  }
}

/** Directions in lines such as `Unit qps better=higher`. */
function directionsIn(lines: readonly string[]): ReadonlyMap<string, Direction> {
  return new Map(
    lines.flatMap((line) => {
      const [, unit = '', better] = /^Unit\s+(\S+)(?=\s).*\sbetter=(higher|lower)(?:\s|$)/.exec(line) ?? [];
      return better === undefined ? [] : [[unit, better as Direction] as const];
    }),
  );
}

class GoReader {
  readonly #gathering = new Gathering();
  readonly #directions: ReadonlyMap<string, Direction>;
  #package = '';
  /** A benchmark whose figures did not follow on its line. */
  #open: { readonly name: string; readonly line: number } | undefined;
  #failuresBefore = 0;

  constructor(directions: ReadonlyMap<string, Direction>) {
    this.#directions = directions;
  }

  read(line: string, number: number): void {
    const [, name, gap = '', rest = ''] = /^(Benchmark\S*)(\s*)(.*)$/.exec(line) ?? [];
    if (name !== undefined) {
      this.#benchmark({ name, gap, rest }, number);
      return;
    }
    const [, figures] =
      /^\s*\d+\s+(-?(?:[\d.]+|NaN|[+-]?Inf)(?:e[+-]?\d+)? \S.*)$/.exec(line.replaceAll('\t', ' ')) ?? [];
    if (figures !== undefined && this.#open !== undefined) {
      this.#figures(this.#open.name, figures);
      this.#open = undefined;
    } else if (figures !== undefined && /\S\/op\b/.test(figures)) {
      this.#leave(`line ${number}`, 'has figures, but the name of their benchmark is not before them');
    } else {
      this.#verdict(line);
    }
  }

  end() {
    this.#close();
    return this.#gathering.run();
  }

  /** Line of a benchmark. A name alone, as -v prints it first, comes again with its figures. */
  #benchmark({ name, gap, rest }: Record<'name' | 'gap' | 'rest', string>, line: number): void {
    const [, figures] = /^\d+\s+((?:[-+]?[\d.]+(?:e[+-]?\d+)?|NaN|[+-]?Inf)\s+\S.*)$/i.exec(rest) ?? [];
    this.#close();
    if (figures !== undefined) {
      this.#figures(name, figures);
    } else if (gap !== '') {
      this.#open = { name, line };
    }
  }

  /** Any other line: a package, or a failure. The line of a package that failed repeats those of its benchmarks. */
  #verdict(line: string): void {
    const [, found] = /^pkg: (\S+)/.exec(line) ?? [];
    const [, outcome, failed] = /^\s*--- (FAIL|SKIP): (\S+)/.exec(line) ?? [];
    const [, whole] = /^FAIL\s+(\S+)/.exec(line) ?? [];
    if (found !== undefined) {
      this.#close();
      this.#package = found;
      this.#failuresBefore = this.#gathering.failures;
    } else if (outcome === 'SKIP' && failed !== undefined) {
      this.#gathering.leaveOut({ name: this.#full(failed), why: 'was skipped', kind: 'skipped' });
      this.#open = undefined;
    } else if (failed !== undefined) {
      this.#gathering.fail(this.#full(failed), 'failed');
      this.#open = undefined;
    } else if (line.startsWith('panic: ')) {
      this.#gathering.fail(this.#full(this.#open?.name ?? 'go test'), line.slice(0, 200));
      this.#open = undefined;
    } else if (whole !== undefined) {
      this.#failedPackage(whole, line);
    } else if (line === 'FAIL' && this.#gathering.failures === this.#failuresBefore) {
      this.#gathering.fail(this.#full('go test'), 'FAIL');
    }
  }

  #failedPackage(name: string, line: string): void {
    if (name !== this.#package || this.#gathering.failures === this.#failuresBefore) {
      this.#gathering.fail(name, line.replaceAll(/\s+/g, ' ').slice(0, 200));
    }
    this.#failuresBefore = this.#gathering.failures;
  }

  #figures(name: string, pairs: string): void {
    const words = pairs.trim().split(/\s+/);
    const full = this.#full(name);
    for (let place = 0; place < words.length; place += 2) {
      const [value, unit] = [words[place] ?? '', words[place + 1]];
      if (unit === undefined) {
        this.#leave(full, `"${value.slice(0, 40)}" has no unit`);
      } else {
        const metric = (Object.hasOwn(METRICS, unit) ? METRICS[unit] : undefined) ?? unit;
        this.#gathering.repetition({ name: full, metric, unit, value, better: this.#directions.get(unit) });
      }
    }
  }

  #close(): void {
    if (this.#open !== undefined) {
      const { name, line } = this.#open;
      this.#leave(this.#full(name), `line ${line} has no figures, because other output split it`);
    }
    this.#open = undefined;
  }

  #leave(name: string, why: string): void {
    this.#gathering.leaveOut({ name, why, kind: 'unread' });
  }

  #full(name: string): string {
    return this.#package === '' ? name : `${this.#package} ${name}`;
  }
}
