import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readEntries } from '../../../../src/history/exchange/csv.ts';
import { formatGab, withoutExported } from '../../../../src/history/exchange/export.ts';
import { readCustom, readGab } from '../../../../src/history/exchange/import.ts';
import { appendedAll, readSegment } from '../../../../src/history/store/segment.ts';
import { gabReads, namer } from '../../../support/sample-gab.ts';

const recorded = (name: string) => readFileSync(`tests/fixtures/github-action-benchmark/${name}`, 'utf8');

const HISTORY = readEntries(recorded('history.json'), 'history.json');
const EXPORTED = gabReads(recorded('exported.txt'));
const APPENDED = gabReads(recorded('appended.txt'));
const SUITES = ['Rust', 'users (lower is better)', 'users (higher is better)'];

describe('a data.js that github-action-benchmark went on with', () => {
  it('is what an export of the history still is, and one more run of each suite', () => {
    expect(gabReads(formatGab(HISTORY, EXPORTED.repoUrl))).toEqual(EXPORTED);

    expect(Object.keys(APPENDED.entries)).toEqual(SUITES);
    for (const suite of SUITES) {
      expect(APPENDED.entries[suite].slice(0, -1)).toEqual(EXPORTED.entries[suite]);
      expect(APPENDED.entries[suite].at(-1)).toMatchObject({ commit: { id: '3'.repeat(40) } });
    }
  });

  it('enters a new history whole, and leaves it as it was written', () => {
    const { entries, repository } = readGab(recorded('appended.txt'), 'data.js', namer());

    const stored = readSegment(appendedAll('', entries, 'x.jsonl'), 'x.jsonl');

    expect(gabReads(formatGab(stored, repository)).entries).toEqual(APPENDED.entries);
  });

  it('enters the history that it came from with the new runs alone', () => {
    const nameRun = namer();
    const { entries, repository } = readGab(recorded('appended.txt'), 'data.js', nameRun);

    const added = withoutExported(entries, HISTORY, nameRun);

    expect(added.map(({ suite, values }) => [suite, values])).toEqual([
      ['users (lower is better)', [430, 16.4, 41]],
      ['users (higher is better)', [4650]],
      ['Rust', [410, 18052]],
    ]);
    const after = [...HISTORY, ...added];
    expect(gabReads(formatGab(after, repository)).entries).toEqual(APPENDED.entries);
    expect(withoutExported(entries, after, nameRun)).toEqual([]);
  });

  it.each([
    ['smaller.json', 'customSmallerIsBetter', 'users (lower is better)'],
    ['bigger.json', 'customBiggerIsBetter', 'users (higher is better)'],
  ])('has of %s what an import of that file has', (file, tool, suite) => {
    const { date, commit } = APPENDED.entries[suite].at(-1);
    const at = new Date(date).toISOString();
    const custom = { tool, suite, at, now: at, commit: commit.id, nameRun: namer() };

    const [entry] = readCustom(recorded(file), file, custom).entries;

    const { entries } = readGab(recorded('appended.txt'), 'data.js', namer());
    const { series, values, imported } = entries.findLast((one) => one.suite === suite) ?? expect.fail('not there');
    expect(entry).toMatchObject({ series, values, imported: { tool, notes: imported?.notes } });
  });
});
