import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatCsv, parseHistoryCsv } from '../../../../src/history/exchange/csv.ts';
import { seriesKey } from '../../../../src/history/store/entry.ts';
import { sampleEntry, sampleSeries } from '../../../support/sample-history.ts';

const nameRun = (identity: string) => `r${identity.length}`;
const parse = (text: string) => parseHistoryCsv({ file: 'h.csv', text }, nameRun);

describe('a history as CSV', () => {
  it('has no cell that a spreadsheet would split at a semicolon or a tab into a formula', () => {
    const entry = sampleEntry({
      series: [sampleSeries({ service: 'a;=1+1', operation: 'b\t=1+1' })],
      values: [1],
      spreads: [0.5],
    });

    expect(formatCsv([entry])).toContain('"a;=1+1"');
    expect(formatCsv([entry])).toContain('"b\t=1+1"');
  });

  it('comes back with every figure', () => {
    const name = fc.stringMatching(/^[a-z=+@'",-][a-z =+@'",]{0,10}x$/);
    const figures = fc.uniqueArray(
      fc.record({
        service: name,
        operation: name,
        unit: name,
        value: fc.double({ noNaN: true, noDefaultInfinity: true }),
      }),
      {
        minLength: 1,
        maxLength: 5,
        selector: ({ service, operation, unit }) => JSON.stringify([service, operation, unit]),
      },
    );
    fc.assert(
      fc.property(figures, (found) => {
        const entry = sampleEntry({
          series: found.map(({ service, operation, unit }) => sampleSeries({ service, operation, unit })),
          values: found.map(({ value }) => (value === 0 ? 0 : value)),
          spreads: found.map(() => 0.5),
        });

        const [again] = parse(formatCsv([entry]));

        expect(again).toMatchObject({ run: entry.run, at: entry.at, branch: 'main', rounds: 3, kind: 'import' });
        expect(again?.series.map(seriesKey)).toEqual(entry.series.map(seriesKey));
        expect(again?.values).toEqual(entry.values);
        expect(again?.spreads).toEqual(entry.spreads);
      }),
      { numRuns: 150 },
    );
  });

  it('has nothing that a spreadsheet takes for a formula', () => {
    const text = formatCsv([
      sampleEntry({ suite: '=1+1', series: [sampleSeries({ service: '@x', operation: '-2+3' })] }),
    ]);

    expect(text.split('\n')[1]).not.toMatch(/(^|,)"?[=@+-]/);
  });

  it('needs only a time, a suite, a metric and a value for a metric that is known', () => {
    expect(parse('value,at,suite,metric\n3,2026-11-21T10:00:00Z,mine,latencyP50Ms\n')[0]).toMatchObject({
      at: '2026-11-21T10:00:00.000Z',
      series: [{ suite: 'mine', metric: 'latencyP50Ms', unit: 'ms', better: 'lower' }],
      values: [3],
    });
  });

  it.each([
    ['2026-11-21', '2026-11-21T00:00:00.000Z'],
    ['2026-11-21 10:00Z', '2026-11-21T10:00:00.000Z'],
    ['2026-11-21T10:00:00.5+05:30', '2026-11-21T04:30:00.500Z'],
  ])('takes the time %s', (time, at) => {
    expect(parse(`value,at,suite,metric\n3,${time},mine,latencyP50Ms\n`)).toMatchObject([{ at }]);
  });

  const HEAD = 'run,at,suite,metric,better,value';
  const LINE = 'a,2026-11-21T10:00:00Z,s,m,lower,1';

  it.each([
    ['a column that is missing', 'at,suite,value\n', 'h.csv:1: lacks the column metric'],
    ['nothing', '', 'h.csv:1: lacks the column'],
    ['a column twice', `${HEAD},value\n`, 'h.csv:1: has a duplicate column'],
    ['a field too few', `${HEAD}\n${LINE}\na,b\n`, 'h.csv:3: has 2 fields'],
    ['infinity', `${HEAD}\n${LINE.replace(/1$/, '1e999')}\n`, 'h.csv:2: value is not a finite number'],
    ['NaN', `${HEAD}\n${LINE.replace(/1$/, 'NaN')}\n`, 'h.csv:2: value is not a finite number'],
    ['no value', `${HEAD}\n${LINE.replace(/1$/, '')}\n`, 'h.csv:2: value is not a finite number'],
    ['no time', `${HEAD}\n${LINE.replace('2026-11-21T10:00:00Z', 'today')}\n`, 'h.csv:2: at is not a time'],
    ['a time without a zone', `${HEAD}\n${LINE.replace('00Z', '00')}\n`, 'h.csv:2: at is not a time'],
    ['a number for a time', `${HEAD}\n${LINE.replace('2026-11-21T10:00:00Z', '3')}\n`, 'h.csv:2: at is not a time'],
    ['a day that is none', `${HEAD}\n${LINE.replace('11-21', '02-31')}\n`, 'h.csv:2: at is not a time'],
    ['no direction', `${HEAD}\n${LINE.replace('lower', '')}\n`, 'h.csv:2: better must be lower or higher'],
    ['a figure twice', `${HEAD}\n${LINE}\n${LINE}\n`, 'h.csv:3: repeats a figure of the run'],
    ['a run at two times', `${HEAD}\n${LINE}\n${LINE.replace('T10', 'T11')}\n`, 'h.csv:3: is of run a'],
    ['a run with a path for a name', `${HEAD}\n${LINE.replace('a', '../a')}\n`, 'h.csv:2: run must'],
  ])('is refused for %s', (_, text, message) => {
    expect(() => parse(text)).toThrow(message);
  });
});
