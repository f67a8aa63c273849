import { mapIn } from '../../config/yaml/lines.ts';
import { jsonIn, textIn } from './json.ts';
import { type Adapter, type Found, failure, numberIn, toolRun, unread } from './results.ts';
import { factorBetween } from './units.ts';

/** Output of `cargo bench`, with criterion or its `--output-format bencher`, and of cargo-criterion's `--message-format=json`. */
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

/** Reads one document per line and ignores other messages. */
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
  /** Benchmark whose figure is expected next. */
  #open: string | undefined;

  /** Reads a figure from this line or, if a log splits them, from a line after its name. */
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

  #outcome(outcome: string, line: string): void {
    const name = this.#open ?? 'cargo bench';
    if (/^FAILED\b/.test(outcome)) {
      this.#end(failure(name, 'failed'));
    } else if (/^(?:ok|ignored)\b/.test(outcome)) {
      this.#end({ name, why: `is a test without a figure (${outcome.slice(0, 40)})`, kind: 'skipped' });
    } else if (/^thread '.*' panicked at |^error: bench failed/.test(line)) {
      // The summary of cargo repeats earlier failures.
      const isKnown = this.#open === undefined && this.found.some(({ kind }) => kind === 'failure');
      this.found.push(...(isKnown ? [] : [failure(name, line.slice(0, 200))]));
      this.#open = undefined;
    }
  }

  /** Starts a benchmark; the previous one is skipped if it has no figure. */
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

/** Estimate between its bounds. A long name is on the previous line. Changes since the last run are percentages, so they are ignored. */
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
