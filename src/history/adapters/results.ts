import { seedOf } from '../../foundation/random.ts';
import { plainText } from '../../foundation/text.ts';
import { LONGEST_NAME } from '../store/fields.ts';
import { type Direction, directionOf } from './units.ts';

export interface ToolFigure {
  /** Benchmark with its parameters, unique for its tool. */
  readonly name: string;
  /** Metric of the benchmark: `time`, `throughput`, `memory` and so on. */
  readonly metric: string;
  readonly unit: string;
  readonly better: Direction;
  readonly values: readonly number[];
  /** All measurements in order, if `values` has only their median or mean; undefined if the file lacks them. */
  readonly repetitions?: readonly number[] | undefined;
  readonly counts?: { readonly failed: number; readonly requests: number } | undefined;
}

export interface ToolFailure {
  readonly name: string;
  readonly why: string;
}

/** Result of the file that is neither a figure nor a failure. */
export interface LeftOut extends ToolFailure {
  /** Metric; undefined for a whole benchmark. */
  readonly metric?: string | undefined;
  /** `summary`: of other figures in the file; `skipped`: by the tool; `unread`: not a valid figure. */
  readonly kind: 'unread' | 'skipped' | 'summary';
}

/** All results in a file of a benchmark tool. Texts are safe to display. */
export interface ToolRun {
  readonly figures: readonly ToolFigure[];
  readonly failures: readonly ToolFailure[];
  readonly leftOut: readonly LeftOut[];
  /** Time and commit of the measurement, if the file has them. */
  readonly at?: string | undefined;
  readonly commit?: string | undefined;
}

export type FileFacts = Pick<ToolRun, 'at' | 'commit'>;

/** Returns the results of a file, or the reason why it is not a file of this tool. */
export type Adapter = (text: string) => ToolRun | string;

interface FoundFigure extends Omit<ToolFigure, 'values' | 'better'> {
  readonly kind: 'figure' | 'repetition';
  /** Finite number, also as a string; anything else is reported as not read. */
  readonly value: unknown;
  /** All measurements, if the file has them and `value` is their median. */
  readonly values?: readonly number[] | undefined;
  /** Direction in the file; default: that of the unit. */
  readonly better?: Direction | undefined;
}

export type Found = FoundFigure | ({ readonly kind: 'failure' } & ToolFailure) | LeftOut;

export const failure = (name: string, why: string): Found => ({ kind: 'failure', name, why });

export const unread = (name: string, why: string): Found => ({ kind: 'unread', name, why });

/** Results of a file. A `repetition` adds a value to the figure of the same name, metric and unit; a `figure` gets a number. */
export function toolRun(found: readonly Found[], facts: FileFacts = {}): ToolRun {
  const figures = new Map<string, ToolFigure>();
  const failures = new Map<string, ToolFailure>();
  const leftOut: LeftOut[] = [];
  for (const one of found) {
    const value = 'why' in one ? undefined : numberIn(one.value);
    if (one.kind === 'failure') {
      failures.set(one.name, failures.get(one.name) ?? { name: identity(one.name), why: short(one.why) });
    } else if ('why' in one) {
      leftOut.push(harmless(one));
    } else if (typeof value === 'number') {
      const key = JSON.stringify([one.name, one.metric, one.unit, one.kind === 'figure' && figures.size]);
      figures.set(key, figureOf(one, value, figures.get(key)));
    } else {
      leftOut.push(harmless({ name: one.name, metric: one.metric, why: `${value}`, kind: 'unread' }));
    }
  }
  return { ...facts, figures: distinct([...figures.values()]), failures: [...failures.values()], leftOut };
}

function figureOf(found: FoundFigure, value: number, known: ToolFigure | undefined): ToolFigure {
  const { kind: _kind, value: _value, better, values = [], repetitions = [], ...figure } = found;
  return {
    ...figure,
    better: better ?? directionOf(figure.unit, figure.metric),
    values: [...(known?.values ?? []), ...(values.length > 0 ? values : [value])],
    ...(repetitions.length > 0 && { repetitions }),
  };
}

function harmless({ name, metric, why, kind }: LeftOut): LeftOut {
  return { name: identity(name), ...(metric !== undefined && { metric: identity(metric) }), why: short(why), kind };
}

/** Figures with safe texts and unique names: duplicates get a number. */
function distinct(figures: readonly ToolFigure[]): readonly ToolFigure[] {
  const used = new Set<string>();
  // Count of each name, so that duplicates do not take quadratic time.
  const times = new Map<string, number>();
  return figures.map((figure) => {
    const [own, metric, unit] = [identity(figure.name), identity(figure.metric), short(figure.unit)];
    const key = (name: string) => JSON.stringify([name, metric]);
    let time = (times.get(key(own)) ?? 0) + 1;
    const named = () => (time === 1 ? own : `${own} (${time})`);
    // A benchmark may already have the numbered name.
    while (used.has(key(named()))) {
      time += 1;
    }
    times.set(key(own), time);
    used.add(key(named()));
    return { ...figure, name: named(), metric, unit };
  });
}

export function short(text: string): string {
  return plainText(text, LONGEST_NAME);
}

/** Name in one line; a longer one is truncated, with its hash to keep it unique. */
function identity(name: string): string {
  return name.length <= LONGEST_NAME
    ? short(name)
    : `${plainText(name, LONGEST_NAME - 20)} #${seedOf(name).toString(16)}`;
}

/** Finite number in a value, also in a string; otherwise the reason, such as "has no value". */
export function numberIn(value: unknown): number | string {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) {
    return number;
  }
  return (value ?? undefined) === undefined ? 'has no value' : `is ${String(value).slice(0, 40)}, not a finite number`;
}
