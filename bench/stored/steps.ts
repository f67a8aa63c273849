import { seededRandom } from '../../src/foundation/random.ts';
import { byStratum, candidatesOf } from '../../src/judge/stored/candidates.ts';
import { judgeFamilies } from '../../src/judge/stored/judge.ts';
import type { StoredRun } from '../../src/judge/stored/stored-run.ts';
import { DEFAULT_POLICY } from '../../src/model/policy.ts';
import { NOISES } from './noise.ts';

/** A service that changes after 30 runs, and what its later runs are called. */
export interface StepQuestion {
  readonly noise: string;
  /** 0.3 is 30% slower. */
  readonly change: number;
  readonly histories: number;
}

const SD = 0.06;
const BEFORE = 30;
const AFTER = 200;
const KEPT = 60;
const CELL = { suite: 'users', service: 'rest', operation: 'all', tier: 'saturation' };
const PLACE = 'rest/all/saturation';
const METRIC = 'cpuMicrosPerRequest';
const STRATUM = { cpuModel: 'a', cores: 2, kernelMajor: '6' };

/** How many of the 200 runs after a step are suspicious, in a family of one, as the mean over histories. */
export function suspiciousAfter({ noise, change, histories }: StepQuestion): number {
  const random = seededRandom(7);
  const counts = Array.from({ length: histories }, () => {
    const next = NOISES[noise]?.(random) ?? (() => 0);
    const before = Array.from({ length: BEFORE }, () => 100 * Math.exp(SD * next()));
    const after = Array.from({ length: AFTER }, () => 100 * (1 + change) * Math.exp(SD * next()));
    return suspicionsIn([...before, ...after]).filter((day) => day >= BEFORE).length;
  });
  return counts.reduce((sum, count) => sum + count, 0) / histories;
}

/** The days on which the run was suspicious against those before it. */
function suspicionsIn(values: readonly number[]): readonly number[] {
  let past: readonly StoredRun[] = [];
  return values.flatMap((now, day) => {
    const flagged = isSuspicious(now, past);
    past = [...past, storedRun(day, now, flagged)].slice(-KEPT);
    return flagged ? [day] : [];
  });
}

function isSuspicious(now: number, past: readonly StoredRun[]): boolean {
  const measured = { cell: CELL, rounds: 3, values: { [METRIC]: now }, failed: 0, errorRate: 0, spoiled: undefined };
  const candidates = candidatesOf(measured, byStratum(past, STRATUM), DEFAULT_POLICY);
  const verdicts = judgeFamilies(candidates, { alpha: DEFAULT_POLICY.alpha, controlMs: undefined });
  return verdicts.some((verdict) => 'status' in verdict && verdict.status === 'suspicious');
}

function storedRun(day: number, value: number, flagged: boolean): StoredRun {
  return {
    startedAt: new Date(Date.UTC(2026, 0, 1 + day)).toISOString(),
    dirty: false,
    stratum: STRATUM,
    configuration: { runtime: 'docker', profile: 'standard', configHash: 'a', tools: 'vegeta' },
    rounds: 3,
    note: 'made up',
    suspicious: flagged ? [`${PLACE} ${METRIC}`] : [],
    cells: { [PLACE]: { [METRIC]: value } },
  };
}
