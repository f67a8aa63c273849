import { describe, expect, test } from 'vitest';
import { entryOf } from '../../../../src/history/store/run-entry.ts';
import { countedValues, plannedFigures } from '../../../../src/judge/counts/figures.ts';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import type { CountedStart } from '../../../../src/model/run/instructions.ts';
import { parseRun, type RunInRounds } from '../../../../src/model/run/run.ts';
import { comparisonDocument } from '../../../../src/report/comparison/document.ts';
import { PLAIN } from '../../../../src/report/render/lines.ts';
import { terminalOf } from '../../../../src/report/render/terminal.ts';
import { listsOf } from '../../../support/result-lists.ts';
import { NOISY_STARTS, sampleCounts } from '../../../support/sample-counts.ts';
import { servicesWithMembers } from '../../../support/sample-members.ts';

/** What members executed for a request, in thousands; of `orders` in each start window by window. */
interface Members {
  readonly gateway: number;
  readonly orders: readonly (readonly number[])[];
}

const STEADY = [
  [300.1, 300, 300.2],
  [300.2, 300.1, 300],
];

const scaled = (windows: readonly (readonly number[])[], factor: number) =>
  windows.map((start) => start.map((count) => count * factor));

/** A comparison that counted a service of two members. */
function counted(
  base: Members,
  head: Members,
  thresholds: RunInRounds['rounds']['policy']['thresholds'] = [],
): RunInRounds {
  const run = sampleCounts();
  const whole = { base, head };
  const starts = (run.instructions?.starts ?? []).map((start): CountedStart => {
    const { gateway, orders } = whole[start.side];
    const windows = orders[start.start - 1] ?? [];
    return {
      ...start,
      operations: start.operations.map((one) => {
        const counts = (thousands: readonly number[]) => ({
          instructions: thousands.map((count) => Math.round(count * 1000 * one.requests)),
          syscalls: thousands.map(() => 2 * one.requests),
        });
        const members = { gateway: counts(windows.map(() => gateway)), orders: counts(windows) };
        return { ...one, ...counts(windows.map((count) => count + gateway)), members };
      }),
    };
  });
  return {
    ...run,
    services: servicesWithMembers(run.services),
    instructions: { ...run.instructions, starts } as NonNullable<RunInRounds['instructions']>,
    rounds: { ...run.rounds, policy: { ...run.rounds.policy, thresholds } },
  };
}

const USUAL: Members = { gateway: 600, orders: STEADY };

const instructionsOf = (run: RunInRounds, operation: string) =>
  listsOf(judgeRun(run, run.rounds.policy)).findings.find(
    ({ cell, metric }) => cell.operation === operation && metric === 'instructionsPerRequest',
  );

describe('the members of a service that was counted', () => {
  test('are judged each by itself, and the whole gates', () => {
    const run = counted(USUAL, { gateway: 600, orders: scaled(STEADY, 1.06) });

    expect(instructionsOf(run, 'all')).toMatchObject({ verdict: 'regressed', family: 'gate' });
    expect(instructionsOf(run, 'all')?.change.estimate).toBeCloseTo(0.02, 3);
    expect(instructionsOf(run, '.orders')).toMatchObject({ verdict: 'regressed', family: 'watch' });
    expect(instructionsOf(run, '.orders')?.change.estimate).toBeCloseTo(0.06, 3);
    expect(instructionsOf(run, '.gateway')).toMatchObject({ verdict: 'unchanged', family: 'watch' });
  });

  test('do not fail a comparison whose whole is unchanged, unless the policy says so', () => {
    const head = { gateway: 600, orders: scaled(STEADY, 1.02) };
    const gating = [{ operation: '.orders', threshold: 0.015, gate: true }];

    expect(judgeRun(counted(USUAL, head), counted(USUAL, head).rounds.policy).outcome).toBe('passed');
    const strict = counted(USUAL, head, gating);
    expect(judgeRun(strict, strict.rounds.policy).outcome).toBe('regressed');
    expect(plannedFigures(strict, strict.rounds.policy)).toBe(
      plannedFigures(counted(USUAL, head), counted(USUAL, head).rounds.policy) + 2,
    );
  });

  test('that vary too much make the whole vary, and say that it is they', () => {
    const orders = scaled(NOISY_STARTS, 1 / 1000);
    const run = counted({ gateway: 600, orders }, { gateway: 600, orders: orders.toReversed() });

    expect(instructionsOf(run, 'all')).toMatchObject({ verdict: 'inconclusive', family: 'watch' });
    expect(instructionsOf(run, '.orders')).toMatchObject({ verdict: 'inconclusive' });
    expect(instructionsOf(run, '.gateway')).toMatchObject({ verdict: 'unchanged' });
  });

  test('of one version only are a part of the whole, and compared with nothing', () => {
    const run = counted(USUAL, USUAL);
    const starts = (run.instructions?.starts ?? []).map((start) =>
      start.side === 'head' ? start : { ...start, operations: start.operations.map(({ members: _, ...one }) => one) },
    );
    const older = { ...run, instructions: { ...run.instructions, starts } as NonNullable<RunInRounds['instructions']> };

    expect(instructionsOf(older, 'all')).toMatchObject({ verdict: 'unchanged' });
    expect(instructionsOf(older, '.orders')).toBeUndefined();
  });

  test('are in the report at the change of the whole', () => {
    const run = counted(USUAL, { gateway: 600, orders: scaled(STEADY, 1.06) });
    const text = terminalOf(comparisonDocument(run, judgeRun(run, run.rounds.policy)), PLAIN);

    expect(text.replace(/\s+/g, ' ')).toMatch(
      /- REST: change: [^;]+; base → head: .*; also .*orders instructions\/request \+6\.0%/,
    );
    expect(text).toMatch(/^gateway instructions\/request +same \(not gating\)/m);
  });

  test('of a run are reported, and are no series of the history', () => {
    const run = counted(USUAL, USUAL);
    const values = countedValues(run, run.instructions?.starts ?? []);

    expect(values.find(({ cell }) => cell.operation === '.orders')?.value).toBeCloseTo(300_100, -2);
    expect(entryOf(run, { run: 'a' }).series.filter((series) => series.operation === '.orders')).toEqual([]);
  });

  test('are read as they were written, and refused if they have other windows than the whole', () => {
    const run = counted(USUAL, USUAL);
    const text = JSON.stringify(run);

    expect(parseRun(text, 'run.json')).toEqual(JSON.parse(text));
    const { instructions } = JSON.parse(text);
    instructions.starts[0].operations[0].members.orders.syscalls.pop();
    expect(() => parseRun(JSON.stringify({ ...run, instructions }), 'run.json')).toThrow('of different lengths');
  });
});
