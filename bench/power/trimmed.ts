import type { RunInRounds } from '../../src/model/run/run.ts';

/** Digits of a number that a comparison can distinguish from noise, with some to spare. */
const DIGITS = 6;

/**
 * A comparison for a repository: all rounds with the sums of their blocks, and nothing that no rule reads (histograms, the lines of the
 * log). Measured numbers keep six digits. It is a `run.json` like any other.
 */
export function trimmed(run: RunInRounds): RunInRounds {
  return { ...run, failures: [], samples: rounded(run.samples.map((sample) => ({ ...sample, histogram: '' }))) };
}

function rounded<Value>(value: Value): Value {
  const kept = JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'number' && !Number.isInteger(one) ? Number(one.toPrecision(DIGITS)) : one,
  );
  return JSON.parse(kept) as Value;
}
