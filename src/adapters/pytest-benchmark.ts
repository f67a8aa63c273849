import { eachNamed, Gathering, jsonAdapter, numbersIn, recordOf, textIn } from './tool-run.ts';

/** Adapter of pytest-benchmark (`--benchmark-json`): the median of each benchmark, in seconds. */
export const pytestBenchmark = jsonAdapter((document) => {
  const file = recordOf(document) ?? {};
  const { benchmarks, datetime, commit_info: commit } = file;
  if (
    !Array.isArray(benchmarks) ||
    !(['machine_info', 'commit_info'].some((key) => key in file) || benchmarks.some(isOne))
  ) {
    return 'must be a map with a list of benchmarks that have stats';
  }
  const gathering = new Gathering();
  eachNamed(gathering, benchmarks, (item, name) => {
    const { stats, error, has_error: hasError } = item;
    const found = recordOf(stats);
    if (textIn(error) !== undefined || hasError === true) {
      gathering.fail(name, textIn(error)?.slice(0, 200) ?? 'ended with an error');
    } else if (found === undefined) {
      gathering.leaveOut({ name, why: 'has no stats', kind: 'unread' });
    } else {
      const { median, data } = found;
      gathering.figure({ name, metric: 'time', unit: 's', value: median, repetitions: numbersIn(data) });
    }
  });
  const at = textIn(datetime);
  const isZoned = at !== undefined && /(Z|[+-]\d\d:?\d\d)$/.test(at);
  return gathering.run({ at: at === undefined || isZoned ? at : `${at}Z`, commit: textIn(recordOf(commit)?.['id']) });
});

function isOne(item: unknown): boolean {
  return 'stats' in (recordOf(item) ?? {});
}
