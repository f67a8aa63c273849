import type { Acceptance, RunInRounds } from '../../model/index.ts';
import { isRegression } from './finding.ts';
import type { JudgedRun } from './judge.ts';

/** The label of a pull request that accepts its regressions. */
export const ACCEPTED_LABEL = 'wiregauge: accepted';

/** Who put the label on a pull request, and when; texts from outside. */
export interface LabelEvent {
  readonly by: string;
  readonly at: string;
}

/** The largest change for the worse that a policy can accept: 1000 %. */
const MOST = 10;

/**
 * The run with every regression that may fail the pull request accepted, at the size that was measured and for the day on which it
 * was: so the file alone gives the same verdict again. Failures, errors and budgets are no regressions and stay what they are.
 */
export function acceptedByLabel({ run, result }: JudgedRun, { by, at }: LabelEvent): RunInRounds {
  const red = result.findings.filter((finding) => finding.family === 'gate' && isRegression(finding));
  const accepted = red.map(({ cell, metric, change }): Acceptance => {
    const { service, operation, tier } = cell;
    const upTo = Math.min(Math.abs(change.estimate), MOST);
    const until = run.startedAt.slice(0, 'yyyy-mm-dd'.length);
    return { service, operation, tier, metric, upTo, until, why: `label "${ACCEPTED_LABEL}"`, by, at };
  });
  const policy = { ...run.rounds.policy, accepted: [...run.rounds.policy.accepted, ...accepted] };
  return { ...run, rounds: { ...run.rounds, policy } };
}
