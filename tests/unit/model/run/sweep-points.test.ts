import { describe, expect, it } from 'vitest';
import { formatRun, parseRun } from '../../../../src/model/run/run.ts';
import { sweepRecord } from '../../../../src/model/run/sweep.ts';
import type { Operation } from '../../../../src/model/suite/suite.ts';
import { sampleRun } from '../../../support/sample-run.ts';
import { sampleSweep } from '../../../support/sample-sweep.ts';

const SWEEP = { argument: 'count', title: 'objects', panels: [{ title: 'All', services: ['a'] }] };
const LOAD = { users: 10, rampSeconds: 0, limitSeconds: 5 };

function operation(name: string, found: Operation['arguments']): Operation {
  return { name, share: 0.5, arguments: found, bindings: {} };
}

function pointsOf(operations: readonly Operation[], requested: readonly string[] | undefined) {
  const tiers = [{ name: 'tier', ...LOAD, operations: requested }];
  return sweepRecord({ sweep: SWEEP, operations, tiers })?.points;
}

const ONE = operation('One', [{ count: 1 }]);
const MANY = operation('Many', [{ count: 100 }, { count: 100 }]);

describe('the points of a sweep', () => {
  it.each([
    ['its one operation has', [ONE, MANY], ['Many'], 100],
    ['the only operation of the suite has', [MANY], undefined, 100],
    ['is no whole number', [operation('Half', [{ count: 0.5 }])], ['Half'], 0.5],
  ] as const)('are at the number that %s', (...[, operations, requested, at]) => {
    expect(pointsOf(operations, requested)).toEqual([{ tier: 'tier', at }]);
  });

  it.each([
    ['asks for several operations', [ONE, MANY], ['One', 'Many']],
    ['asks for all of several operations', [ONE, MANY], undefined],
    ['asks for one that the suite lacks', [ONE], ['Other']],
    ['has several numbers', [operation('Mixed', [{ count: 1 }, { count: 2 }])], ['Mixed']],
    ['has a number in some of its arguments', [operation('Mixed', [{ count: 1 }, { id: 2 }])], ['Mixed']],
    ['has no number', [operation('Text', [{ count: '100' }])], ['Text']],
    ['lacks the argument', [operation('None', [{}])], ['None']],
    ['has nothing to ask with', [operation('Bare', [])], ['Bare']],
    ['has 0, which no logarithmic scale shows', [operation('Zero', [{ count: 0 }])], ['Zero']],
    ['has less than 0', [operation('Less', [{ count: -1 }])], ['Less']],
  ] as const)('are none where a tier %s', (_, operations, requested) => {
    expect(pointsOf(operations, requested)).toEqual([]);
  });

  it('are not there where the suite sweeps nothing', () => {
    expect(sweepRecord({ operations: [ONE], tiers: [{ name: 'tier', ...LOAD }] })).toBeUndefined();
  });

  it('are read from run.json unchanged', () => {
    const run = sampleSweep();

    expect(parseRun(formatRun(run), 'run.json').suite).toEqual(run.suite);
  });

  it('are missing in a run.json from before there were any', () => {
    expect(parseRun(formatRun(sampleRun()), 'run.json').suite.sweep).toBeUndefined();
  });

  it.each([0, -1, '100'])('are refused in a run.json at %j', (at) => {
    const text = formatRun(sampleSweep()).replace(
      '"tier":"full-1","at":1',
      `"tier":"full-1","at":${JSON.stringify(at)}`,
    );

    expect(() => parseRun(text, 'run.json')).toThrow(/run\.json: suite\.sweep\.points\.0\.at/);
  });
});
