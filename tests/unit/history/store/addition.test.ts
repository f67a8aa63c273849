import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allAddedTo, filesNeededFor, type HistoryAddition } from '../../../../src/history/store/addition.ts';
import type { FileChange } from '../../../../src/history/store/changes.ts';
import type { HistoryEntry } from '../../../../src/history/store/entry.ts';
import { formatIndex, type HistoryIndex, readIndex } from '../../../../src/history/store/index-file.ts';
import { readHistograms, readSegment } from '../../../../src/history/store/segment.ts';
import { INDEX_PATH, pathOf } from '../../../../src/history/store/segments.ts';
import { anyEntries, sampleEntry } from '../../../support/sample-history.ts';

const EMPTY: HistoryIndex = { wiregauge: '0.1.0', segments: [] };

type Files = Map<string, string>;

function indexOf(files: Files): HistoryIndex {
  const text = files.get(INDEX_PATH);
  return text === undefined ? EMPTY : readIndex(text, INDEX_PATH);
}

function write(files: Files, changes: readonly FileChange[]): void {
  for (const { path, text } of changes) {
    files.set(path, text ?? '');
  }
}

/** Publishes one, and lets it read only what it said that it needs. */
async function publish(files: Files, addition: HistoryAddition): Promise<readonly FileChange[]> {
  const index = indexOf(files);
  const needed = new Set(filesNeededFor(index, addition.entry));
  const read = async (path: string) => (needed.has(path) ? files.get(path) : fail(path));
  const changes = await allAddedTo(index, read, [addition]);
  write(files, changes);
  return changes;
}

function fail(path: string): never {
  throw new Error(`${path} was not announced`);
}

function entriesIn(files: Files): readonly HistoryEntry[] {
  return indexOf(files).segments.flatMap(({ file }) => readSegment(files.get(pathOf(file)) ?? '', file));
}

function at(minute: number, change: Partial<HistoryEntry> = {}): HistoryEntry {
  const time = new Date(Date.UTC(2026, 10, 1) + minute * 60_000).toISOString();
  return sampleEntry({ run: `run-${minute}`, at: time, ...change });
}

/** One run a minute, every other one with a distribution. */
function additionsOf(count: number): readonly HistoryAddition[] {
  return Array.from({ length: count }, (_, minute) => ({
    entry: at(minute),
    ...(minute % 2 === 0 && { histograms: { 'rest/all/low': 'AAAA' } }),
  }));
}

async function filesOf(count: number): Promise<Files> {
  const files: Files = new Map();
  write(files, await allAddedTo(EMPTY, async () => undefined, additionsOf(count)));
  return files;
}

describe('adding runs', () => {
  it('begins another segment of the month after 100 runs, and another for another month', async () => {
    const files = await filesOf(98);
    for (let minute = 98; minute < 102; minute += 1) {
      await publish(files, { entry: at(minute) });
    }
    write(files, await allAddedTo(indexOf(files), async (path) => files.get(path), additionsOf(199)));
    await publish(files, { entry: at(199) });
    await publish(files, { entry: at(200) });
    await publish(files, { entry: at(31 * 24 * 60) });
    await publish(files, { entry: sampleEntry({ run: 'old', at: '2025-03-01T00:00:00.000Z' }) });

    expect(indexOf(files).segments.map(({ file, runs }) => [file, runs])).toEqual([
      ['2025-03.jsonl', 1],
      ['2026-11.jsonl', 100],
      ['2026-11-2.jsonl', 100],
      ['2026-11-3.jsonl', 1],
      ['2026-12.jsonl', 1],
    ]);
  });

  it('says of every segment what is in it', async () => {
    await fc.assert(
      fc.asyncProperty(anyEntries, async (entries) => {
        const files: Files = new Map();
        for (const entry of entries) {
          await publish(files, { entry });
        }

        for (const row of indexOf(files).segments) {
          const text = files.get(pathOf(row.file)) ?? '';
          const times = readSegment(text, row.file)
            .map((entry) => entry.at)
            .sort();
          expect(row).toEqual({
            file: row.file,
            runs: times.length,
            bytes: Buffer.byteLength(text),
            from: times[0],
            to: times.at(-1),
          });
          expect(times.every((time) => row.file.startsWith(time.slice(0, 7)))).toBe(true);
        }
        expect(
          entriesIn(files)
            .map(({ run }) => run)
            .sort(),
        ).toEqual(entries.map(({ run }) => run).sort());
      }),
      { numRuns: 100 },
    );
  });

  it('adds a run once, whichever segment of its month has it', async () => {
    const files = await filesOf(150);
    const before = new Map(files);

    for (const minute of [0, 50, 99, 100, 149]) {
      expect(await publish(files, { entry: at(minute), histograms: { 'rest/all/low': 'BBBB' } })).toEqual([]);
    }
    expect(files).toEqual(before);
  });

  it('writes the same for many at once as one after the other', async () => {
    const additions = additionsOf(110);
    const one: Files = new Map();
    for (const addition of additions) {
      await publish(one, addition);
    }
    const all: Files = new Map();

    write(all, await allAddedTo(EMPTY, async () => undefined, [...additions, ...additions]));

    expect(new Map([...all].sort())).toEqual(new Map([...one].sort()));
    expect(readHistograms(all.get('history/2026-11.histograms.jsonl') ?? '', 'x')).toHaveLength(50);
  });

  it('goes on in a segment that no index names, and loses none of its runs', async () => {
    const files: Files = new Map();
    await publish(files, { entry: at(0) });
    files.delete(INDEX_PATH);

    await publish(files, { entry: at(1) });

    expect(entriesIn(files).map(({ run }) => run)).toEqual(['run-0', 'run-1']);
  });

  it.each([
    ['missing', undefined, 'names 2026-11.jsonl, which is missing'],
    ['cut short', '{"schema":1', 'was cut short'],
  ])('writes nothing where a segment is %s', async (_, text, why) => {
    const files: Files = new Map();
    await publish(files, { entry: at(0) });

    await expect(allAddedTo(indexOf(files), async () => text, [{ entry: at(0) }])).rejects.toThrow(why);
    await expect(allAddedTo(indexOf(files), async () => text, [{ entry: at(1) }])).rejects.toThrow(why);
  });

  it('writes nothing where the distributions are damaged', async () => {
    const files: Files = new Map([['history/2026-11.histograms.jsonl', '{"schema":1,"run":"a"']]);
    const addition = { entry: at(0), histograms: { 'rest/all/low': 'AAAA' } };

    await expect(allAddedTo(EMPTY, async (path) => files.get(path), [addition])).rejects.toThrow('was cut short');
  });
});

const ROW = {
  file: '2026-11.jsonl',
  runs: 1,
  bytes: 10,
  from: '2026-11-01T00:00:00.000Z',
  to: '2026-11-02T00:00:00.000Z',
};

describe('the index', () => {
  it.each<HistoryIndex>([
    EMPTY,
    {
      ...EMPTY,
      repository: 'https://github.com/o/n',
      branch: 'main',
      segments: [ROW, { ...ROW, file: '2026-11-2.jsonl', distributions: 3 }],
    },
  ])('is read as it was written', (index) => {
    expect(readIndex(formatIndex(index), INDEX_PATH)).toEqual(index);
  });

  it.each([
    ['a path', { ...ROW, file: '../../etc/passwd' }, 'named like'],
    ['an address', { ...ROW, file: 'https://x/2026-11.jsonl' }, 'named like'],
    ['no month', { ...ROW, file: '2026-13.jsonl' }, 'named like'],
    ['the first number', { ...ROW, file: '2026-11-1.jsonl' }, 'named like'],
    ['fewer than no runs', { ...ROW, runs: -1 }, 'runs is not a whole number'],
    ['half a distribution', { ...ROW, distributions: 0.5 }, 'distributions is not a whole number'],
    ['a time of another form', { ...ROW, to: 'today' }, 'to is not a time'],
  ])('is refused for a segment with %s', (_, row, why) => {
    const text = JSON.stringify({ schema: 1, wiregauge: '0.1.0', segments: [row] });

    expect(() => readIndex(text, INDEX_PATH)).toThrow(why);
  });

  it('distinguishes a truncated one and one of a newer schema from a damaged one', () => {
    const text = formatIndex({ ...EMPTY, segments: [ROW] });

    expect(() => readIndex(text.slice(0, -20), INDEX_PATH)).toThrow(expect.objectContaining({ kind: 'truncated' }));
    expect(() => readIndex(text.replace('"schema":1', '"schema":9'), INDEX_PATH)).toThrow(
      expect.objectContaining({ kind: 'newer-schema' }),
    );
    expect(() => readIndex(text.replace('"runs":1', '"runs":1e999'), INDEX_PATH)).toThrow(
      expect.objectContaining({ kind: 'malformed' }),
    );
  });
});
