import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { requireDistributions } from '../../../../src/history/reader.ts';
import { thinnedHistory } from '../../../../src/history/repair/thin.ts';
import { allAddedTo, type HistoryAddition } from '../../../../src/history/store/addition.ts';
import { HistoryError } from '../../../../src/history/store/fields.ts';
import { formatIndex, type HistoryIndex, readIndex } from '../../../../src/history/store/index-file.ts';
import { INDEX_PATH } from '../../../../src/history/store/segments.ts';
import { sampleEntries, sampleEntry } from '../../../support/sample-history.ts';

const PATH = 'history/2026-01.histograms.jsonl';
const EMPTY: HistoryIndex = { wiregauge: '0.1.0', segments: [] };
const HISTOGRAMS = { 'rest/all/low': 'AAAA' };
const NEXT_RUN: HistoryAddition = {
  entry: sampleEntry({ run: 'next', at: '2026-01-31T00:00:00.000Z' }),
  histograms: HISTOGRAMS,
};

type Files = Map<string, string>;

const indexIn = (files: Files) => readIndex(files.get(INDEX_PATH) ?? '', INDEX_PATH);

async function add(files: Files, additions: readonly HistoryAddition[]): Promise<Files> {
  const index = files.has(INDEX_PATH) ? indexIn(files) : EMPTY;
  const changes = await allAddedTo(index, async (path) => files.get(path), additions);
  return new Map([...files, ...changes.map(({ path, text }) => [path, text ?? ''] as const)]);
}

/** A history of some days of January. */
async function historyOf(runs: number): Promise<Files> {
  const entries = sampleEntries(Array.from({ length: runs }, (_, place) => 100 + place));
  return await add(
    new Map(),
    entries.map((entry) => ({ entry, histograms: HISTOGRAMS })),
  );
}

function changed(files: Files, change: ((text: string) => string) | undefined): Files {
  const others = [...files].filter(([path]) => path !== PATH);
  return new Map([...others, ...(change === undefined ? [] : [[PATH, change(files.get(PATH) ?? '')] as const])]);
}

/** What each that needs the distributions throws: who adds a run, who reads, and who thins. */
async function thrownFor(files: Files): Promise<readonly unknown[]> {
  const read = async (path: string) => files.get(path);
  const entries = sampleEntries([1]);
  const all = [
    async () => add(files, [NEXT_RUN]),
    async () => add(files, [{ entry: NEXT_RUN.entry }]),
    async () => await requireDistributions(read, indexIn(files).segments, entries),
    async () => await thinnedHistory(read, { days: 1, today: '2027-01-01T00:00:00.000Z' }),
  ];
  return await Promise.all(
    all.map((one) =>
      one().then(
        () => undefined,
        (thrown: unknown) => thrown,
      ),
    ),
  );
}

describe('the index', () => {
  it('says how many runs of a segment have distributions, and nothing where none has', async () => {
    const some = await historyOf(3);
    const none = await add(new Map(), [{ entry: NEXT_RUN.entry }]);

    expect(indexIn(some).segments.map(({ distributions }) => distributions)).toEqual([3]);
    expect(indexIn(await add(some, [{ entry: NEXT_RUN.entry }])).segments[0]).toMatchObject({
      runs: 4,
      distributions: 3,
    });
    expect(none.get(INDEX_PATH)).not.toContain('distributions');
  });
});

describe('distributions of fewer runs than the index says', () => {
  it('stop adding, reading and thinning runs if lines were lost', async () => {
    // A lone run stays, whoever thins.
    const lost = fc
      .integer({ min: 2, max: 20 })
      .chain((runs) => fc.record({ runs: fc.constant(runs), from: fc.nat(runs - 1), count: fc.integer({ min: 1 }) }));
    await fc.assert(
      fc.asyncProperty(lost, async ({ runs, from, count }) => {
        const files = changed(await historyOf(runs), (text) => {
          const lines = text.split(/(?<=\n)/);
          return lines.filter((_, place) => place < from || place >= from + count).join('');
        });

        for (const thrown of await thrownFor(files)) {
          expect(thrown).toBeInstanceOf(HistoryError);
          expect(thrown).toMatchObject({ kind: 'truncated' });
        }
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    [
      'their last line',
      (text: string) => text.replace(/[^\n]*\n$/, ''),
      `${PATH}:2: has distributions of 2 of the 3 runs that the index names, so it was cut short`,
    ],
    ['every line', () => '', `${PATH}:1: has distributions of 0 of the 3 runs`],
    ['their file', undefined, `${PATH}:1: is missing, and the index names distributions of 3 runs`],
  ])('report how much is left without %s, and the fix', async (_, change, words) => {
    for (const thrown of await thrownFor(changed(await historyOf(3), change))) {
      expect(String(thrown)).toContain(words);
      expect((thrown as HistoryError).next).toMatch(
        /`git log .*history\/2026-01\.histograms\.jsonl'`.*`wiregauge history repair --yes`/,
      );
    }
  });

  it('are reported for one run, too', async () => {
    const [thrown] = await thrownFor(changed(await historyOf(1), undefined));

    expect(String(thrown)).toContain('names distributions of 1 run');
    expect(String(thrown)).not.toContain('1 runs');
  });

  it('do not stop those who read other segments', async () => {
    const files = changed(await historyOf(3), undefined);
    const february = sampleEntries([1], '2026-02-01T00:00:00.000Z');

    await requireDistributions(async (path) => files.get(path), indexIn(files).segments, february);
  });
});

describe('distributions without counts', () => {
  /** As versions before wrote it. */
  function uncounted(files: Files): Files {
    const index = indexIn(files);
    const segments = index.segments.map(({ distributions: _, ...row }) => row);
    return new Map([...files, [INDEX_PATH, formatIndex({ ...index, segments })]]);
  }

  it('are taken as they are, and counted once a run is added', async () => {
    const files = uncounted(changed(await historyOf(3), (text) => text.replace(/[^\n]*\n$/, '')));

    expect(await thrownFor(files)).toEqual([undefined, undefined, undefined, undefined]);
    expect(indexIn(await add(files, [NEXT_RUN])).segments[0]).toMatchObject({ runs: 4, distributions: 3 });
  });
});

it('distributions of more runs than the index lists do not stop a reader: a writer was killed', async () => {
  const more = await historyOf(3);
  const files = new Map([...more, [INDEX_PATH, (await historyOf(2)).get(INDEX_PATH) ?? '']]);

  expect(await thrownFor(files)).toEqual([undefined, undefined, undefined, undefined]);
  expect(indexIn(await add(files, [NEXT_RUN])).segments[0]).toMatchObject({ runs: 4, distributions: 4 });
});
