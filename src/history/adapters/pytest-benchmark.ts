import { type LooseMap, mapIn } from '../../config/yaml/lines.ts';
import { jsonAdapter, mapsIn, numbersIn, ofEach, textIn } from './json.ts';
import { type Found, failure, unread } from './results.ts';

/** Adapter of pytest-benchmark (`--benchmark-json`): the median of each benchmark, in seconds. */
export const pytestBenchmark = jsonAdapter(
  (document) => {
    const file = mapIn(document);
    const benchmarks = mapsIn(file['benchmarks']);
    const isItsOwn = 'machine_info' in file || 'commit_info' in file || benchmarks?.some((one) => 'stats' in one);
    return benchmarks === undefined || !isItsOwn
      ? 'must be a map with a list of benchmarks that have stats'
      : ofEach(benchmarks, resultOf);
  },
  ({ datetime, commit_info: commit }) => ({
    // In UTC, with or without a zone.
    at: textIn(datetime)?.replace(/(?<!Z|[+-]\d\d:?\d\d)$/, 'Z'),
    commit: textIn(mapIn(commit)['id']),
  }),
);

function resultOf({ stats, error, has_error: hasError }: LooseMap, name: string): readonly Found[] {
  if (textIn(error) !== undefined || hasError === true) {
    return [failure(name, textIn(error)?.slice(0, 200) ?? 'ended with an error')];
  }
  const { median, data } = mapIn(stats);
  return stats === undefined || stats === null
    ? [unread(name, 'has no stats')]
    : [{ kind: 'figure', name, metric: 'time', unit: 's', value: median, repetitions: numbersIn(data) }];
}
