import { ConfigError } from '../../foundation/errors.ts';
import { fewestRounds, roundSeconds } from '../../model/length.ts';
import type { RoundProfile } from '../../model/profile.ts';
import type { Suite } from '../../model/suite.ts';

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** Seconds of a length of time like "90s", "10m" or "1h"; undefined where it is none. */
export function parseDuration(text: string): number | undefined {
  const [, number, unit] = /^(\d+(?:\.\d+)?)([smh])$/.exec(text) ?? [];
  const seconds = Number(number) * (UNITS[unit ?? ''] ?? Number.NaN);
  return seconds > 0 ? seconds : undefined;
}

/** A length of time for people: "45 s", "6 min 30 s". */
export function durationText(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** Throws ConfigError where the time does not do for the rounds of the first look: the answer could only be "inconclusive". */
export function checkBudget(budgetSeconds: number, profile: RoundProfile, suite: Suite): void {
  const rounds = fewestRounds(profile);
  const seconds = rounds * roundSeconds(profile, suite);
  if (seconds > budgetSeconds) {
    throw new ConfigError(
      `a budget of ${durationText(budgetSeconds)} is too small: ${rounds} rounds of profile ${profile.name} take about ${durationText(seconds)}`,
      { next: `Raise --budget, take --profile quick, or fewer services with --services.` },
    );
  }
}
