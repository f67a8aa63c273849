import type { ComparisonResult } from '../../judge/verdict/finding.ts';
import { changedPolicy, type Policy } from '../../model/policy.ts';

/** What makes a comparison fail: see FAIL_ON. */
export type FailOn = (typeof FAIL_ON)[number];

/** What the policy calls a regression; what is inconclusive, too; or nothing that was measured. */
export const FAIL_ON = ['regression', 'inconclusive', 'never'] as const;

/** The policy with what `--fail-on` changes of it. */
export function failingOn(policy: Policy, failOn: FailOn | undefined): Policy {
  return failOn === 'inconclusive' ? changedPolicy(policy, { inconclusive: 'fail' }) : policy;
}

/** The exit code of a comparison; 2, where nothing could be judged, stays what it is. */
export function exitCodeFor({ exitCode }: Pick<ComparisonResult, 'exitCode'>, failOn: FailOn | undefined): number {
  return failOn === 'never' && exitCode === 1 ? 0 : exitCode;
}
