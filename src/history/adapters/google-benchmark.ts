import { type LooseMap, mapIn } from '../../config/yaml/lines.ts';
import { jsonAdapter, mapsIn, ofEach, textIn } from './json.ts';
import { type Found, failure } from './results.ts';

/** Fields of a result that are not figures. */
const FACTS =
  /^(?:(?:run_)?name|run_type|(?:per_)?family_(?:instance_)?index|repetitions|repetition_index|threads|iterations|time_unit|label|aggregate_\w+|big_o|rms|(?:cpu|real)_coefficient|error_\w+|skipped|skip_message)$/;

/** Fields defined by the tool; others are custom counters. */
const KNOWN: ReadonlyMap<string, readonly [metric: string, unit?: string]> = new Map([
  ['real_time', ['time']],
  ['cpu_time', ['cpu-time']],
  ['items_per_second', ['throughput', 'items/s']],
  ['bytes_per_second', ['bytes', 'B/s']],
  ['allocs_per_iter', ['allocations', 'allocs/iter']],
  ['max_bytes_used', ['memory', 'B']],
  ['total_allocated_bytes', ['allocated', 'B']],
  ['net_heap_growth', ['heap-growth', 'B']],
]);

/** Output of `--benchmark_format=json`. If a file has nothing but aggregates, the median is used. */
export const googleBenchmark = jsonAdapter(
  (document) => {
    const { benchmarks, context } = mapIn(document);
    const all = mapsIn(benchmarks);
    const isOne = (item: LooseMap) =>
      ['run_type', 'real_time', 'cpu_time', 'error_occurred'].some((key) => key in item);
    if (all === undefined || (context === undefined && !all.some(isOne))) {
      return 'must be a map with a list of benchmarks that have times';
    }
    const measured = new Set(all.filter((item) => !isAggregate(item)).map(nameOf));
    const families = new Map<string, Map<string, number>>();
    return ofEach(all, (item) => resultsOf(item, distinctName(item, families), measured.has(nameOf(item))));
  },
  ({ context }) => ({ at: textIn(mapIn(context)['date']) }),
);

function resultsOf(item: LooseMap, name: string, isMeasured: boolean): readonly Found[] {
  const { aggregate_name: summary, error_message: error, skip_message: skip } = item;
  if (item['error_occurred'] === true || item['skipped'] === true) {
    return [failure(name, textIn(error ?? skip)?.slice(0, 200) ?? 'was skipped')];
  }
  return isAggregate(item) && (isMeasured || summary !== 'median')
    ? [{ kind: 'summary', name, metric: textIn(summary), why: 'is a summary of repetitions' }]
    : figuresOf(item, name);
}

const isAggregate = (item: LooseMap) => item['run_type'] === 'aggregate';

const nameOf = (item: LooseMap) => textIn(item['run_name']) ?? textIn(item['name']) ?? '';

/** Repetitions have the same name and the same index in a family; another benchmark with the same name gets a different name. */
function distinctName(item: LooseMap, families: Map<string, Map<string, number>>): string {
  const name = nameOf(item);
  const places = families.get(name) ?? new Map<string, number>();
  const place = `${item['family_index']} ${item['per_family_instance_index']}`;
  const number = places.get(place) ?? places.size + 1;
  families.set(name, places.set(place, number));
  return number === 1 ? name : `${name} (${number})`;
}

function figuresOf(item: LooseMap, name: string): readonly Found[] {
  const time = textIn(item['time_unit']) ?? 'ns';
  return Object.entries(item)
    .filter(([key, value]) => !FACTS.test(key) && value !== undefined)
    .map(([key, value]) => {
      const [metric, unit = time] = KNOWN.get(key) ?? [key, ''];
      return { kind: 'repetition', name, metric, unit, value };
    });
}
