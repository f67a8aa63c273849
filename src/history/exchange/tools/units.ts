const SECONDS: Readonly<Record<string, number>> = {
  ps: 1e-12,
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  ms: 1e-3,
  s: 1,
};

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
