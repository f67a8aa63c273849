import { describe, expect, it } from 'vitest';
import { type Conclusion, concluded, exitCodeOfKnees, type KneeRecord } from '../../../../src/measure/knee/record.ts';
import { kneeIn, saturateRecord } from '../../../support/sample-saturate.ts';
import { SEARCH, type SimulatedService, searched, seenOf } from '../../../support/simulated-service.ts';

const USUAL: SimulatedService = { capacityRps: 4000, baseMs: 1 };
const stepsOf = (change: Partial<SimulatedService>) =>
  searched((rate) => seenOf(rate === undefined ? USUAL : { ...USUAL, ...change }, rate));

describe('what a search comes to', () => {
  it.each<[Conclusion['kind'], string, Partial<SimulatedService>]>([
    ['found', 'if a rate is too high', {}],
    ['found', 'if the service ends', { endsFrom: 1500 }],
    ['at-least', 'if the load tool is at its limit first', { toolEndsFrom: 2000 }],
    ['none', 'if it fails at any rate', { failsFrom: 1 }],
    ['inconclusive', 'if the load tool is at its limit with little to do', { toolEndsFrom: 1 }],
  ])('is %s %s', (kind, _when, change) => {
    expect(concluded(SEARCH, stepsOf(change)).kind).toBe(kind);
  });

  it('is unmeasured without a rate, and no more than was seen if it was ended early', () => {
    expect(concluded(SEARCH, []).kind).toBe('unmeasured');
    expect(concluded(SEARCH, stepsOf({}).slice(0, 4)).kind).toBe('at-least');
    expect(concluded(SEARCH, stepsOf({}).slice(0, -1)).kind).toBe('inconclusive');
  });
});

describe('the exit code', () => {
  const record = (...changes: readonly Partial<SimulatedService>[]): KneeRecord =>
    saturateRecord(
      changes.map((change) =>
        kneeIn(searched((rate) => seenOf(rate === undefined ? USUAL : { ...USUAL, ...change }, rate))),
      ),
    );

  it.each<[string, KneeRecord, readonly [leastRps: number | undefined, exitCode: number]]>([
    ['0 where every knee was found', record({}, {}), [undefined, 0]],
    ['2 where one was not', record({}, { toolEndsFrom: 2000 }), [undefined, 2]],
    ['2 where nothing was searched', record(), [undefined, 2]],
    ['0 where all hold what is asked for', record({}, {}), [2000, 0]],
    ['0 also where the knee itself is not known', record({ toolEndsFrom: 2500 }), [2000, 0]],
    ['1 where one holds less', record({}, { failsFrom: 1500 }), [2000, 1]],
    ['1 where one holds nothing', record({ failsFrom: 1 }), [2000, 1]],
    ['2 where it cannot be told', record({ toolEndsFrom: 1500 }), [2000, 2]],
  ])('is %s', (_what, found, [leastRps, exitCode]) => {
    expect(exitCodeOfKnees(found, leastRps)).toBe(exitCode);
  });
});
