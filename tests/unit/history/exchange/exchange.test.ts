import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatEntries, readEntries } from '../../../../src/history/exchange/csv.ts';
import { readCustom } from '../../../../src/history/exchange/import.ts';
import { anyEntries, sampleEntry } from '../../../support/sample-history.ts';

const NOW = '2026-11-21T10:00:00.000Z';
const CUSTOM = { suite: 'S', at: undefined, now: NOW, commit: 'abc', nameRun: () => 'r' } as const;

describe('custom figures', () => {
  it.each([
    ['customSmallerIsBetter', 'lower'],
    ['customBiggerIsBetter', 'higher'],
  ])('are one run of the direction of %s', (tool, better) => {
    const text = JSON.stringify([{ name: 'p95', unit: 'ms', value: 12.5, range: '3', extra: 'x' }]);

    expect(readCustom(text, 'f.json', { ...CUSTOM, tool }).entries[0]).toMatchObject({
      kind: 'import',
      at: NOW,
      commit: { sha: 'abc' },
      values: [12.5],
      series: [{ suite: 'S', operation: 'p95', unit: 'ms', better }],
      imported: { tool, notes: [{ series: 0, range: '3', extra: 'x' }] },
    });
  });

  it.each([
    ['no list', '{}', 'not a list'],
    ['no name', '[{"unit":"ms","value":1}]', 'figure 1 has no name'],
    ['no value', '[{"name":"a","unit":"ms"}]', 'a has no value'],
    ['half a file', '[{"name":"a"', 'cut short'],
    ['half a text, and a long one', `[{"name":"${'\\\\n'.repeat(5_000_000)}`, 'cut short'],
  ])('are refused with %s', (_, text, why) => {
    expect(() => readCustom(text, 'f.json', { ...CUSTOM, tool: 'customSmallerIsBetter' })).toThrow(why);
  });
});

describe('a document of runs', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(anyEntries, (entries) => {
        expect(readEntries(formatEntries(entries), 'f.json')).toEqual(entries);
      }),
      { numRuns: 100 },
    );
  });

  it.each([
    ['a newer schema', formatEntries([]).replace('1', '2'), 'newer-schema'],
    ['an end that is missing', formatEntries([sampleEntry()]).slice(0, -9), 'truncated'],
    ['a run that is none', '{"schema":1,"runs":[1]}', 'malformed'],
  ])('is refused for %s', (_, text, kind) => {
    expect(() => readEntries(text, 'f.json')).toThrow(expect.objectContaining({ kind }));
  });
});
