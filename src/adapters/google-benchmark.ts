import { eachNamed, Gathering, jsonAdapter, recordOf, textIn } from './tool-run.ts';

type Item = Readonly<Record<string, unknown>>;

/** Fields of a result that are no figure of it. */
const FACTS: ReadonlySet<string> = new Set([
  ...['name', 'run_name', 'run_type', 'family_index', 'per_family_instance_index', 'repetitions', 'repetition_index'],
  ...[
    'threads',
    'iterations',
    'time_unit',
    'label',
    'aggregate_name',
    'aggregate_unit',
    'big_o',
    'rms',
    'cpu_coefficient',
  ],
  ...['real_coefficient', 'error_occurred', 'error_message', 'skipped', 'skip_message'],
]);

/** Fields whose metric and unit the tool defines; any other one is a counter of the benchmark's own. */
const KNOWN: Readonly<Record<string, readonly [metric: string, unit: string]>> = {
  items_per_second: ['throughput', 'items/s'],
  bytes_per_second: ['bytes', 'B/s'],
  allocs_per_iter: ['allocations', 'allocs/iter'],
  max_bytes_used: ['memory', 'B'],
  total_allocated_bytes: ['allocated', 'B'],
  net_heap_growth: ['heap-growth', 'B'],
};

/**
 * Adapter of Google Benchmark (`--benchmark_format=json`): real and CPU time, rates, and counters. Its own means of repetitions are left
 * out, unless the file has nothing else: then the median is the figure.
 */
export const googleBenchmark = jsonAdapter((document) => {
  const file = recordOf(document) ?? {};
  const { benchmarks, context } = file;
  if (!Array.isArray(benchmarks) || !('context' in file || benchmarks.some(isOne))) {
    return 'must be a map with a list of benchmarks that have times';
  }
  const gathering = new Gathering();
  const measured = new Set(
    benchmarks.flatMap((one) => (isAggregate(recordOf(one) ?? {}) ? [] : [nameOf(recordOf(one))])),
  );
  const families = new Map<string, Map<string, number>>();
  eachNamed(gathering, benchmarks, (item) => {
    const name = distinctName(item, families);
    if (item['error_occurred'] === true || item['skipped'] === true) {
      gathering.fail(name, textIn(item['error_message'] ?? item['skip_message'])?.slice(0, 200) ?? 'was skipped');
    } else if (isAggregate(item) && (measured.has(nameOf(item)) || item['aggregate_name'] !== 'median')) {
      gathering.leaveOut({
        name,
        metric: textIn(item['aggregate_name']),
        why: 'is a summary of repetitions',
        kind: 'summary',
      });
    } else {
      readFigures(gathering, item, name);
    }
  });
  return gathering.run({ at: textIn(recordOf(context)?.['date']) });
});

function isOne(item: unknown): boolean {
  const found = recordOf(item) ?? {};
  return ['run_type', 'real_time', 'cpu_time', 'error_occurred'].some((key) => key in found);
}

function isAggregate(item: Item): boolean {
  return item['run_type'] === 'aggregate';
}

function nameOf(item: Item = {}): string {
  return textIn(item['run_name']) ?? textIn(item['name']) ?? '';
}

/** Repetitions have one name and one place in one family; a second benchmark that was given the same name has another. */
function distinctName(item: Item, families: Map<string, Map<string, number>>): string {
  const name = nameOf(item);
  const places = families.get(name) ?? new Map<string, number>();
  families.set(name, places);
  const place = `${item['family_index']} ${item['per_family_instance_index']}`;
  const number = places.get(place) ?? places.size + 1;
  places.set(place, number);
  return number === 1 ? name : `${name} (${number})`;
}

function readFigures(gathering: Gathering, item: Item, name: string): void {
  const unit = textIn(item['time_unit']) ?? 'ns';
  const times = [
    ['time', item['real_time']],
    ['cpu-time', item['cpu_time']],
  ] as const;
  for (const [metric, value] of times) {
    if (value !== undefined) {
      gathering.repetition({ name, metric, unit, value });
    }
  }
  for (const [key, value] of Object.entries(item)) {
    const known = Object.hasOwn(KNOWN, key) ? KNOWN[key] : undefined;
    if (!FACTS.has(key) && key !== 'real_time' && key !== 'cpu_time') {
      const [metric, of] = known ?? [key, ''];
      gathering.repetition({ name, metric, unit: of, value });
    }
  }
}
