import fc from 'fast-check';
import type { HistoryEntry, Series } from '../../src/history/store/entry.ts';

/** A series of the suite "users"; only what differs has to be said. */
export function sampleSeries(change: Partial<Series> = {}): Series {
  return {
    suite: 'users',
    service: 'rest',
    operation: 'all',
    tier: 'saturation',
    metric: 'cpuMicrosPerRequest',
    unit: 'µs',
    better: 'lower',
    ...change,
  };
}

/** A run of one series on the branch main. */
export function sampleEntry(change: Partial<HistoryEntry> = {}): HistoryEntry {
  return {
    run: '4f0c1d7a9be2',
    at: '2026-11-21T10:00:00.000Z',
    suite: 'users',
    kind: 'run',
    series: [sampleSeries()],
    values: [212.3],
    spreads: [0.021],
    commit: { sha: 'a'.repeat(40), subject: 'Cache users' },
    branch: 'main',
    tags: [],
    runner: { cpuModel: 'EPYC', cores: 2, kernel: '6.1.0', platform: 'linux-x64' },
    tools: { vegeta: 'v12.13.0' },
    settings: { runtime: 'docker', profile: 'default', configHash: 'abc' },
    rounds: 3,
    verdicts: [],
    links: {},
    ...change,
  };
}

/** So many runs of one series, a day apart, from a day on. */
export function sampleEntries(values: readonly number[], from = '2026-01-01T00:00:00.000Z'): readonly HistoryEntry[] {
  return values.map((value, index) => {
    const at = new Date(Date.parse(from) + index * 86_400_000).toISOString();
    return sampleEntry({ run: `run-${index}`, at, values: [value], spreads: [null] });
  });
}

const figure = fc.option(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value)),
  { nil: null },
);
const text = fc.string({ unit: 'binary', maxLength: 30 }).map((value) => value.replaceAll(/\p{Surrogate}/gu, ''));

const series: fc.Arbitrary<Series> = fc.record({
  suite: text,
  service: text,
  operation: text,
  tier: text,
  metric: text,
  unit: text,
  better: fc.constantFrom('lower', 'higher'),
});

/** Any entry that a history can have, but for its id. */
export const anyEntry: fc.Arbitrary<HistoryEntry> = fc
  .uniqueArray(series, {
    maxLength: 6,
    selector: ({ better: _better, ...names }) => JSON.stringify(Object.entries(names).sort()),
  })
  .chain((columns) =>
    fc
      .record({
        at: fc
          .date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
          .map((date) => date.toISOString()),
        values: fc.array(figure, { minLength: columns.length, maxLength: columns.length }),
        subject: text,
        tags: fc.array(text, { maxLength: 3 }),
        rounds: fc.nat(50),
      })
      .map(({ subject, values, ...rest }) =>
        sampleEntry({
          ...rest,
          values,
          spreads: values.map(() => null),
          series: columns,
          commit: { sha: 'abc', subject },
        }),
      ),
  );

/** Several such entries with ids of their own. */
export const anyEntries: fc.Arbitrary<readonly HistoryEntry[]> = fc
  .array(anyEntry, { maxLength: 8 })
  .map((entries) => entries.map((entry, index) => ({ ...entry, run: `run-${index}` })));
