import { jsonIn, mapIn, textIn } from './json.ts';
import { type Adapter, type Found, failure, numberIn, toolRun, unread } from './results.ts';
import { factorBetween } from './units.ts';

/**
 * Adapter of Rust's benchmarks: what `cargo bench` prints, with criterion or its `--output-format bencher`, and cargo-criterion's
 * `--message-format=json`.
 */
export const criterion: Adapter = (text) => {
  const lines = text.split(/\r?\n/);
  const found = lines.some((line) => line.startsWith('{')) ? ofDocuments(lines) : ofText(lines);
  return typeof found === 'string' ? found : toolRun(found);
};

/** A document on each line; those of other kinds are messages of the tool. */
function ofDocuments(lines: readonly string[]): readonly Found[] | string {
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
  return found;
}

function timeOf(name: string, unit: string, value: unknown): Found {
  return { kind: 'figure', name, metric: 'time', unit, value, better: 'lower' };
}

function ofText(lines: readonly string[]): readonly Found[] {
  const reader = new TextReader();
  for (const [place, line] of lines.entries()) {
    reader.read(line, lines[place - 1]);
  }
  reader.begin(undefined);
  return reader.found;
}

class TextReader {
  readonly found: Found[] = [];
  /** A benchmark that began, and has no figure so far. */
  #open: string | undefined;

  read(line: string, before: string | undefined): void {
    const [, test, outcome = ''] = /^test (\S+(?: \S+)*)\s+\.\.\.(?:\s(.*))?$/.exec(line) ?? [];
    const [, digits = '', unit] = /\bbench:\s+(\S+) (\S+)/.exec(test === undefined ? line : outcome) ?? [];
    const name = test ?? this.#open;
    const estimate = estimateIn(line, before);
    if (unit !== undefined && name !== undefined) {
      this.#figure(name, unit, digits.replaceAll(',', ''));
    } else if (test !== undefined) {
      this.#test(test, outcome.trim());
    } else if (estimate !== undefined) {
      this.#figure(estimate.name, 'ns', estimate.value);
    } else {
      this.#message(line);
    }
  }

  /** Begins another benchmark, and leaves out one that has no figure. */
  begin(name: string | undefined): void {
    if (this.#open !== undefined && this.#open !== name) {
      this.found.push(unread(this.#open, 'has no figures'));
    }
    this.#open = name;
  }

  #figure(name: string, unit: string, value: unknown): void {
    this.#open = this.#open === name ? undefined : this.#open;
    this.found.push(timeOf(name, unit, value));
  }

  /** Tests without a figure are no benchmarks; the figure of one whose outcome is not on its line may follow. */
  #test(name: string, outcome: string): void {
    const isOver = /^(?:ok|ignored)\b/.test(outcome);
    const hasFailed = /^FAILED\b/.test(outcome);
    this.begin(undefined);
    this.#open = isOver || hasFailed ? undefined : name;
    if (hasFailed) {
      this.found.push(failure(name, 'failed'));
    } else if (isOver) {
      this.found.push({ name, why: `is a test without a figure (${outcome.slice(0, 40)})`, kind: 'skipped' });
    }
  }

  #message(line: string): void {
    const [, begun] = /^Benchmarking (.+?)(?:: (?:Warming up|Collecting|Analyzing|Estimating)\b.*)?$/.exec(line) ?? [];
    if (begun !== undefined) {
      this.begin(begun);
    } else if (/^thread '.*' panicked at |^error: bench failed/.test(line)) {
      this.found.push(failure(this.#open ?? 'cargo bench', line.slice(0, 200)));
      this.#open = undefined;
    }
  }
}

/** The estimate between its bounds. A long name has the line before. Changes since the last time are in percent, and no figures. */
function estimateIn(line: string, before = ''): { readonly name: string; readonly value: unknown } | undefined {
  const at = line.lastIndexOf(' time:');
  const [, digits = '', unit = ''] = /^ time:\s+\[\S+ \S+ (\S+) (\S+) \S+ \S+\]/.exec(line.slice(at)) ?? [];
  const name = line.slice(0, Math.max(0, at)).trim() || before.trim();
  const scale = factorBetween(unit, 'ns');
  if (at === -1 || name === '' || scale === undefined) {
    return undefined;
  }
  const value = numberIn(digits);
  return { name, value: typeof value === 'number' ? Number((value * scale).toPrecision(12)) : digits };
}
