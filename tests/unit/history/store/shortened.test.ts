import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { historyEntries } from '../../../../src/history/reader.ts';
import { allAddedTo } from '../../../../src/history/store/addition.ts';
import { HistoryError } from '../../../../src/history/store/fields.ts';
import { type HistoryIndex, readIndex } from '../../../../src/history/store/index-file.ts';
import { INDEX_PATH, pathOf } from '../../../../src/history/store/segments.ts';
import { sampleEntries, sampleEntry } from '../../../support/sample-history.ts';

const EMPTY: HistoryIndex = { wiregauge: '0.1.0', segments: [] };
const FILE = '2026-01.jsonl';

/** A history of some days of January. */
async function historyOf(runs: number) {
  const values = Array.from({ length: runs }, (_, place) => 100 + place);
  const additions = sampleEntries(values).map((entry) => ({ entry }));
  const changes = await allAddedTo(EMPTY, async () => undefined, additions);
  const texts = new Map(changes.map(({ path, text }) => [path, text ?? '']));
  return { index: readIndex(texts.get(INDEX_PATH) ?? '', INDEX_PATH), text: texts.get(pathOf(FILE)) ?? '' };
}

async function thrownBy(work: Promise<unknown>): Promise<unknown> {
  return await work.catch((thrown: unknown) => thrown);
}

const NEXT_RUN = { entry: sampleEntry({ run: 'next', at: '2026-01-31T00:00:00.000Z' }) };

describe('a segment that is shorter than the index says', () => {
  it('stops adding and reading runs if lines were lost', async () => {
    const lost = fc.integer({ min: 1, max: 20 }).chain((runs) =>
      fc.record({
        runs: fc.constant(runs),
        from: fc.integer({ min: 0, max: runs }),
        count: fc.integer({ min: 1, max: runs }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(lost, async ({ runs, from, count }) => {
        const { index, text } = await historyOf(runs);
        const lines = text.split(/(?<=\n)/);
        // Without its columns a run cannot be read at all.
        const shorter = lines.filter((_, place) => place === 0 || place < from || place >= from + count).join('');
        fc.pre(shorter !== text);

        const adding = await thrownBy(allAddedTo(index, async () => shorter, [NEXT_RUN]));
        const reading = await thrownBy(historyEntries(async () => shorter, index.segments));

        for (const thrown of [adding, reading]) {
          expect(thrown).toBeInstanceOf(HistoryError);
          expect(thrown).toMatchObject({ kind: 'truncated' });
        }
      }),
      { numRuns: 100 },
    );
  });

  it.each([
    ['its last line', (lines: readonly string[]) => lines.slice(0, -1), 'has 2 of the 3 runs that the index names'],
    ['every line', () => [], 'has 0 of the 3 runs that the index names'],
    [
      'some characters',
      (lines: readonly string[]) => lines.map((line) => line.replace('Cache users', 'Cache')),
      /has \d+ of the \d+ bytes that the index names/,
    ],
  ])('reports how much of it is left without %s, and the fix', async (_, shorten, words) => {
    const { index, text } = await historyOf(3);
    const shorter = shorten(text.split(/(?<=\n)/)).join('');

    const thrown = await thrownBy(allAddedTo(index, async () => shorter, [NEXT_RUN]));

    expect(String(thrown)).toMatch(words);
    expect(String(thrown)).toContain('so it was cut short');
    expect((thrown as HistoryError).next).toMatch(
      /`git log .*history\/2026-01\.jsonl'`.*`wiregauge history repair --yes`/,
    );
  });

  it('does not stop a reader if it is longer: its runs are not lost', async () => {
    const { index, text } = await historyOf(3);
    const known = (await historyOf(2)).index;

    const read = async (path: string) => (path === pathOf(FILE) ? text : undefined);
    const changes = await allAddedTo(known, read, [NEXT_RUN]);

    expect(readIndex(changes.find(({ path }) => path === INDEX_PATH)?.text ?? '', INDEX_PATH).segments[0]?.runs).toBe(
      (index.segments[0]?.runs ?? 0) + 1,
    );
  });
});
