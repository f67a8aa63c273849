import { plainText } from '../../foundation/text.ts';
import type { ScheduledRecords } from '../../model/load.ts';
import {
  OWN_NAME,
  type OwnFigure,
  type OwnFigures,
  type OwnQuantile,
  type OwnSample,
  type ProgramPage,
} from '../../model/sample/own-figures.ts';

export interface PagesAround {
  readonly before: readonly ProgramPage[];
  readonly after: readonly ProgramPage[];
}

const LONGEST_REFUSAL = 200;

/** Metrics pages of programs for a load, next to the records of the load tool; undefined if none is requested. */
export function ownSample(parts: readonly ScheduledRecords[], { before, after }: PagesAround): OwnSample | undefined {
  if (after.length === 0) {
    return undefined;
  }
  return {
    ...seenByLoadTool(parts),
    programs: after.map((page) => figuresOf(before.find(({ program }) => program === page.program) ?? page, page)),
  };
}

function figuresOf(before: ProgramPage, after: ProgramPage): OwnFigures {
  const { program } = after;
  const refused = (why: string): OwnFigures => ({
    program,
    refusal: plainText(why, LONGEST_REFUSAL),
    figures: [],
  });
  const refusal = before.refusal ?? after.refusal;
  if (refusal !== undefined) {
    return refused(refusal);
  }
  try {
    const earlier = readExposition(before.text, after.names);
    const now = readExposition(after.text, after.names);
    const figures = now.flatMap(
      (family) =>
        figureOf(
          family,
          earlier.find(({ name }) => name === family.name),
        ) ?? [],
    );
    const missing = after.names.filter((name) => !now.some((family) => family.name === name));
    return missing.length > 0 && figures.length === 0
      ? refused(`does not have the metric ${missing.join(', ')}`)
      : { program, figures };
  } catch (thrown) {
    if (thrown instanceof PageError) {
      return refused(thrown.message);
    }
    throw thrown;
  }
}

function figureOf(now: Family, before: Family | undefined): OwnFigure | undefined {
  const { name, kind } = now;
  if (kind === 'gauge') {
    const value = sumOf([...now.series.values()].map((one) => one.value ?? 0));
    return Number.isFinite(value) ? { name, kind, mean: value } : undefined;
  }
  const grown = [...now.series].map(([labels, one]) => growthOf(one, before?.series.get(labels)));
  const count = sumOf(grown.map((one) => (kind === 'counter' ? one.value : one.count) ?? 0));
  // A restarted program begins at 0 again.
  if (!Number.isFinite(count) || count < 0) {
    return undefined;
  }
  const mean = kind === 'counter' || count === 0 ? undefined : sumOf(grown.map(({ sum = 0 }) => sum)) / count;
  const quantiles = kind === 'histogram' ? quantilesOf(grown.filter((one) => (one.count ?? 0) > 0)) : [];
  return {
    name,
    kind,
    count,
    ...(mean !== undefined && Number.isFinite(mean) && { mean }),
    ...(quantiles.length > 0 && { quantiles }),
  };
}

function growthOf(now: Observed, before: Observed | undefined): Observed {
  const since = (later: number | undefined, earlier: number | undefined) => (later ?? 0) - (earlier ?? 0);
  return {
    value: since(now.value, before?.value),
    count: since(now.count, before?.count),
    sum: since(now.sum, before?.sum),
    buckets: new Map([...now.buckets].map(([le, count]) => [le, since(count, before?.buckets.get(le))])),
  };
}

const SHARES = [0.5, 0.95, 0.99] as const;

/**
 * Quantiles of a histogram's observations, each by linear interpolation in its bucket, like `histogram_quantile` of Prometheus; empty if its labels
 * have buckets with different bounds, or it has no observations. Source:
 * https://prometheus.io/docs/prometheus/latest/querying/functions/#histogram_quantile
 */
function quantilesOf(all: readonly Observed[]): readonly OwnQuantile[] {
  const bounds = [...(all[0]?.buckets.keys() ?? [])].sort((left, right) => left - right);
  const isSame = all.every(({ buckets }) => buckets.size === bounds.length && bounds.every((le) => buckets.has(le)));
  if (!isSame || bounds.length < 2 || bounds.at(-1) !== Number.POSITIVE_INFINITY) {
    return [];
  }
  const steps: Step[] = [];
  let below = 0;
  for (const [index, to] of bounds.entries()) {
    // A page whose counts decrease from bucket to bucket is not a histogram, but must still give valid figures.
    const upTo = Math.max(below, sumOf(all.map(({ buckets }) => buckets.get(to) ?? 0)));
    steps.push({ from: bounds[index - 1] ?? Math.min(0, to), to, below, upTo });
    below = upTo;
  }
  return Number.isFinite(below) && below > 0 ? SHARES.flatMap((share) => quantileIn(steps, share, below)) : [];
}

interface Step {
  readonly from: number;
  readonly to: number;
  readonly below: number;
  readonly upTo: number;
}

function quantileIn(steps: readonly Step[], share: number, count: number): readonly OwnQuantile[] {
  const rank = share * count;
  const step = steps.find(({ upTo }) => upTo >= rank);
  if (step === undefined) {
    return [];
  }
  const { from, to, below, upTo } = step;
  // The last bucket has no upper bound.
  const value = Number.isFinite(to) ? from + ((to - from) * (rank - below)) / Math.max(upTo - below, 1) : from;
  return Number.isFinite(value) && Number.isFinite(from) ? [{ share, value, from }] : [];
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** All requests of the steady load, including warm-up and failed ones: a program counts them all. */
function seenByLoadTool(parts: readonly ScheduledRecords[]): Omit<OwnSample, 'programs'> {
  const latencies = Float64Array.from(parts.flatMap(({ records }) => [...records.latencyMs])).sort();
  const requests = latencies.length;
  const total = latencies.reduce((sum, latency) => sum + latency, 0);
  return {
    requests,
    ...(requests > 0 && { meanMs: total / requests }),
    quantiles:
      requests === 0
        ? []
        : SHARES.map((share) => ({ share, ms: latencies[Math.min(requests - 1, Math.floor(share * requests))] ?? 0 })),
  };
}

export interface Family {
  readonly name: string;
  readonly kind: OwnFigure['kind'];
  readonly series: ReadonlyMap<string, Observed>;
}

interface Observed {
  value?: number;
  count?: number;
  sum?: number;
  /** Histogram only: number of observations up to each bound. */
  readonly buckets: Map<number, number>;
}

export class PageError extends Error {}

/** Far more lines than a readable metric has. */
const MAX_SERIES = 5000;

const LINE =
  /^[A-Za-z_:][A-Za-z0-9_:]*[ \t]*(\{(?:[^"}]|"(?:[^"\\]|\\.)*")*\})?[ \t]+(\S+)(?:[ \t]+[+-]?[\d.]+)?(?:[ \t]+#.*)?$/;

/**
 * Metrics with these names on a page in the text format of Prometheus (0.0.4; counters of OpenMetrics, too), in the order of the names; missing ones
 * are left out. Lines of other metrics are skipped. Throws PageError for an invalid line of these. Source:
 * https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export function readExposition(text: string, names: readonly string[]): readonly Family[] {
  const found = new Map(names.map((name) => [name, new Map<string, Observed>()]));
  const kinds = new Map<string, OwnFigure['kind']>();
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line.startsWith('#')) {
      noteKind(line, kinds);
      continue;
    }
    const [own = ''] = /^[A-Za-z_:][A-Za-z0-9_:]*/.exec(line) ?? [];
    const [name, part] = found.has(own) ? ([own, ''] as const) : partOf(own);
    const series = found.get(name);
    if (series !== undefined) {
      addSample(series, part, line, index + 1);
    }
  }
  return [...found].flatMap(([name, series]) => {
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

function addSample(series: Map<string, Observed>, part: Part, line: string, number: number): void {
  const { labels, value } = sampleIn(line, number);
  // A quantile of a summary covers the whole time since its start, not the load.
  if (part === '' && labels.has('quantile')) {
    return;
  }
  const bound = part === 'bucket' ? boundIn(labels, number) : undefined;
  labels.delete('le');
  const key = JSON.stringify([...labels].sort());
  const own: Observed = series.get(key) ?? { buckets: new Map() };
  series.set(key, own);
  if (bound !== undefined) {
    own.buckets.set(bound, value);
  } else if (part !== 'bucket') {
    own[part === '' ? 'value' : part] = value;
  }
  if (series.size > MAX_SERIES || own.buckets.size > MAX_SERIES) {
    throw new PageError(`line ${number}: more than ${MAX_SERIES} series of one metric`);
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
