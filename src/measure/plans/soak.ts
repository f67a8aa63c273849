import { ConfigError } from '../../foundation/errors.ts';
import { type Plan, planRun, SOAK } from '../../model/plan.ts';
import { profileNamed } from '../../model/profiles.ts';
import { arrivalTiers } from '../../model/suite/suite.ts';

/** Shortest soak: in a shorter one, the last quarters have too few readings of memory. */
const LEAST_SECONDS = 20;

/** At the end, the records of all requests are in memory. */
const MAX_SECONDS = 3600;

/** Plan with one start of each service under one load: the middle of the tiers with a rate, or a closed loop. Throws ConfigError without such a tier. */
export function planSoak({
  suite,
  seconds,
  modes,
  seed,
}: Pick<Plan, 'seed' | 'suite'> & {
  readonly seconds: number;
  /** Undefined: open, or a closed loop if no tier has a rate. */
  readonly modes: Plan['modes'] | undefined;
}): Plan {
  const rates = arrivalTiers(suite.tiers);
  const whole = rates.filter(({ operations }) => operations === undefined);
  const tiers = whole.length > 0 ? whole : rates;
  const middle = tiers[Math.floor((tiers.length - 1) / 2)];
  const isClosed = modes === undefined ? middle === undefined : !modes.includes('open');
  if (seconds < LEAST_SECONDS) {
    throw new ConfigError(`--for ${seconds}s: shows no growth of memory, which takes at least ${LEAST_SECONDS} s`, {
      code: 'WG-101',
      next: 'Use some minutes, like --for 10m.',
    });
  }
  if (seconds > MAX_SECONDS) {
    throw new ConfigError(`--for ${seconds}s: the limit is ${MAX_SECONDS} s, since all requests are kept in memory`, {
      code: 'WG-101',
      next: 'Use at most --for 60m.',
    });
  }
  if (!isClosed && middle === undefined) {
    throw new ConfigError(`suite ${suite.name}: no tier has a rate, so --for has no load with --mode open`, {
      code: 'WG-101',
      next: 'Use --mode saturate, or add a tier with a `rate`.',
    });
  }
  const lengths = { name: SOAK, measureSeconds: seconds, saturationSeconds: seconds, rounds: 1 };
  return planRun({
    suite: isClosed || middle === undefined ? suite : { ...suite, tiers: [middle] },
    profile: { ...profileNamed('standard').trials, ...lengths },
    modes: [isClosed ? 'saturate' : 'open'],
    seed,
  });
}
