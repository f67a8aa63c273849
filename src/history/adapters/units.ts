/** Better direction of a figure; `unknown` if neither the file nor the unit gives one: such a figure is shown but not judged. */
export type Direction = 'lower' | 'higher' | 'unknown';

const SECONDS: Readonly<Record<string, number>> = { ps: 1e-12, ns: 1e-9, us: 1e-6, µs: 1e-6, ms: 1e-3, s: 1 };

/** Factor from one unit to another: times (`us/op`, `ns/op`) and rates (`ops/ms`, `ops/s`). Undefined for different dimensions. */
export function factorBetween(from: string, to: string): number | undefined {
  if (from === to) {
    return 1;
  }
  const [left, right] = [scaleOf(from), scaleOf(to)];
  return left === undefined || left.of !== right?.of ? undefined : left.scale / right.scale;
}

/** Scale of a time, a time per something (`ns/op`) or a rate (`ops/ms`). */
function scaleOf(unit: string): { readonly of: string; readonly scale: number } | undefined {
  const [, rate = '', time = '', each = ''] = /^(\w+\/)?(ps|ns|us|µs|ms|s)(\/\w+)?$/.exec(unit) ?? [];
  const seconds = Object.hasOwn(SECONDS, time) ? SECONDS[time] : undefined;
  return seconds === undefined ? undefined : { of: `${rate}${each}`, scale: rate === '' ? seconds : 1 / seconds };
}

const TIME = '(?:[pnuµμm]?s(?:ec(?:onds?)?)?|(?:pico|nano|micro|milli)?seconds?|min(?:utes?)?|h(?:ours?)?)';

/** Units of work; a time or a size per unit is a cost. */
const EACH = '(?:op|ops|operation|iter|iters|iteration|req|request|call|item|query|message|msg|round|loop|elem|byte)s?';

/** Directions by unit, first match wins: rates, then costs. */
const UNITS: readonly (readonly [RegExp, Direction])[] = [
  [new RegExp(`\\S[/ ]${TIME}$`, 'i'), 'higher'],
  [/\bper (?:second|minute|hour|sec|ms)$/i, 'higher'],
  [/^(?:qps|tps|rps|iops|fps|hz|[kmg]hz|[kmgt]?bps|[kmgt]?flops?)$/i, 'higher'],
  [new RegExp(`^${TIME}(?:[/ ](?:${EACH}))?$`, 'i'), 'lower'],
  [/^(?:cycles|instructions|insns|clocks|allocs?|allocations|mallocs)(?:\/\S+)?$/i, 'lower'],
  [/^(?:[kmgt]i?)?(?:b|bytes?)(?:\/(?:op|iter|operation|request))?$/i, 'lower'],
  [/^#\/op$/i, 'lower'],
];

/** Directions by words in names of metrics and units, such as custom metrics of Go. */
const NAMES: readonly (readonly [RegExp, Direction])[] = [
  [word('errors?|failed|failures?|timeouts?|dropped|rejected|latency|duration|elapsed|misses'), 'lower'],
  [word('qps|tps|rps|fps|throughput|bandwidth|recall|precision|accuracy|speedup|hit[-_ ]?(?:rate|ratio)'), 'higher'],
];

function word(words: string): RegExp {
  return new RegExp(`(?:^|[^a-z])(?:${words})(?:$|[^a-z])`, 'i');
}

/** Direction by the unit of a figure, else by the name of its metric, else `unknown`. */
export function directionOf(unit: string, metric = ''): Direction {
  const found = [
    [UNITS, unit.trim()],
    [NAMES, unit],
    [NAMES, metric],
  ] as const;
  return found.flatMap(([table, text]) => table.find(([pattern]) => pattern.test(text))?.[1] ?? [])[0] ?? 'unknown';
}
