import {
  type Compared,
  type ComparisonInput,
  type ComparisonResult,
  evidenceIn,
  type Finding,
} from '../../../../src/judge/verdict/finding.ts';
import { judgeComparison } from '../../../../src/judge/verdict/judge.ts';
import { DEFAULT_POLICY, type Policy } from '../../../../src/model/policy.ts';
import { PROFILES } from '../../../../src/model/profiles.ts';
import { seeded } from '../../../support/sample-latencies.ts';

/** A comparison to make up. */
export interface Made {
  /** "service/operation/tier". */
  readonly cell?: string;
  readonly metric?: string;
  readonly better?: 'lower' | 'higher';
  readonly gate?: boolean;
  readonly ifSeen?: boolean;
  readonly rounds?: number;
  /** How much worse the head is: 0.1 is 10%. */
  readonly worse?: number;
  /** Standard deviation of the log ratio of one round. */
  readonly sd?: number;
  readonly seed?: number;
}

/** A comparison with normal noise; the noise has mean 0 and comes in pairs of opposite sign, so that the change is what was asked for. */
export function made(options: Made = {}): Compared {
  const [service = 'rest', operation = 'all', tier = 'saturation'] = (options.cell ?? '').split('/').filter(Boolean);
  const rounds = options.rounds ?? 10;
  const better = options.better ?? 'lower';
  const shift = Math.log(1 + (options.worse ?? 0)) * (better === 'lower' ? 1 : -1);
  const random = seeded(`${options.seed ?? 1}`);
  const noise = Array.from({ length: Math.ceil(rounds / 2) }, () => normal(random) * (options.sd ?? 0.01)).flatMap(
    (one) => [one, -one],
  );
  const base = Array.from({ length: rounds }, () => 200 * Math.exp(normal(random) * (options.sd ?? 0.01)));
  return {
    cell: { suite: 'users', service, operation, tier },
    metric: options.metric ?? 'cpuMicrosPerRequest',
    better,
    gate: options.gate ?? true,
    ifSeen: options.ifSeen,
    base,
    head: base.map((value, round) => value * Math.exp(shift + (noise[round] ?? 0))),
  };
}

/** Everything that is judged, with nothing but comparisons. */
export function inputOf(compared: readonly Compared[], change: Partial<ComparisonInput> = {}): ComparisonInput {
  const kept = new Map(compared.map(({ cell, base }) => [cell.service, base.length]));
  return {
    compared,
    lost: [],
    errors: [],
    readings: [],
    rounds: [...kept].map(([service, rounds]) => ({ service, kept: rounds, discarded: 0, failed: 0 })),
    looks: PROFILES.standard.rounds.looks,
    families: [{ service: undefined, isFinal: true }],
    day: '2026-11-21',
    notes: [],
    remarks: [],
    ...change,
  };
}

/** The result of some comparisons, by the usual policy with changes. */
export function judged(
  compared: readonly Compared[],
  policy: Partial<Policy> = {},
  change: Partial<ComparisonInput> = {},
): ComparisonResult {
  return judgeComparison(inputOf(compared, change), { ...DEFAULT_POLICY, ...policy }, 7);
}

/** The only finding of a result. */
export function only(result: ComparisonResult): Finding {
  const findings = evidenceIn(result, 'change');
  const [finding, ...others] = findings;
  if (finding === undefined || others.length > 0) {
    throw new Error(`${findings.length} findings`);
  }
  return finding;
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
