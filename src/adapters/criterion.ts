import { type Adapter, Gathering, jsonIn, numberIn, recordOf, textIn } from './tool-run.ts';

/**
 * Adapter of Rust's benchmarks: what `cargo bench` prints, with criterion or its `--output-format bencher`, and cargo-criterion's
 * `--message-format=json`.
 */
export const criterion: Adapter = (text) => {
  const lines = text.split(/\r?\n/);
  return lines.some((line) => line.startsWith('{')) ? ofDocuments(lines) : ofText(lines);
};

/** A document on each line; those of other kinds are messages of the tool. */
function ofDocuments(lines: readonly string[]) {
  const gathering = new Gathering();
  for (const [index, line] of lines.entries()) {
    const document = line.startsWith('{') ? jsonIn(line) : { value: undefined };
    if ('fault' in document) {
      return `line ${index + 1} ${document.fault}`;
    }
    const { reason, id, typical, mean } = recordOf(document.value) ?? {};
    const name = textIn(id) ?? `line ${index + 1}`;
    if (reason === 'benchmark-complete') {
      const { estimate, unit } = recordOf(typical) ?? recordOf(mean) ?? {};
      gathering.figure({ name, metric: 'time', unit: textIn(unit) ?? 'ns', value: estimate, better: 'lower' });
    }
  }
  return gathering.run();
}

const NANOSECONDS: Readonly<Record<string, number>> = { ps: 1e-3, ns: 1, µs: 1e3, us: 1e3, ms: 1e6, s: 1e9 };

function ofText(lines: readonly string[]) {
  const reader = new TextReader();
  for (const [place, line] of lines.entries()) {
    reader.read(line, lines[place - 1]);
  }
  return reader.end();
}

class TextReader {
  readonly #gathering = new Gathering();
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

  end() {
    this.#begin(undefined);
    return this.#gathering.run();
  }

  #figure(name: string, unit: string, value: unknown): void {
    this.#open = this.#open === name ? undefined : this.#open;
    this.#gathering.figure({ name, metric: 'time', unit, value, better: 'lower' });
  }

  /** Tests without a figure are no benchmarks; the figure of one whose outcome is not on its line may follow. */
  #test(name: string, outcome: string): void {
    this.#begin(undefined);
    if (/^FAILED\b/.test(outcome)) {
      this.#gathering.fail(name, 'failed');
    } else if (/^(?:ok|ignored)\b/.test(outcome)) {
      const why = `is a test without a figure (${outcome.slice(0, 40)})`;
      this.#gathering.leaveOut({ name, why, kind: 'skipped' });
    } else {
      this.#open = name;
    }
  }

  #message(line: string): void {
    const [, begun] = /^Benchmarking (.+?)(?:: (?:Warming up|Collecting|Analyzing|Estimating)\b.*)?$/.exec(line) ?? [];
    if (/^thread '.*' panicked at |^error: bench failed/.test(line)) {
      this.#gathering.fail(this.#open ?? 'cargo bench', line.slice(0, 200));
      this.#open = undefined;
    } else if (begun !== undefined && begun !== this.#open) {
      this.#begin(begun);
    }
  }

  #begin(name: string | undefined): void {
    if (this.#open !== undefined) {
      this.#gathering.leaveOut({ name: this.#open, why: 'has no figures', kind: 'unread' });
    }
    this.#open = name;
  }
}

/** The estimate between its bounds. A long name has the line before. Changes since the last time are in percent, and no figures. */
function estimateIn(line: string, before = ''): { readonly name: string; readonly value: unknown } | undefined {
  const at = line.lastIndexOf(' time:');
  const [, digits = '', unit = ''] =
    /^ time:\s+\[\S+ \S+ (\S+) (\S+) \S+ \S+\]/.exec(at === -1 ? '' : line.slice(at)) ?? [];
  const name = line.slice(0, Math.max(0, at)).trim() || before.trim();
  const scale = Object.hasOwn(NANOSECONDS, unit) ? NANOSECONDS[unit] : undefined;
  const value = numberIn(digits);
  if (name === '' || scale === undefined) {
    return undefined;
  }
  return { name, value: typeof value === 'number' ? Number((value * scale).toPrecision(12)) : digits };
}
