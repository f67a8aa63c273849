import { describe, expect, test } from 'vitest';
import type { Run } from '../../../../src/model/run/run.ts';
import { baselineOf, CPU, judge, QUIET, runNow, SLOW_GRPC, verdictOn } from './histories.ts';

/** The run after gRPC and its operation got new names: nothing else of its configuration changed. */
function renamed(configHashes: readonly string[]): Run {
  const text = JSON.stringify(runNow(SLOW_GRPC)).replaceAll('"service":"grpc"', '"service":"rpc"');
  const run = JSON.parse(text) as Run;
  return {
    ...run,
    configHash: 'renamed',
    suite: { ...run.suite, wasNamed: { services: { rpc: ['grpc'] }, operations: {}, configHashes } },
  };
}

const NOW = CPU.replace('grpc', 'rpc');

describe('stored runs of before a renaming', () => {
  const { configHash } = runNow();

  test('judge a run of the new name if nothing but names changed', () => {
    const { past, verdicts } = judge(renamed([configHash]), baselineOf(QUIET));

    expect(past.configured).toBe(30);
    expect(verdictOn(verdicts, NOW)).toMatchObject({ kind: 'judged', status: 'suspicious' });
  });

  test('do not if something else changed with it', () => {
    const { past, verdicts } = judge(renamed(['another']), baselineOf(QUIET));

    expect([past.stored, past.configured]).toEqual([30, 0]);
    expect(verdictOn(verdicts, NOW)).toBeUndefined();
  });

  test('leave out what was suspicious under the former name', () => {
    const baseline = baselineOf(QUIET.slice(0, 10), { suspicious: [CPU] });
    const [before, after] = [judge(runNow(SLOW_GRPC), baseline), judge(renamed([configHash]), baseline)];

    expect(verdictOn(after.verdicts, NOW)?.kind).toBe(verdictOn(before.verdicts, CPU)?.kind);
  });
});
