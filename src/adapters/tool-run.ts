import { jsonFault } from '../foundation/index.ts';
import { type Direction, directionOf } from './units.ts';

/** A figure of a benchmark tool, with a value for each time that it was measured. */
export interface ToolFigure {
  /** The benchmark, with its parameters: all that makes it another one for its tool. */
  readonly name: string;
  /** Metric of the benchmark: `time`, `throughput`, `memory` and so on. */
  readonly metric: string;
  readonly unit: string;
  readonly better: Direction;
  readonly values: readonly number[];
  /** All that `values` has only a median or mean of, in the order in which it was measured; left out if the file lacks it. */
  readonly repetitions?: readonly number[] | undefined;
  /** Only of the metric `errorRate`: the counts that it is the share of. */
  readonly counts?: FailedCounts | undefined;
}

export interface FailedCounts {
  readonly failed: number;
  readonly requests: number;
}

/** A benchmark, check or threshold that failed, by the tool's own words. */
export interface ToolFailure {
  readonly name: string;
  readonly why: string;
}

/** A result of the file that is neither a figure nor a failure. */
export interface LeftOut {
  readonly name: string;
  /** Left out for a whole benchmark. */
  readonly metric?: string | undefined;
  readonly why: string;
  /** `summary`: of figures that are there; `skipped`: by the tool itself; `unread`: it should have been a figure. */
  readonly kind: 'unread' | 'skipped' | 'summary';
}

/** All results in a file of a benchmark tool: each is a figure, a failure or left out. */
export interface ToolRun {
  readonly figures: readonly ToolFigure[];
  readonly failures: readonly ToolFailure[];
  readonly leftOut: readonly LeftOut[];
  /** When it was measured, as the file says it. */
  readonly at?: string | undefined;
  /** The commit that was measured, as the file says it. */
  readonly commit?: string | undefined;
}

/** Results of a file of one tool, or why the file is not one of this tool. */
export type Adapter = (text: string) => ToolRun | string;

/** A result that may be a figure. */
export interface FoundFigure extends Omit<ToolFigure, 'values' | 'better'> {
  /** A finite number, also as text; anything else is left out by name. */
  readonly value: unknown;
  /** All times that it was measured, if the file has them and `value` is their median. */
  readonly values?: readonly number[] | undefined;
  /** The direction that the file says itself; otherwise that of the unit. */
  readonly better?: Direction | undefined;
}

/** Results of one file while it is read. */
export class Gathering {
  readonly #figures = new Map<string, ToolFigure>();
  /** How often each name of a figure was there, so that thousands of one name take no longer than others. */
  readonly #times = new Map<string, number>();
  readonly #failures = new Map<string, ToolFailure>();
  readonly #leftOut: LeftOut[] = [];

  /** Adds a figure. One that is there already is another benchmark of the same name, and gets a number. */
  figure(found: FoundFigure): void {
    const figure = this.#figureOf(found);
    if (figure === undefined) {
      return;
    }
    const key = keyOf(figure);
    let time = (this.#times.get(key) ?? 0) + 1;
    const named = () => ({ ...figure, name: time === 1 ? figure.name : `${figure.name} (${time})` });
    // Another benchmark may have such a name of its own.
    while (this.#figures.has(keyOf(named()))) {
      time += 1;
    }
    this.#times.set(key, time);
    this.#figures.set(keyOf(named()), named());
  }

  /** Adds a figure of a benchmark that the tool repeats under one name: another value of the same. */
  repetition(found: FoundFigure): void {
    const figure = this.#figureOf(found);
    if (figure !== undefined) {
      const key = `${keyOf(figure)} ${figure.unit}`;
      const known = this.#figures.get(key);
      this.#figures.set(key, known === undefined ? figure : { ...known, values: [...known.values, ...figure.values] });
    }
  }

  fail(name: string, why: string): void {
    this.#failures.set(name, this.#failures.get(name) ?? { name, why });
  }

  hasFailed(name: string): boolean {
    return this.#failures.has(name);
  }

  get failures(): number {
    return this.#failures.size;
  }

  leaveOut(left: LeftOut): void {
    this.#leftOut.push(left);
  }

  run(facts: Pick<ToolRun, 'at' | 'commit'> = {}): ToolRun {
    return {
      figures: [...this.#figures.values()],
      failures: [...this.#failures.values()],
      leftOut: this.#leftOut,
      ...facts,
    };
  }

  #figureOf({ value, better, values = [], repetitions = [], ...figure }: FoundFigure): ToolFigure | undefined {
    const { name, metric, unit } = figure;
    const read = numberIn(value);
    if (typeof read === 'string') {
      this.leaveOut({ name, metric, why: read, kind: 'unread' });
      return undefined;
    }
    return {
      ...figure,
      better: better ?? directionOf(unit, metric),
      values: values.length > 0 ? values : [read],
      ...(repetitions.length > 0 && { repetitions }),
    };
  }
}

function keyOf({ name, metric }: Pick<ToolFigure, 'name' | 'metric'>): string {
  return JSON.stringify([name, metric]);
}

/** Finite number in a value, also in a text; for any other value the reason, such as "has no value". */
export function numberIn(value: unknown): number | string {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) {
    return number;
  }
  return value === undefined || value === null
    ? 'has no value'
    : `is ${String(value).slice(0, 40)}, not a finite number`;
}

/** All numbers of a list; none if it is something else, or has anything else. */
export function numbersIn(value: unknown): readonly number[] {
  return Array.isArray(value) && value.every((one) => Number.isFinite(one)) ? value : [];
}

/** Adapter of a tool that writes a document of JSON. `NaN` and `Infinity`, which JSON does not have, are read as texts. */
export function jsonAdapter(read: (document: unknown) => ToolRun | string): Adapter {
  return (text) => {
    const document = jsonIn(text);
    return 'fault' in document ? document.fault : read(document.value);
  };
}

/** The value in a text of JSON, or what is wrong with the text. */
export function jsonIn(text: string): { readonly value: unknown } | { readonly fault: string } {
  for (const attempt of [text, withQuotedNumbers(text)]) {
    try {
      return { value: JSON.parse(attempt) };
    } catch {
      // The next attempt, or the fault.
    }
  }
  return { fault: jsonFault(text) };
}

/** JavaScript's and Python's words for what is no number, as texts. Those inside of texts stay. */
function withQuotedNumbers(text: string): string {
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at);
    const open = quote === -1 ? text.length : quote;
    parts.push(text.slice(at, open).replaceAll(/-?\b(?:nan|inf(?:inity)?)\b/gi, '"$&"'));
    at = endOfText(text, open + 1);
    parts.push(text.slice(open, at));
  }
  return parts.join('');
}

/** The place behind the quote that ends a text of JSON. */
function endOfText(text: string, start: number): number {
  let at = start;
  while (at < text.length && text[at] !== '"') {
    at += text[at] === '\\' ? 2 : 1;
  }
  return at + 1;
}

/** An object of JSON; undefined for anything else. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

/** The text in a value that is one; undefined for an empty one, too. */
export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Calls `read` for each item that is an object with a name, and leaves out the others by their place. */
export function eachNamed(
  gathering: Gathering,
  list: readonly unknown[],
  read: (item: Readonly<Record<string, unknown>>, name: string) => void,
): void {
  for (const [index, one] of list.entries()) {
    const item = recordOf(one) ?? {};
    const name = textIn(item['fullname'] ?? item['name'] ?? item['benchmark'] ?? item['command']);
    if (name === undefined) {
      gathering.leaveOut({ name: `result ${index + 1}`, why: 'has no name', kind: 'unread' });
    } else {
      read(item, name);
    }
  }
}
