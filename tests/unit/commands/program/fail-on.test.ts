import { describe, expect, test } from 'vitest';
import { exitCodeFor, failingOn } from '../../../../src/commands/program/options.ts';
import { DEFAULT_POLICY } from '../../../../src/model/policy.ts';

describe('--fail-on', () => {
  test('leaves the policy as it is, but for what is inconclusive', () => {
    const policy = { ...DEFAULT_POLICY, inconclusive: 'pass' as const };
    expect(failingOn(policy, undefined)).toBe(policy);
    expect(failingOn(policy, 'regression')).toBe(policy);
    expect(failingOn(policy, 'inconclusive')).toEqual({ ...policy, inconclusive: 'fail' });
  });

  test('never: a regression does not fail the job, and what could not be judged still does', () => {
    const codes = ([0, 1, 2] as const).map((exitCode) => exitCodeFor({ exitCode }, 'never'));
    expect(codes).toEqual([0, 0, 2]);
    expect(([0, 1, 2] as const).map((exitCode) => exitCodeFor({ exitCode }, undefined))).toEqual([0, 1, 2]);
  });
});
