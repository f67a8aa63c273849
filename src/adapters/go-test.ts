import { type Item, jsonIn, mapIn, textIn } from './json.ts';
import { type Adapter, type Found, failure, toolRun, unread } from './results.ts';
import type { Direction } from './units.ts';

const METRICS = new Map(
  Object.entries({ 'ns/op': 'time', 'B/op': 'memory', 'allocs/op': 'allocations', 'MB/s': 'throughput' }),
);

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
  reader.close();
  return toolRun(reader.found);
};

/** The printed text in the events of `-json`, each package by itself; any other text as it is. */
function plainOutput(text: string): string {
  if (!/^\{"(?:Time|Action)"/.test(text)) {
    return text;
  }
  const packages = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const event = jsonIn(line);
    const { Package, Output }: Item = 'fault' in event ? { Output: `${line}\n` } : mapIn(event.value);
    const name = textIn(Package) ?? '';
    packages.set(name, `${packages.get(name) ?? ''}${textIn(Output) ?? ''}`);
  }
  return [...packages].map(([name, printed]) => `pkg: ${name}\n${printed}`).join('\n');
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
  readonly found: Found[] = [];
  readonly #directions: ReadonlyMap<string, Direction>;
  #package = '';
  /** A benchmark whose figures did not follow so far. */
  #open: { readonly name: string; readonly line: number } | undefined;
  /** Whether anything of the package failed: the lines of a package that failed repeat those of its benchmarks. */
  #hasFailed = false;

  constructor(directions: ReadonlyMap<string, Direction>) {
    this.#directions = directions;
  }

  read(line: string, number: number): void {
    // Go has no benchmark such as Benchmarking, which criterion prints.
    const [, name, gap, rest = line.trimStart()] = /^(Benchmark(?!\p{Ll})\S*)(\s*)(.*)$/u.exec(line) ?? [];
    const [, figures] = /^\d+\s+((?:[-+]?[\d.]+(?:e[-+]?\d+)?|NaN|[-+]?Inf)\s+\S.*)$/i.exec(rest) ?? [];
    if (name !== undefined) {
      this.close();
      // A name alone, as -v prints it first, comes again with its figures.
      this.#open = gap === '' ? undefined : { name, line: number };
    }
    if (figures !== undefined && this.#open !== undefined) {
      this.#figures(this.#full(this.#open.name), figures);
    } else if (figures !== undefined && /\S\/op\b/.test(figures)) {
      this.found.push(unread(`line ${number}`, 'has figures, but the name of their benchmark is not before them'));
    } else if (name === undefined) {
      this.#outcome(line);
    }
  }

  /** Leaves out the benchmark whose figures did not follow. */
  close(): void {
    if (this.#open !== undefined) {
      const { name, line } = this.#open;
      this.found.push(unread(this.#full(name), `line ${line} has no figures, because other output split it`));
    }
    this.#open = undefined;
  }

  #figures(name: string, pairs: string): void {
    this.#open = undefined;
    for (const [, value = '', unit] of pairs.matchAll(/(\S+)(?:\s+(\S+))?/g)) {
      const better = this.#directions.get(unit ?? '');
      this.found.push(
        unit === undefined
          ? unread(name, `"${value.slice(0, 40)}" has no unit`)
          : { kind: 'repetition', name, metric: METRICS.get(unit) ?? unit, unit, value, better },
      );
    }
  }

  /** Line of something else: a package, or a failure. */
  #outcome(line: string): void {
    const [, begun] = /^pkg: (\S+)/.exec(line) ?? [];
    const [, outcome, name = ''] = /^\s*--- (FAIL|SKIP): (\S+)/.exec(line) ?? [];
    const [isOfPackage, whole = this.#full('go test')] = /^FAIL(?:$|\s+(\S+))/.exec(line) ?? [];
    if (begun !== undefined) {
      this.close();
      [this.#package, this.#hasFailed] = [begun, false];
    } else if (outcome === 'SKIP') {
      this.#end({ name: this.#full(name), why: 'was skipped', kind: 'skipped' });
    } else if (outcome === 'FAIL') {
      this.#end(failure(this.#full(name), 'failed'));
    } else if (line.startsWith('panic: ')) {
      this.#end(failure(this.#full(this.#open?.name ?? 'go test'), line.slice(0, 200)));
    } else if (isOfPackage !== undefined && !(this.#hasFailed && whole.startsWith(this.#package))) {
      this.#end(failure(whole, line.replaceAll(/\s+/g, ' ').slice(0, 200)));
    }
  }

  #end(found: Found): void {
    this.found.push(found);
    this.#open = undefined;
    this.#hasFailed ||= found.kind === 'failure';
  }

  #full(name: string): string {
    return this.#package === '' ? name : `${this.#package} ${name}`;
  }
}
