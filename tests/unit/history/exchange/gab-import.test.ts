import { describe, expect, it } from 'vitest';
import { formatGab } from '../../../../src/history/exchange/export.ts';
import { readGab } from '../../../../src/history/exchange/import.ts';
import { HistoryError } from '../../../../src/history/store/fields.ts';
import { appendedAll, readSegment } from '../../../../src/history/store/segment.ts';
import { GAB_PREFIX, gabFile, gabReads, gabRun, namer } from '../../../support/sample-gab.ts';

describe('the import of a data.js', () => {
  it.each([
    ['cargo', 'ns/iter', 'lower'],
    ['jmh', 'ops/ms', 'higher'],
    ['jmh', 'us/op', 'lower'],
    ['go', 'MB/s', 'higher'],
    ['go', 'ns/op\t     328 B/op\t       4 allocs/op', 'lower'],
    ['pytest', 'iter/sec', 'higher'],
    ['benchmarkjs', 'ops/sec', 'higher'],
    ['googlecpp', 'items/s', 'higher'],
    ['catch2', 'points', 'unknown'],
    ['customSmallerIsBetter', 'points', 'lower'],
    ['customBiggerIsBetter', 'ms', 'higher'],
  ])('has the direction of %s in %s: %s', (tool, unit, better) => {
    const benches = [{ name: 'a', value: 1, unit }];
    const { entries } = readGab(gabFile({ S: [gabRun({ tool, benches })] }), 'data.js', namer());

    expect(entries[0]?.series.map((series) => series.better)).toEqual([better]);
  });

  it('keeps what can be read, and names the rest', () => {
    const benches = [
      { name: 'as text', value: '254', unit: 'ns/iter' },
      { name: 'without a unit', value: 3 },
      { name: 'not a number', value: 'fast', unit: 'ms' },
      { value: 3, unit: 'ms' },
    ];
    const text = gabFile({ S: [gabRun(), gabRun({ date: 5, benches })] });
    const { entries, leftOut } = readGab(text.replace(/"value": 3$/m, '"value": NaN'), 'data.js', namer());

    expect(entries.map(({ values }) => values)).toEqual([[254], [254, 0.1 + 0.2]]);
    expect(entries[0]?.series).toMatchObject([{ operation: 'as text', unit: 'ns/iter' }]);
    expect(leftOut).toEqual([
      { name: 'suite "S", run 2: without a unit', why: 'is NaN, not a finite number', kind: 'unread' },
      { name: 'suite "S", run 2: not a number', why: 'is fast, not a finite number', kind: 'unread' },
      { name: 'suite "S", run 2: figure 4', why: 'has no name', kind: 'unread' },
    ]);
  });

  it('is sorted by date, not by the time that a commit says', () => {
    const runs = [gabRun({ date: 3 }), gabRun({ date: 1 }), gabRun({ date: 2 })];

    const { entries } = readGab(gabFile({ S: runs }), 'data.js', namer());

    expect(entries.map(({ at }) => Date.parse(at))).toEqual([1, 2, 3]);
  });

  it('gives each of two runs that are alike an id, and the same ids the next time', () => {
    const name = namer();
    const read = () => readGab(gabFile({ S: [gabRun(), gabRun()] }), 'data.js', name).entries.map(({ run }) => run);

    const first = read();
    expect(new Set(first).size).toBe(2);
    expect(read()).toEqual(first);
  });

  it('has a series for each of two figures of one name', () => {
    const benches = [1, 2].map((value) => ({ name: 'a', unit: 'ns', value }));
    const { entries } = readGab(gabFile({ S: [gabRun({ benches })] }), 'data.js', namer());

    const stored = readSegment(appendedAll('', entries, 'x.jsonl'), 'x.jsonl');

    expect(gabReads(formatGab(stored, '')).entries.S[0].benches).toEqual(benches);
  });

  it('keeps the lines of a message as they are, indented and with spaces at their ends', () => {
    const message = 'Cache users\n\n  - once  \n\t- twice\n';
    const { entries } = readGab(gabFile({ S: [gabRun({ commit: { id: 'a', message } })] }), 'data.js', namer());

    expect(gabReads(formatGab(entries, '')).entries.S[0].commit.message).toBe(message);
  });

  it('loses control characters and what turns the direction of text', () => {
    const hostile = gabRun({
      commit: { id: 'a\u001b[31m', message: '\u202eevil</script>\u0000\nsecond', url: 'javascript:alert(1)' },
      benches: [{ name: '<img\u0007 onerror=x>', unit: 'n\u0000s', value: 1, range: '\u009b1' }],
    });

    const { entries } = readGab(gabFile({ '\u001b]0;x': [hostile] }), 'data.js', namer());

    expect(JSON.stringify(entries)).not.toMatch(/\\u00|\u202e|\u009b/);
    expect(entries[0]?.commit?.subject).toBe('evil</script>');
    expect(entries[0]?.links).toEqual({});
  });

  it.each([
    ['a program', 'alert(1)', 'starts with neither'],
    ['code behind the data', `${gabFile({})};alert(1)`, 'is not JSON'],
    ['an end that is missing', gabFile({ S: [gabRun()] }).slice(0, -30), 'cut short'],
    ['a run without a commit', gabFile({ S: [{ ...gabRun(), commit: undefined }] }), 'commit is not an object'],
    ['a date that is none', gabFile({ S: [gabRun({ date: 1e300 })] }), 'date is not a time'],
    ['a date before the time', gabFile({ S: [gabRun({ date: -1e15 })] }), 'date is not a time'],
    ['a suite that is not a list', gabFile({ S: {} }), 'is not a list'],
    ['a suite __proto__', `${GAB_PREFIX}{"entries":{"__proto__":[]}}`, 'or an invalid one'],
    ['no suites', `${GAB_PREFIX}{}`, 'entries is not an object'],
  ])('is refused for %s', (_, text, why) => {
    const read = () => readGab(text, 'data.js', namer());

    expect(read).toThrow(HistoryError);
    expect(read).toThrow(new RegExp(why));
  });
});
