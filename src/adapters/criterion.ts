import { jsonIn, mapIn, textIn } from './json.ts';
import { type Adapter, type Found, failure, numberIn, toolRun, unread } from './results.ts';
import { factorBetween } from './units.ts';

/**
 * Adapter of Rust's benchmarks: what `cargo bench` prints, with criterion or its `--output-format bencher`, and cargo-criterion's
 * `--message-format=json`.
 */
export const criterion: Adapter = (text) => {
  const lines = text.split(/\r?\n/);
  if (lines.some((line) => line.startsWith('{'))) {
    return ofDocuments(lines);
  }
  const reader = new TextReader();
  for (const [place, line] of lines.entries()) {
    reader.read(line, lines[place - 1]);
  }
  reader.begin(undefined);
  return toolRun(reader.found);
};

/** A document on each line; those of other kinds are messages of the tool. */
function ofDocuments(lines: readonly string[]): ReturnType<Adapter> {
  const found: Found[] = [];
  for (const [index, line] of lines.entries()) {
    const document = line.startsWith('{') ? jsonIn(line) : { value: undefined };
    if ('fault' in document) {
      return `line ${index + 1} ${document.fault}`;
    }
    const { reason, id, typical, mean } = mapIn(document.value);
    if (reason === 'benchmark-complete') {
      const { estimate, unit } = mapIn(typical ?? mean);
      found.push(timeOf(textIn(id) ?? `line ${index + 1}`, textIn(unit) ?? 'ns', estimate));
    }
  }
  return toolRun(found);
}

function timeOf(name: string, unit: string, value: unknown): Found {
  return { kind: 'figure', name, metric: 'time', unit, value, better: 'lower' };
}

class TextReader {
  readonly found: Found[] = [];
  /** A benchmark that began, and has no figure so far. */
  #open: string | undefined;

  /** A figure may be on a later line than its name, if a log splits them. */
  read(line: string, before: string | undefined): void {
    const [, test, outcome = ''] = /^test (\S+(?: \S+)*)\s+\.\.\.(?:\s(.*))?$/.exec(line) ?? [];
    const [, begun] = /^Benchmarking (.+?)(?:: (?:Warming up|Collecting|Analyzing|Estimating)\b.*)?$/.exec(line) ?? [];
    const [, digits = '', unit] = /\bbench:\s+(\S+) (\S+)/.exec(test === undefined ? line : outcome) ?? [];
    if (test !== undefined || (begun !== undefined && begun !== this.#open)) {
      this.begin(test ?? begun);
    }
    const name = this.#open;
    const value = digits.replaceAll(',', '');
    const found = unit === undefined || name === undefined ? estimateIn(line, before) : timeOf(name, unit, value);
    if (found !== undefined) {
      this.found.push(found);
      this.#open = found.name === name ? undefined : name;
    } else {
      this.#outcome(outcome.trim(), line);
    }
  }

  /** Tests without a figure are no benchmarks. */
  #outcome(outcome: string, line: string): void {
    const name = this.#open ?? 'cargo bench';
    if (/^FAILED\b/.test(outcome)) {
      this.#end(failure(name, 'failed'));
    } else if (/^(?:ok|ignored)\b/.test(outcome)) {
      this.#end({ name, why: `is a test without a figure (${outcome.slice(0, 40)})`, kind: 'skipped' });
    } else if (/^thread '.*' panicked at |^error: bench failed/.test(line)) {
      // What cargo prints at its end of a test that failed is no further failure.
      const isKnown = this.#open === undefined && this.found.some(({ kind }) => kind === 'failure');
      this.found.push(...(isKnown ? [] : [failure(name, line.slice(0, 200))]));
      this.#open = undefined;
    }
  }

  /** Begins another benchmark, and leaves out one that has no figure. */
  begin(name: string | undefined): void {
    if (this.#open !== undefined) {
      this.found.push(unread(this.#open, 'has no figures'));
    }
    this.#open = name;
  }

  #end(found: Found): void {
    this.found.push(found);
    this.#open = undefined;
  }
}

/** The estimate between its bounds. A long name has the line before. Changes since the last time are in percent, and no figures. */
function estimateIn(line: string, before = ''): Found | undefined {
  const at = line.lastIndexOf(' time:');
  const [, digits = '', unit = ''] = /^ time:\s+\[\S+ \S+ (\S+) (\S+) \S+ \S+\]/.exec(line.slice(at)) ?? [];
  const name = line.slice(0, Math.max(0, at)).trim() || before.trim();
  const scale = factorBetween(unit, 'ns');
  const value = numberIn(digits);
  return at === -1 || name === '' || scale === undefined
    ? undefined
    : timeOf(name, 'ns', typeof value === 'number' ? Number((value * scale).toPrecision(12)) : digits);
}
