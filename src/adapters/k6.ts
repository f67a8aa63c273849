import { type FailedCounts, Gathering, jsonAdapter, recordOf, textIn } from './tool-run.ts';
import { directionOf } from './units.ts';

type Item = Readonly<Record<string, unknown>>;

/**
 * Adapter of k6's summary: `--summary-export`, the data of `handleSummary`, and the machine-readable summary of k6 1.5 and later. Every
 * statistic of a Trend, the rate of a Counter, the value of a Gauge; Rates and checks by their counts. Thresholds that were crossed are
 * failures.
 */
export const k6 = jsonAdapter((document) => {
  const file = recordOf(document) ?? {};
  const gathering = new Gathering();
  const results = recordOf(file['results']);
  const old = recordOf(file['metrics']);
  if (results !== undefined && Array.isArray(results['metrics'])) {
    readResults(gathering, results, recordOf(file['config'])?.['duration']);
  } else if (old !== undefined) {
    for (const [name, metric] of Object.entries(old)) {
      const { values, type, contains, thresholds } = recordOf(metric) ?? {};
      readMetric(gathering, name, { values: recordOf(values) ?? recordOf(metric) ?? {}, type, contains });
      readThresholds(gathering, name, recordOf(thresholds) ?? {});
    }
    readGroup(gathering, recordOf(file['root_group']) ?? {}, '');
  } else {
    return 'must be a map with metrics';
  }
  return gathering.run();
});

/** The machine-readable summary, whose Counters have no rate. */
function readResults(gathering: Gathering, results: Item, duration: unknown): void {
  for (const { name, values, type, contains } of itemsOf(results['metrics'])) {
    readMetric(gathering, textIn(name) ?? '', {
      values: olderValues(recordOf(values) ?? {}, Number(duration)),
      type,
      contains,
    });
  }
  for (const check of itemsOf(recordOf(results['checks'])?.['results'])) {
    readCheck(gathering, check, '');
  }
}

/** The values of a metric as older summaries name them. */
function olderValues({ count, matches, total, ...others }: Item, seconds: number): Item {
  if (isCount(matches) && isCount(total)) {
    return { passes: matches, fails: total - matches };
  }
  return typeof count === 'number' ? { count, rate: seconds > 0 ? count / seconds : undefined } : others;
}

/** The objects in a list or a map; k6 has both, by its version. */
function itemsOf(value: unknown): readonly Item[] {
  return Object.values(recordOf(value) ?? (Array.isArray(value) ? value : [])).map((one) => recordOf(one) ?? {});
}

interface Metric {
  readonly values: Item;
  readonly type: unknown;
  readonly contains: unknown;
}

/** Keys of a metric that are no statistic of it. */
const NO_STATISTIC = new Set(['thresholds', 'type', 'contains', 'values', 'count']);

/** Rates of these are better if they are higher. */
const THROUGHPUT = /^(?:http_reqs|iterations|ws_(?:msgs_(?:sent|received)|sessions)|grpc_reqs)(?:\{|$)/;

/** Trends of k6 that are times, in files that do not say what a Trend contains. */
const TIMES = /(?:duration|blocked|connecting|handshaking|sending|waiting|receiving|session)(?:\{|$)/;

function readMetric(gathering: Gathering, name: string, { values, type, contains }: Metric): void {
  const { passes, fails, rate, count, value } = values;
  const isTrend = type === 'trend' || ['avg', 'med', 'max'].some((key) => key in values);
  if (isCount(passes) && isCount(fails)) {
    readRate(gathering, name, { passes, fails });
  } else if (count !== undefined && !isTrend) {
    const better = THROUGHPUT.test(name) ? ('higher' as const) : directionOf('', name);
    gathering.figure({ name, metric: 'rate', unit: '1/s', value: rate, better });
  } else if (value !== undefined || type === 'gauge') {
    gathering.figure({ name, metric: 'value', unit: '', value, better: directionOf('', name) });
  } else {
    readTrend(gathering, name, { values, isTime: contains === 'time' || TIMES.test(name) });
  }
}

function readTrend(gathering: Gathering, name: string, { values, isTime }: { values: Item; isTime: boolean }): void {
  const better = isTime ? ('lower' as const) : directionOf('', name);
  const statistics = Object.entries(values).filter(([key]) => !NO_STATISTIC.has(key));
  for (const [key, value] of statistics) {
    gathering.figure({ name, metric: statisticName(key), unit: isTime ? 'ms' : '', value, better });
  }
  if (statistics.length === 0) {
    gathering.leaveOut({ name, why: 'has no values', kind: 'unread' });
  }
}

/** `med` is p50, `p(99.9)` is p99.9. */
function statisticName(key: string): string {
  const [, percentile] = /^p\(([\d.]+)\)$/.exec(key) ?? [];
  return key === 'med' ? 'p50' : percentile === undefined ? key : `p${percentile}`;
}

/** A Rate counts what is true: of `http_req_failed` failures, of `checks` successes; of another one its name may say it. */
function readRate(
  gathering: Gathering,
  name: string,
  { passes, fails }: { readonly passes: number; readonly fails: number },
): void {
  const requests = passes + fails;
  const isOfSuccess = /^checks(?:\{|$)/.test(name) || /success|succeeded|passed|\bok\b/i.test(name);
  const isOfFailure = directionOf('', name) === 'lower';
  if (isOfSuccess || isOfFailure) {
    share(gathering, name, { failed: isOfSuccess ? fails : passes, requests });
  } else {
    gathering.figure({ name, metric: 'rate', unit: '', value: passes / requests, better: directionOf('', name) });
  }
}

function share(gathering: Gathering, name: string, counts: FailedCounts): void {
  const { failed, requests } = counts;
  gathering.figure({
    name,
    metric: 'errorRate',
    unit: '',
    better: 'lower',
    value: requests === 0 ? 0 : failed / requests,
    counts,
  });
}

/** True in `--summary-export` says that the threshold was crossed, `ok: false` in the data of `handleSummary`. */
function readThresholds(gathering: Gathering, name: string, thresholds: Item): void {
  for (const [source, found] of Object.entries(thresholds)) {
    if (found === true || recordOf(found)?.['ok'] === false) {
      gathering.fail(`${name}: ${source}`, 'crossed its threshold');
    }
  }
}

/** Checks of a group and of those within, as deep as scripts have them. */
function readGroup(gathering: Gathering, { checks, groups }: Item, path: string): void {
  for (const check of itemsOf(checks)) {
    readCheck(gathering, check, path);
  }
  for (const inner of path.length < MOST_PATH ? itemsOf(groups) : []) {
    readGroup(gathering, inner, `${path}${textIn(inner['name']) ?? ''}::`);
  }
}

/** Characters of the names of nested groups. */
const MOST_PATH = 1000;

function readCheck(gathering: Gathering, { name, passes, fails }: Item, path: string): void {
  const check = `check ${path}${textIn(name) ?? ''}`;
  if (isCount(passes) && isCount(fails)) {
    share(gathering, check, { failed: fails, requests: passes + fails });
  } else {
    gathering.leaveOut({ name: check, why: 'has no counts', kind: 'unread' });
  }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
