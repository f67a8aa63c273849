import { OWN_NAME, type OwnFigure } from '../../model/sample/own-figures.ts';

/** What a page said of one metric, by its labels. */
export interface Family {
  readonly name: string;
  readonly kind: OwnFigure['kind'];
  readonly series: ReadonlyMap<string, Observed>;
}

/** One metric with one set of labels. */
export interface Observed {
  /** Of a counter or a gauge. */
  readonly value?: number;
  readonly count?: number;
  readonly sum?: number;
  /** Of a histogram: how many observations are at most so large, by the bound. */
  readonly buckets: ReadonlyMap<number, number>;
}

/** What a page cannot be read as: a sentence without an end, with the line. */
export class PageError extends Error {}

/** More lines of one metric than any that is meant to be read has. */
const MOST_SERIES = 5000;

const LINE =
  /^[A-Za-z_:][A-Za-z0-9_:]*[ \t]*(\{(?:[^"}]|"(?:[^"\\]|\\.)*")*\})?[ \t]+(\S+)(?:[ \t]+[+-]?[\d.]+)?(?:[ \t]+#.*)?$/;

/**
 * The metrics with these names on a page in the text format of Prometheus (0.0.4; counters of OpenMetrics, too), in the order of the
 * names; those that are not there are left out. Lines of other metrics are passed over unread. Throws PageError for a line of these that is
 * none. Source: https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export function readExposition(text: string, names: readonly string[]): readonly Family[] {
  const found = new Map(names.map((name) => [name, new Collected()]));
  const kinds = new Map<string, OwnFigure['kind']>();
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line.startsWith('#')) {
      noteKind(line, kinds);
      continue;
    }
    const [own = ''] = /^[A-Za-z_:][A-Za-z0-9_:]*/.exec(line) ?? [];
    const [name, part] = found.has(own) ? ([own, ''] as const) : partOf(own);
    const family = found.get(name);
    if (family !== undefined) {
      family.add(part, line, index + 1);
    }
  }
  return [...found].flatMap(([name, { series }]) => {
    const kind = kinds.get(name) ?? kinds.get(name.replace(/_total$/, '')) ?? 'gauge';
    return series.size === 0 ? [] : [{ name, kind, series }];
  });
}

const KINDS: Readonly<Record<string, OwnFigure['kind']>> = {
  histogram: 'histogram',
  summary: 'summary',
  counter: 'counter',
  gauge: 'gauge',
  untyped: 'gauge',
  unknown: 'gauge',
};

function noteKind(line: string, kinds: Map<string, OwnFigure['kind']>): void {
  const [, name = '', said = ''] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
  const kind = Object.hasOwn(KINDS, said) ? KINDS[said] : undefined;
  if (kind !== undefined && OWN_NAME.test(name)) {
    kinds.set(name, kind);
  }
}

type Part = 'bucket' | 'sum' | 'count' | '';

function partOf(name: string): readonly [string, Part] {
  const [, base = name, part = ''] = /^(.*)_(bucket|sum|count)$/.exec(name) ?? [];
  return [base, part as Part];
}

interface Growing {
  value?: number;
  count?: number;
  sum?: number;
  readonly buckets: Map<number, number>;
}

/** Collects the lines of one metric. */
class Collected {
  readonly series = new Map<string, Growing>();

  add(part: Part, line: string, number: number): void {
    const { labels, value } = sampleIn(line, number);
    // A share of a summary is of the whole time since its start, and says nothing of a load.
    if (part === '' && labels.has('quantile')) {
      return;
    }
    const bound = part === 'bucket' ? boundIn(labels, number) : undefined;
    labels.delete('le');
    const own = this.#of(labels);
    if (bound !== undefined) {
      own.buckets.set(bound, value);
    } else if (part !== 'bucket') {
      own[part === '' ? 'value' : part] = value;
    }
    if (this.series.size > MOST_SERIES || own.buckets.size > MOST_SERIES) {
      throw new PageError(`line ${number}: more than ${MOST_SERIES} series of one metric`);
    }
  }

  #of(labels: ReadonlyMap<string, string>): Growing {
    const key = JSON.stringify([...labels].sort());
    const known = this.series.get(key) ?? { buckets: new Map<number, number>() };
    this.series.set(key, known);
    return known;
  }
}

function boundIn(labels: ReadonlyMap<string, string>, number: number): number {
  const bound = numberIn(labels.get('le') ?? '');
  if (bound === undefined || Number.isNaN(bound)) {
    throw new PageError(`line ${number} is a bucket without a bound (le)`);
  }
  return bound;
}

function sampleIn(line: string, number: number): { labels: Map<string, string>; value: number } {
  const [, labelText = '{}', valueText = ''] = LINE.exec(line) ?? [];
  const value = numberIn(valueText);
  const labels = labelsIn(labelText.slice(1, -1));
  if (value === undefined || labels === undefined) {
    throw new PageError(`line ${number} is not a sample in the Prometheus text format`);
  }
  return { labels, value };
}

/** A number as Go prints it; undefined if it is not one. */
function numberIn(text: string): number | undefined {
  if (/^[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?$/.test(text)) {
    return Number(text);
  }
  const [, sign = '', word = ''] = /^([+-]?)(inf|infinity|nan)$/i.exec(text) ?? [];
  if (word === '') {
    return undefined;
  }
  return /nan/i.test(word) ? Number.NaN : sign === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

const LABEL = /^\s*([A-Za-z_][A-Za-z0-9_]*)="((?:[^"\\]|\\.)*)"\s*(?:,|$)/;

/** Labels by their names; undefined if they are none. */
function labelsIn(text: string): Map<string, string> | undefined {
  const labels = new Map<string, string>();
  let rest = text;
  while (rest.trim() !== '') {
    const [whole = '', name = '', value = ''] = LABEL.exec(rest) ?? [];
    if (whole === '') {
      return undefined;
    }
    labels.set(name, value);
    rest = rest.slice(whole.length);
  }
  return labels;
}
