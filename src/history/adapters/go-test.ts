import { type LooseMap, mapIn } from '../../config/yaml/lines.ts';
import { jsonIn, textIn } from './json.ts';
import { type Adapter, type Found, failure, toolRun, unread } from './results.ts';
import type { Direction } from './units.ts';

const METRICS = new Map(
  Object.entries({ 'ns/op': 'time', 'B/op': 'memory', 'allocs/op': 'allocations', 'MB/s': 'throughput' }),
);

/**
 * Adapter of `go test -bench`, also with `-json`: `BenchmarkSort/size=10-8 1000 1234 ns/op 16 B/op`, prefixed with
 * its package. The CPU count at the end of a name is kept, since it changes the benchmark. Repetitions of `-count`
 * are joined, as are lines that a log splits. `Unit` lines give directions
 * (golang.org/design/14313-benchmark-format).
 */
export const goTest: Adapter = (text) => {
  const lines = plainOutput(text).split(/\r?\n/);
  // Lines such as `Unit qps better=higher`.
  const directions = lines.flatMap((line) => {
    const [, unit = '', better] = /^Unit\s+(\S+)(?=\s).*\sbetter=(higher|lower)(?:\s|$)/.exec(line) ?? [];
    return better === undefined ? [] : [[unit, better as Direction] as const];
  });
  const reader = new GoReader(new Map(directions));
  for (const [index, line] of lines.entries()) {
    reader.read(line, index + 1);
  }
  reader.close();
  return toolRun(reader.found);
};

/** Output in the events of `-json`, grouped by package; other text unchanged. */
function plainOutput(text: string): string {
  if (!/^\{"(?:Time|Action)"/.test(text)) {
    return text;
  }
  const packages = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const event = jsonIn(line);
    const { Package, Output }: LooseMap = 'fault' in event ? { Output: `${line}\n` } : mapIn(event.value);
    const name = textIn(Package) ?? '';
    packages.set(name, `${packages.get(name) ?? ''}${textIn(Output) ?? ''}`);
  }
  return [...packages].map(([name, printed]) => `pkg: ${name}\n${printed}`).join('\n');
}

class GoReader {
  readonly found: Found[] = [];
  readonly #directions: ReadonlyMap<string, Direction>;
  #package = '';
  /** Benchmark whose figures are expected next. */
  #open: { readonly name: string; readonly line: number } | undefined;
  /** True if a benchmark of the package failed, which the last lines repeat. */
  #hasFailed = false;

  constructor(directions: ReadonlyMap<string, Direction>) {
    this.#directions = directions;
  }

  read(line: string, number: number): void {
    // A lower-case letter follows in `Benchmarking`, which criterion prints.
    const [, name, gap, rest = line.trimStart()] = /^(Benchmark(?!\p{Ll})\S*)(\s*)(.*)$/u.exec(line) ?? [];
    const [, figures] = /^\d+\s+((?:[-+]?[\d.]+(?:e[-+]?\d+)?|NaN|[-+]?Inf)\s+\S.*)$/i.exec(rest) ?? [];
    if (name !== undefined) {
      this.close();
      // With -v, the name is printed alone first, and again with the figures.
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

  /** Reads a line about a package or a failure. */
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
