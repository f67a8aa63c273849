/** Better direction of a figure; `unknown` if neither the file nor the unit has it: such a figure is shown and never judged. */
export type Direction = 'lower' | 'higher' | 'unknown';

const SECONDS: Readonly<Record<string, number>> = { ps: 1e-12, ns: 1e-9, us: 1e-6, µs: 1e-6, ms: 1e-3, s: 1 };

/**
 * By how much a value in one unit is multiplied to be in another: times of other scales (`us/op`, `ns/op`), and rates per such a time
 * (`ops/ms`, `ops/s`). Undefined if they are units of different things.
 */
export function factorBetween(from: string, to: string): number | undefined {
  if (from === to) {
    return 1;
  }
  const [left, right] = [scaleOf(from), scaleOf(to)];
  return left === undefined || left.of !== right?.of ? undefined : left.scale / right.scale;
}

/** A unit of time, alone or of something (`ns`, `ns/op`); or of something in a time (`ops/ms`). */
function scaleOf(unit: string): { readonly of: string; readonly scale: number } | undefined {
  const [, rate = '', time = '', each = ''] = /^(\w+\/)?(ps|ns|us|µs|ms|s)(\/\w+)?$/.exec(unit) ?? [];
  const seconds = Object.hasOwn(SECONDS, time) ? SECONDS[time] : undefined;
  return seconds === undefined ? undefined : { of: `${rate}${each}`, scale: rate === '' ? seconds : 1 / seconds };
}

/** A unit of time, as tools write it. */
const TIME = '(?:[pnuµμm]?s(?:ec(?:onds?)?)?|(?:pico|nano|micro|milli)?seconds?|min(?:utes?)?|h(?:ours?)?)';

/** Units of work of a benchmark: a time or a size for each is a cost. */
const EACH = '(?:op|ops|operation|iter|iters|iteration|req|request|call|item|query|message|msg|round|loop|elem|byte)s?';

/** Directions of units, the first that matches: rates in a time, then costs. */
const UNITS: readonly (readonly [RegExp, Direction])[] = [
  [new RegExp(`\\S[/ ]${TIME}$`, 'i'), 'higher'],
  [/\bper (?:second|minute|hour|sec|ms)$/i, 'higher'],
  [/^(?:qps|tps|rps|iops|fps|hz|[kmg]hz|[kmgt]?bps|[kmgt]?flops?)$/i, 'higher'],
  [new RegExp(`^${TIME}(?:[/ ](?:${EACH}))?$`, 'i'), 'lower'],
  [/^(?:cycles|instructions|insns|clocks|allocs?|allocations|mallocs)(?:\/\S+)?$/i, 'lower'],
  [/^(?:[kmgt]i?)?(?:b|bytes?)(?:\/(?:op|iter|operation|request))?$/i, 'lower'],
  [/^#\/op$/i, 'lower'],
];

/** Names of metrics and of units that are no unit, such as Go's own metrics. */
const NAMES: readonly (readonly [RegExp, Direction])[] = [
  [word('errors?|failed|failures?|timeouts?|dropped|rejected|latency|duration|elapsed|misses'), 'lower'],
  [word('qps|tps|rps|fps|throughput|bandwidth|recall|precision|accuracy|speedup|hit[-_ ]?(?:rate|ratio)'), 'higher'],
];

function word(words: string): RegExp {
  return new RegExp(`(?:^|[^a-z])(?:${words})(?:$|[^a-z])`, 'i');
}

/** Direction by the unit of a figure, else by the name of what is measured, else `unknown`. */
export function directionOf(unit: string, metric = ''): Direction {
  const found = [
    [UNITS, unit.trim()],
    [NAMES, unit],
    [NAMES, metric],
  ] as const;
  return found.flatMap(([table, text]) => table.find(([pattern]) => pattern.test(text))?.[1] ?? [])[0] ?? 'unknown';
}
