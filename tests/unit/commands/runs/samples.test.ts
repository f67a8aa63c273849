import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSamples } from '../../../../src/commands/runs/samples.ts';
import { judgeComparison } from '../../../../src/judge/verdict/judge.ts';
import { DEFAULT_POLICY } from '../../../../src/model/policy.ts';
import { listsOf } from '../../../support/result-lists.ts';

const HEADER = 'round,side,position,service,operation,tier,metric,value';
const parse = (text: string) => parseSamples({ file: 'mine.csv', text });
const judged = (text: string) => judgeComparison(parse(text).input, DEFAULT_POLICY, 1);

/** Ten rounds of one comparison, the head 30% slower; the order of the versions changes with the round. */
const LINES = Array.from({ length: 10 }, (_, index) => index + 1).flatMap((round) => [
  `${round},base,${(round % 2) + 1},rest,Get,low,latencyP50Ms,${10 + round / 10}`,
  `${round},head,${2 - (round % 2)},rest,Get,low,latencyP50Ms,${13 + round / 10}`,
]);
const TABLE = [HEADER, ...LINES].join('\n');

describe('parseSamples', () => {
  test('reads figures that were measured elsewhere', () => {
    const { input, metrics } = parse(TABLE);

    expect(input.compared).toEqual([
      {
        cell: { suite: 'samples', service: 'rest', operation: 'Get', tier: 'low' },
        metric: 'latencyP50Ms',
        better: 'lower',
        gate: true,
        base: [10.1, 10.2, 10.3, 10.4, 10.5, 10.6, 10.7, 10.8, 10.9, 11],
        head: [13.1, 13.2, 13.3, 13.4, 13.5, 13.6, 13.7, 13.8, 13.9, 14],
      },
    ]);
    expect(input).toMatchObject({
      families: [{ service: undefined, isFinal: true }],
      day: undefined,
      errors: [],
      lost: [],
      notes: [],
    });
    expect(input.rounds).toEqual([{ service: 'rest', kept: 10, discarded: 0, failed: 0 }]);
    expect([...metrics]).toEqual([['latencyP50Ms', 'lower']]);
    expect(judged(TABLE)).toMatchObject({ outcome: 'regressed', exitCode: 1, looks: [8, 10] });
  });

  test.each([
    ['CRLF and an end of line', `${TABLE.replaceAll('\n', '\r\n')}\r\n`],
    ['a byte order mark', `\uFEFF${TABLE}`],
    ['quoted fields', TABLE.replaceAll(/[^,\n]+/g, '"$&"')],
    ['empty lines and blanks', TABLE.replaceAll('\n', '\n\n').replaceAll(',', ' , ')],
    ['lines backwards', [HEADER, ...LINES.toReversed()].join('\n')],
    [
      'columns backwards',
      TABLE.split('\n')
        .map((line) => line.split(',').toReversed().join(','))
        .join('\n'),
    ],
    [
      'empty optional columns',
      TABLE.split('\n')
        .map((line, index) => `${line}${index === 0 ? ',gate,better' : ',,'}`)
        .join('\n'),
    ],
  ])('reads the same with %s', (_what, text) => {
    expect(parse(text)).toEqual(parse(TABLE));
  });

  test('does not hang on the order of the lines', () => {
    const other = LINES.map((line) => line.replace('rest,Get,low', 'grpc,Get,low'));
    const all = [...LINES, ...other];
    fc.assert(
      fc.property(fc.shuffledSubarray(all, { minLength: all.length }), (lines) => {
        expect(judged([HEADER, ...lines].join('\n'))).toEqual(judged([HEADER, ...all].join('\n')));
      }),
      { numRuns: 30 },
    );
  });

  test('takes metrics of another name with their direction, which one line may give for all', () => {
    const [first = '', ...others] = LINES.map((line) => line.replace('latencyP50Ms', 'frames'));
    const text = [`${HEADER},better,gate`, `${first},higher,`, ...others.map((line) => `${line},,false`)].join('\n');

    expect(parse(text).input.compared[0]).toMatchObject({ metric: 'frames', better: 'higher', gate: false });
    expect(listsOf(judged(text)).findings[0]).toMatchObject({ verdict: 'improved', family: 'watch' });
  });

  test.each([
    ['latencyP95Ms', true],
    ['achievedRps', true],
    ['latencyP99Ms', false],
    ['peakMemoryMiB', false],
  ])('lets %s fail a pull request where no gate is given: %s', (metric, gate) => {
    expect(parse(TABLE.replaceAll('latencyP50Ms', metric)).input.compared[0]?.gate).toBe(gate);
  });

  test('takes a round that lacks a side as a hole, and values that are not above 0 as in a run', () => {
    const holed = TABLE.split('\n').filter((line) => !line.startsWith('3,head'));
    const zero = TABLE.replace('13.1', '0').replace('13.2', '-4').replace('13.3', '0');

    expect(parse(holed.join('\n')).input.compared[0]?.base.indexOf(undefined)).toBe(2);
    expect(listsOf(judged(holed.join('\n')))).toMatchObject({ outcome: 'regressed', findings: [{ rounds: 9 }] });
    expect(listsOf(judged(zero))).toMatchObject({
      outcome: 'incomplete',
      uncompared: [{ metric: 'latencyP50Ms', reason: 'not-positive', detail: { kind: 'holes', count: 3, rounds: 10 } }],
    });
  });

  test('names what only one version has, and error rates, which want counts', () => {
    const extra = [
      '1,head,1,rest,Get,low,latencyP95Ms,3',
      '1,base,2,rest,Put,low,latencyP95Ms,3',
      '1,head,1,rest,Get,low,errorRate,0.01',
      '1,base,2,rest,Get,low,errorRate,0',
    ];

    const { uncompared } = listsOf(judged([TABLE, ...extra].join('\n')));

    expect(uncompared.map(({ cell, metric, reason }) => `${cell.operation} ${metric} ${reason}`)).toEqual([
      'Get errorRate not-positive',
      'Get latencyP95Ms new',
      'Put latencyP95Ms gone',
    ]);
  });

  test('looks up to the last round, however many there are', () => {
    const rounds = (count: number) =>
      Array.from({ length: count * 2 }, (_, index) => {
        const [round, isHead] = [Math.floor(index / 2) + 1, index % 2];
        return `${round},${isHead ? 'head' : 'base'},${((round + isHead) % 2) + 1},rest,Get,low,latencyP50Ms,${10 + (round % 7)}`;
      });

    expect(judged([HEADER, ...rounds(12)].join('\n')).looks).toEqual([8, 10, 12]);
    expect(judged([HEADER, ...rounds(30)].join('\n')).looks).toEqual([8, 10, 12, 15, 20, 30]);
    expect(judged([HEADER, ...rounds(40)].join('\n')).looks).toEqual([8, 10, 12, 15, 20, 40]);
  });

  test('notes that one version was always first', () => {
    const fixed = TABLE.split('\n').map((line) => line.replace(/,base,\d/, ',base,1').replace(/,head,\d/, ',head,2'));

    expect(parse(fixed.join('\n')).input.notes).toEqual([
      'rest: base was first in every round, so an effect of the order would look like a change.',
    ]);
  });
});
