import { seedOf } from '../foundation/random.ts';
import { plainText } from '../foundation/text.ts';
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
  readonly counts?: { readonly failed: number; readonly requests: number } | undefined;
}

/** A benchmark, check or threshold that failed, by the tool's own words. */
export interface ToolFailure {
  readonly name: string;
  readonly why: string;
}

/** A result of the file that is neither a figure nor a failure. */
export interface LeftOut extends ToolFailure {
  /** Left out for a whole benchmark. */
  readonly metric?: string | undefined;
  /** `summary`: of figures that are there; `skipped`: by the tool itself; `unread`: it should have been a figure. */
  readonly kind: 'unread' | 'skipped' | 'summary';
}

/** All results in a file of a benchmark tool: each is a figure, a failure or left out. All texts are harmless. */
export interface ToolRun {
  readonly figures: readonly ToolFigure[];
  readonly failures: readonly ToolFailure[];
  readonly leftOut: readonly LeftOut[];
  /** When it was measured, and of which commit, as the file says it. */
  readonly at?: string | undefined;
  readonly commit?: string | undefined;
}

export type FileFacts = Pick<ToolRun, 'at' | 'commit'>;

/** Results of a file of one tool, or why the file is not one of this tool. */
export type Adapter = (text: string) => ToolRun | string;

/** A result that may be a figure. */
export interface FoundFigure extends Omit<ToolFigure, 'values' | 'better'> {
  readonly kind: 'figure' | 'repetition';
  /** A finite number, also as text; anything else is left out by name. */
  readonly value: unknown;
  /** All times that it was measured, if the file has them and `value` is their median. */
  readonly values?: readonly number[] | undefined;
  /** The direction that the file says itself; otherwise that of the unit. */
  readonly better?: Direction | undefined;
}

/** A result as an adapter finds it. */
export type Found = FoundFigure | ({ readonly kind: 'failure' } & ToolFailure) | LeftOut;

export const failure = (name: string, why: string): Found => ({ kind: 'failure', name, why });

export const unread = (name: string, why: string): Found => ({ kind: 'unread', name, why });

/**
 * The results of a file. A `repetition` with the name, metric and unit of an earlier figure is another value of it, since its tool repeats
 * under one name; a `figure` is another benchmark that has the same name, and gets a number.
 */
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

/** The figures with harmless texts, and a number behind a name that is there already. */
function distinct(figures: readonly ToolFigure[]): readonly ToolFigure[] {
  const used = new Set<string>();
  // How often each name was there, so that thousands of one name take no longer than others.
  const times = new Map<string, number>();
  return figures.map((figure) => {
    const [own, metric, unit] = [identity(figure.name), identity(figure.metric), short(figure.unit)];
    const key = (name: string) => JSON.stringify([name, metric]);
    let time = (times.get(key(own)) ?? 0) + 1;
    const named = () => (time === 1 ? own : `${own} (${time})`);
    // Another benchmark may have such a name of its own.
    while (used.has(key(named()))) {
      time += 1;
    }
    times.set(key(own), time);
    used.add(key(named()));
    return { ...figure, name: named(), metric, unit };
  });
}

/** The longest name of a benchmark; a longer one is cut and keeps what makes it another one. */
const LONGEST_NAME = 400;

export function short(text: string): string {
  return plainText(text, LONGEST_NAME);
}

/** A name as one line of at most 400 characters: what is cut from it is in the number at its end. */
function identity(name: string): string {
  return name.length <= LONGEST_NAME
    ? short(name)
    : `${plainText(name, LONGEST_NAME - 20)} #${seedOf(name).toString(16)}`;
}

/** Finite number in a value, also in a text; for any other value the reason, such as "has no value". */
export function numberIn(value: unknown): number | string {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) {
    return number;
  }
  return (value ?? undefined) === undefined ? 'has no value' : `is ${String(value).slice(0, 40)}, not a finite number`;
}
