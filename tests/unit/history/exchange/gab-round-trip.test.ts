import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatGab } from '../../../../src/history/exchange/export.ts';
import { readGab } from '../../../../src/history/exchange/import.ts';
import { appendedAll, readSegment } from '../../../../src/history/store/segment.ts';
import { GAB_PREFIX, gabAppends, gabFile, gabReads, gabRun, namer } from '../../../support/sample-gab.ts';
import { sampleEntry, sampleSeries } from '../../../support/sample-history.ts';

describe("github-action-benchmark's data.js", () => {
  it('comes back from the history as it was', () => {
    const entries = {
      'Rust Benchmark': [
        gabRun(),
        gabRun({ date: 1573312140324, benches: [{ name: 'fib 10', value: 1, unit: 'ns/iter' }] }),
      ],
      Other: [gabRun({ tool: 'pytest' }), gabRun({ tool: 'pytest' })],
    };

    const imported = readGab(gabFile(entries), 'data.js', namer());
    const stored = readSegment(appendedAll('', imported.entries, 'x.jsonl'), 'x.jsonl');

    expect(gabReads(formatGab(stored, imported.repository))).toEqual({
      lastUpdate: 1573312140324,
      repoUrl: 'https://github.com/o/n',
      entries,
    });
  });

  it('keeps every value, date, commit, unit, range and extra', () => {
    const bench = fc.record(
      {
        name: fc.stringMatching(/^[a-z 0-9/]{1,20}$/).map((name) => `n${name}n`),
        value: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value)),
        unit: fc.constantFrom('ns', 'iter/s', 'µs', ''),
        range: fc.constantFrom('± 1', '10%'),
        extra: fc.constantFrom('a\nb', 'c'),
      },
      { requiredKeys: ['name', 'value', 'unit'] },
    );
    const run = fc.record({
      commit: fc.record({ id: fc.stringMatching(/^[0-9a-f]{8}$/), url: fc.webUrl() }),
      date: fc.integer({ min: 0, max: 2e12 }),
      tool: fc.constantFrom('cargo', 'benchmarkjs', 'customBiggerIsBetter'),
      benches: fc.array(bench, { maxLength: 5 }),
    });
    const byDate = (left: { date: number }, right: { date: number }) => left.date - right.date;
    fc.assert(
      fc.property(
        fc.dictionary(fc.stringMatching(/^[A-Z][a-z ]{0,8}x$/), fc.array(run, { minLength: 1, maxLength: 4 })),
        (suites) => {
          const imported = readGab(gabFile(suites), 'data.js', namer());

          const again = gabReads(formatGab(imported.entries, ''));

          const sorted = Object.entries(suites).map(([name, runs]) => [name, [...runs].sort(byDate)]);
          expect(again.entries).toEqual(JSON.parse(JSON.stringify(Object.fromEntries(sorted))));
        },
      ),
      { numRuns: 150 },
    );
  });

  it('is written so that github-action-benchmark can go on, and its run comes back in', () => {
    const own = sampleEntry({
      series: [sampleSeries(), sampleSeries({ metric: 'achievedRps', unit: '1/s', better: 'higher' })],
      values: [1, 2],
      spreads: [0.02, null],
    });
    const script = formatGab([own], 'https://github.com/o/n');

    expect(script.startsWith(`${GAB_PREFIX}{\n  "lastUpdate"`)).toBe(true);
    expect(script.at(-1)).toBe('}');
    const longer = gabAppends(script, 'users (higher is better)', gabRun({ tool: 'customBiggerIsBetter' }));
    const { entries } = readGab(longer, 'data.js', namer());
    expect(entries.map(({ suite, imported }) => [suite, imported?.tool])).toEqual([
      ['users (higher is better)', 'customBiggerIsBetter'],
      ['users (lower is better)', 'customSmallerIsBetter'],
      ['users (higher is better)', 'customBiggerIsBetter'],
    ]);
    expect(gabReads(script).entries['users (lower is better)']).toEqual([
      {
        commit: expect.objectContaining({
          id: 'a'.repeat(40),
          message: 'Cache users',
          url: `https://github.com/o/n/commit/${'a'.repeat(40)}`,
        }),
        date: Date.parse(own.at),
        tool: 'customSmallerIsBetter',
        benches: [{ name: 'rest/all/saturation cpuMicrosPerRequest', value: 1, range: '± 2.0%', unit: 'µs' }],
      },
    ]);
  });
});

const FOLDER = 'tests/fixtures/histories';

describe('histories of other projects', () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));

  it.each(files)('%s comes back with every point', (file) => {
    const { series } = JSON.parse(readFileSync(join(FOLDER, file), 'utf8'));
    const entries: Record<string, unknown[]> = {};
    for (const { suite, name, unit, tool, points } of series) {
      entries[suite] ??= [];
      for (const [date, id, value] of points) {
        entries[suite].push({ commit: { id }, date, tool, benches: [{ name, unit, value }] });
      }
    }

    const imported = readGab(gabFile(entries), file, namer());
    const again = gabReads(formatGab(imported.entries, ''));

    const byText = (runs: readonly unknown[]) => runs.map((run) => JSON.stringify(run)).sort();
    for (const [suite, runs] of Object.entries(entries)) {
      expect(byText(again.entries[suite])).toEqual(byText(runs.map(reordered)));
    }
  });
});

/** Keys as an export has them. */
function reordered(run: unknown) {
  const { commit, date, tool, benches } = run as {
    commit: object;
    date: number;
    tool: string;
    benches: { name: string; unit: string; value: number }[];
  };
  return {
    commit,
    date,
    tool,
    benches: benches.map(({ name, unit, value }) => ({ name, value, unit: unit.replaceAll('\t', ' ') })),
  };
}
