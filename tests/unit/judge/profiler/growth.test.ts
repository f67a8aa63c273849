import { describe, expect, test } from 'vitest';
import { growthBetween, sampledGrowth, unexplainedCpu } from '../../../../src/judge/profiler/growth.ts';
import { evidenceIn } from '../../../../src/judge/verdict/finding.ts';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import type { RunInRounds } from '../../../../src/model/run/run.ts';
import { listsOf } from '../../../support/result-lists.ts';
import { sampledProfile } from '../../../support/sample-profiler.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';

const between = (base: Readonly<Record<string, number>>, head: Readonly<Record<string, number>>) =>
  growthBetween({ base: sampledProfile('base', base), head: sampledProfile('head', head) }, { base: 100, head: 150 });

describe('growthBetween', () => {
  test('names what grew in microseconds of CPU time for a request, the most first', () => {
    const { grown, stacks, profiler } = between({ work: 400, render: 600 }, { work: 900, render: 600 });
    expect(grown).toEqual([
      {
        name: 'work',
        object: 'app.py',
        base: 40,
        head: expect.closeTo(90),
        more: expect.closeTo(50),
        // 1.96 standard errors: of 400 stacks of 0.1 µs, and of 900 of 0.1 µs.
        margin: expect.closeTo(1.96 * Math.hypot(0.1 * 20, 0.1 * 30)),
        stacks: { base: 400, head: 900 },
      },
    ]);
    expect([stacks, profiler]).toEqual([{ base: 1000, head: 1500 }, 'py-spy 0.4.3']);
  });

  test('does not report growth that chance explains with so few stacks, or that is small', () => {
    expect(between({ work: 4, render: 6 }, { work: 9, render: 6 }).grown).toEqual([]);
    const many = between({ work: 10_000, other: 1000, render: 89_000 }, { work: 57_000, other: 4000, render: 89_000 });
    expect(many.grown.map(({ name }) => name)).toEqual(['work']);
  });

  test('reports three, and functions that base did not call', () => {
    const news = { first: 400, second: 300, third: 200, fourth: 190 };
    const { grown } = between({ render: 1000 }, { render: 410, ...news });
    expect(grown.map(({ name, base }) => [name, base])).toEqual([
      ['first', 0],
      ['second', 0],
      ['third', 0],
    ]);
  });

  test('takes a function that is not among those of base for no less than the last of them', () => {
    const hundred = Object.fromEntries(Array.from({ length: 100 }, (_, place) => [`f${place}`, 500 - place]));
    expect(between(hundred, { ...hundred, work: 401 }).grown).toEqual([]);
  });

  test('colors a flame graph by the same microseconds', () => {
    const { calls } = between({ work: 400, render: 600 }, { work: 900, render: 600 });
    expect(calls[0]).toMatchObject({ name: 'main', base: 100, head: expect.closeTo(150) });
    expect(calls[0]?.calls.map(({ name, more }) => [name, Math.round(more)])).toEqual([
      ['work', 50],
      ['render', 0],
    ]);
  });

  test('is nothing if a profiler saw nothing', () => {
    expect(between({}, {}).grown).toEqual([]);
    expect(between({}, {}).calls.every(({ head }) => head === 0)).toBe(true);
  });
});

const slower = (head: number) =>
  sampleRounds({ services: ['rest'], worse: [{ metric: 'cpuMicrosPerRequest', by: head }] });

describe('of a run', () => {
  test('a service that takes more CPU time without counted functions is unexplained, and one that does not is not', () => {
    const unexplained = (run: RunInRounds) => unexplainedCpu(run, evidenceIn(judgeRun(run), 'change'));

    expect(unexplained(slower(0.2))).toEqual(['rest']);
    expect(unexplained(slower(0))).toEqual([]);
  });

  test('what profilers saw is scaled by the CPU time of the rounds that judge', () => {
    const run = slower(0.2);
    const sampled = [sampledProfile('base', { work: 400 }), sampledProfile('head', { work: 400 })];
    const { findings } = listsOf(judgeRun(run));
    const growth = sampledGrowth({ ...run, profiler: { sampled, missing: [] } }, findings, 'rest');
    const cpu = findings.find(({ cell, metric }) => metric === 'cpuMicrosPerRequest' && cell.tier === 'saturation');
    expect(growth?.calls[0]?.base).toBeCloseTo(cpu?.base ?? 0);
    expect(sampledGrowth(run, findings, 'rest')).toBeUndefined();
  });
});
