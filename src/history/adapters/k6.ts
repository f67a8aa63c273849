import { type LooseMap, mapIn } from '../../config/yaml/lines.ts';
import { jsonAdapter, mapsIn, textIn } from './json.ts';
import { type Found, failure, unread } from './results.ts';
import { directionOf } from './units.ts';

/** Summaries of k6: `--summary-export`, `handleSummary`, and the machine-readable one of 1.5 on. Crossed thresholds are failures. */
export const k6 = jsonAdapter((document) => {
  const { metrics, root_group: group, results, config } = mapIn(document);
  const { metrics: newer, checks } = mapIn(results);
  if (Array.isArray(newer)) {
    const seconds = Number(mapIn(config)['duration']);
    const of = (metric: LooseMap) => ({ ...metric, values: olderValues(mapIn(metric['values']), seconds) });
    const { metrics: ofChecks, results: single } = mapIn(checks);
    return [
      ...[...itemsOf(newer), ...itemsOf(ofChecks)].flatMap((one) => resultsOf(textIn(one['name']) ?? '', of(one))),
      ...itemsOf(single).map((check) => checkOf(check, '')),
    ];
  }
  return metrics === undefined || mapIn(metrics) !== metrics
    ? 'must be a map with metrics'
    : [...Object.entries(metrics).flatMap(([name, metric]) => resultsOf(name, mapIn(metric))), ...checksOf(group, '')];
});

/** Values of a metric in the machine-readable summary, in the form of older ones. Its Counters have no rate. */
function olderValues({ count, matches, total, ...others }: LooseMap, seconds: number): LooseMap {
  if (isCount(matches) && isCount(total)) {
    return { passes: matches, fails: total - matches };
  }
  return typeof count === 'number' ? { count, rate: seconds > 0 ? count / seconds : undefined } : others;
}

function itemsOf(value: unknown): readonly LooseMap[] {
  return mapsIn(Array.isArray(value) ? value : Object.values(mapIn(value))) ?? [];
}

/** Metrics whose higher rates are better. */
const THROUGHPUT = /^(?:http_reqs|iterations|ws_(?:msgs_(?:sent|received)|sessions)|grpc_reqs)(?:\{|$)/;

/** Trends that are times, for files that do not give their type. */
const TIMES = /(?:duration|blocked|connecting|handshaking|sending|waiting|receiving|session)(?:\{|$)/;

function resultsOf(name: string, metric: LooseMap): readonly Found[] {
  // A crossed threshold is `true` in `--summary-export`, and `ok: false` in the data of `handleSummary`.
  const crossed = Object.entries(mapIn(metric['thresholds']))
    .filter(([, found]) => found === true || mapIn(found)['ok'] === false)
    .map(([source]) => failure(`${name}: ${source}`, 'crossed its threshold'));
  return [...figuresOf(name, metric), ...crossed];
}

function figuresOf(name: string, { values, ...metric }: LooseMap): readonly Found[] {
  const { passes, fails, rate, count, value, ...others } = mapIn(values ?? metric);
  const statistics = Object.entries(others).filter(([key]) => !/^(?:name|thresholds|type|contains|values)$/.test(key));
  const better = THROUGHPUT.test(name) ? ('higher' as const) : directionOf('', name);
  if (isCount(passes) && isCount(fails)) {
    return [rateOf(name, passes, fails)];
  }
  if (value !== undefined || metric['type'] === 'gauge') {
    return [{ kind: 'figure', name, metric: 'value', unit: '', value, better }];
  }
  if (statistics.length === 0) {
    const none = count === undefined ? unread(name, 'has no values') : undefined;
    return [none ?? { kind: 'figure', name, metric: 'rate', unit: '1/s', value: rate, better }];
  }
  const isTime = metric['contains'] === 'time' || TIMES.test(name);
  const of = isTime ? { unit: 'ms', better: 'lower' as const } : { unit: '', better };
  return statistics.map(([key, one]) => {
    const statistic = key === 'med' ? 'p50' : key.replace(/^p\(([\d.]+)\)$/, 'p$1');
    return { kind: 'figure', name, metric: statistic, value: one, ...of };
  });
}

/** A Rate counts true values: failures in `http_req_failed`, successes in `checks`; for others, it depends on the name. */
function rateOf(name: string, passes: number, fails: number): Found {
  const better = directionOf('', name);
  const requests = passes + fails;
  const isOfSuccess = /^checks(?:\{|$)|success|succeeded|passed|\bok\b/i.test(name);
  return isOfSuccess || better === 'lower'
    ? shareOf(name, isOfSuccess ? fails : passes, requests)
    : { kind: 'figure', name, metric: 'rate', unit: '', value: passes / requests, better };
}

function shareOf(name: string, failed: number, requests: number): Found {
  const value = requests === 0 ? 0 : failed / requests;
  return { kind: 'figure', name, metric: 'errorRate', unit: '', better: 'lower', value, counts: { failed, requests } };
}

/** Characters of the names of nested groups. */
const MAX_PATH = 1000;

function checksOf(group: unknown, path: string): readonly Found[] {
  const { checks, groups } = mapIn(group);
  const inner = path.length < MAX_PATH ? itemsOf(groups) : [];
  return [
    ...itemsOf(checks).map((check) => checkOf(check, path)),
    ...inner.flatMap((one) => checksOf(one, `${path}${textIn(one['name']) ?? ''}::`)),
  ];
}

function checkOf({ name, passes, fails }: LooseMap, path: string): Found {
  const check = `check ${path}${textIn(name) ?? ''}`;
  return isCount(passes) && isCount(fails) ? shareOf(check, fails, passes + fails) : unread(check, 'has no counts');
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
