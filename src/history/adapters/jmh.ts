import { type LooseMap, mapIn } from '../../config/yaml/lines.ts';
import { jsonAdapter, mapsIn, numbersIn, ofEach, textIn } from './json.ts';
import { type Found, failure, numberIn, unread } from './results.ts';

/** Adapter of JMH (`-rf json`): the score of each benchmark, by mode, parameters and threads, and the figures of its profilers. */
export const jmh = jsonAdapter((document) => {
  const results = mapsIn(document);
  if (results === undefined) {
    return 'must be a list';
  }
  const isOfJmh = results.length === 0 || results.some((one) => 'primaryMetric' in one);
  return isOfJmh ? ofEach(results, resultsOf) : 'has no result with a primaryMetric';
});

function resultsOf(item: LooseMap, benchmark: string): readonly Found[] {
  const { mode, params, threads, primaryMetric, secondaryMetrics } = item;
  const given = Object.entries(mapIn(params)).map(([key, value]) => `${key}=${String(value)}`);
  const parallel = typeof threads === 'number' && threads > 1 ? [`threads=${threads}`] : [];
  const name = [benchmark, ...(textIn(mode)?.split(' ') ?? []), ...given, ...parallel].join(' ');
  const why = failedForks(item);
  if (primaryMetric === undefined || why !== undefined) {
    return [why === undefined ? unread(name, 'has no primaryMetric') : failure(name, why)];
  }
  return [
    figureOf(name, mode === 'thrpt' ? 'throughput' : 'time', primaryMetric),
    ...Object.entries(mapIn(secondaryMetrics)).map(([metric, found]) => figureOf(name, metric, found)),
  ];
}

/** JMH continues after a failed fork, which has no data. */
function failedForks({ forks, primaryMetric }: LooseMap): string | undefined {
  const { rawData, score } = mapIn(primaryMetric);
  const planned = typeof forks === 'number' ? forks : 0;
  const done = Array.isArray(rawData) ? rawData.length : planned;
  if (done < planned) {
    return `${planned - done} of ${planned} forks failed`;
  }
  return done === 0 && Array.isArray(rawData) && typeof numberIn(score) === 'string'
    ? 'has no data of any fork'
    : undefined;
}

/** The allocation rate has no better direction; the time and the number of collections do. */
const DIRECTIONS = [
  [/^throughput$/, 'higher'],
  [/^time$|gc\.(?:count|time)$/, 'lower'],
  [/gc\.alloc\.rate$|gc\.churn\..*(?<!\.norm)$/, 'unknown'],
] as const;

function figureOf(name: string, metric: string, found: unknown): Found {
  const { score: value, scoreUnit, rawData } = mapIn(found);
  const repetitions = numbersIn(Array.isArray(rawData) ? rawData.flat() : undefined);
  const better = DIRECTIONS.find(([pattern]) => pattern.test(metric))?.[1];
  return { kind: 'figure', name, metric, unit: textIn(scoreUnit) ?? '', value, repetitions, better };
}
