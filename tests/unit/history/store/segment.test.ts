import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HistoryEntry } from '../../../../src/history/store/entry.ts';
import { seriesKey } from '../../../../src/history/store/entry.ts';
import { HistoryError } from '../../../../src/history/store/fields.ts';
import { appendedAll, readSegment } from '../../../../src/history/store/segment.ts';
import { anyEntries, sampleEntry, sampleSeries } from '../../../support/sample-history.ts';

const FILE = 'history/2026-11.jsonl';

function written(entries: readonly HistoryEntry[]): string {
  return entries.reduce((text, entry) => appendedAll(text, [entry], FILE), '');
}

/** An entry without the order of its series and without those that it has no figure of. */
function content({ series, values, spreads, ...rest }: HistoryEntry) {
  const figures = series.map((one, place) => [seriesKey(one), one.better, values[place], spreads[place]] as const);
  return { ...rest, figures: figures.filter(([, , value]) => value !== null).sort() };
}

describe('a segment', () => {
  it('gives back every run in the order in which they were added', () => {
    fc.assert(
      fc.property(anyEntries, (entries) => {
        expect(readSegment(written(entries), FILE).map(content)).toEqual(entries.map(content));
      }),
      { numRuns: 100 },
    );
  });

  it('only grows at its end, and not at all for a run that it has', () => {
    fc.assert(
      fc.property(anyEntries, (entries) => {
        let text = '';
        for (const entry of entries) {
          const longer = appendedAll(text, [entry], FILE);
          expect(longer.startsWith(text) && longer.length > text.length).toBe(true);
          expect(appendedAll(longer, [{ ...entry, values: entry.values.map(() => 1) }], FILE)).toBe(longer);
          text = longer;
        }
        expect(appendedAll('', [...entries, ...entries], FILE)).toBe(text);
      }),
      { numRuns: 100 },
    );
  });

  it('is cut short at any place but the ends of lines only as an error', () => {
    const text = written([
      sampleEntry(),
      sampleEntry({ run: 'b' }),
      sampleEntry({ run: 'c', series: [], values: [], spreads: [] }),
    ]);
    const ends = new Set([...text.matchAll(/\n/g)].map(({ index }) => index + 1));

    for (let length = 1; length < text.length; length += 1) {
      const read = () => readSegment(text.slice(0, length), FILE);
      if (ends.has(length)) {
        expect(read).not.toThrow();
      } else {
        expect(read).toThrow(expect.objectContaining({ kind: 'truncated' }));
        expect(() => appendedAll(text.slice(0, length), [sampleEntry({ run: 'd' })], FILE)).toThrow(HistoryError);
      }
    }
  });

  it('writes the columns once for runs with the same series, and shares them when read', () => {
    const text = written([sampleEntry(), sampleEntry({ run: 'b' })]);

    expect(text.match(/"columns":1,"series"/g)).toHaveLength(1);
    const [first, second] = readSegment(text, FILE);
    expect(first?.series).toBe(second?.series);
  });

  it('takes columns that have more series for a run with fewer, and moves its verdicts', () => {
    const p50 = sampleSeries({ metric: 'latencyP50Ms', unit: 'ms' });
    const both = sampleEntry({ series: [sampleSeries(), p50], values: [1, 2], spreads: [null, null] });
    const one = sampleEntry({
      run: 'b',
      series: [p50],
      values: [3],
      spreads: [0.1],
      verdicts: [{ series: 0, verdict: 'regressed' }],
      imported: { tool: 'go', notes: [{ series: 0, range: '± 1' }] },
    });

    const text = written([both, one]);

    expect(text.match(/"series":\[\{/g)).toHaveLength(1);
    expect(readSegment(text, FILE)[1]).toMatchObject({
      values: [null, 3],
      spreads: [null, 0.1],
      verdicts: [{ series: 1, verdict: 'regressed' }],
      imported: { notes: [{ series: 1, range: '± 1' }] },
    });
  });

  it('begins other columns where the direction of a series changed', () => {
    const text = written([sampleEntry(), sampleEntry({ run: 'b', series: [sampleSeries({ better: 'higher' })] })]);

    expect(readSegment(text, FILE).map(({ series }) => series[0]?.better)).toEqual(['lower', 'higher']);
  });

  it('begins other columns where a tier asks for something else, and keeps both', () => {
    const loads = [undefined, '500 users', '500 users', '400 users'];
    const text = written(
      loads.map((load, place) =>
        sampleEntry({ run: `r${place}`, series: [sampleSeries({ tier: 'medium', ...(load && { load }) })] }),
      ),
    );

    const entries = readSegment(text, FILE);
    expect(entries.map(({ series }) => series[0]?.load)).toEqual(loads);
    expect(new Set(entries.map(({ series }) => seriesKey(series[0] ?? sampleSeries()))).size).toBe(1);
    expect(text.match(/"columns":\d,"series":\[/g)).toHaveLength(3);
  });

  it('reads a copy whose lines end in CRLF', () => {
    expect(readSegment(written([sampleEntry()]).replaceAll('\n', '\r\n'), FILE)).toEqual([sampleEntry()]);
  });
});

const RUN = written([sampleEntry()]).split('\n')[1] ?? '';
const COLUMNS = written([sampleEntry()]).split('\n')[0] ?? '';

describe('a damaged segment', () => {
  it.each([
    ['a byte order mark', `\ufeff${COLUMNS}\n`, 1, 'byte order mark', 'malformed'],
    ['no JSON', `${COLUMNS}\n${RUN}\nperhaps\n`, 3, 'not JSON', 'malformed'],
    ['NaN', `${COLUMNS}\n${RUN.replace('212.3', 'NaN')}\n`, 2, 'not JSON', 'malformed'],
    ['infinity', `${COLUMNS}\n${RUN.replace('212.3', '1e999')}\n`, 2, 'finite', 'malformed'],
    ['a text for a figure', `${COLUMNS}\n${RUN.replace('212.3', '"212.3"')}\n`, 2, 'finite', 'malformed'],
    ['too few figures', `${COLUMNS}\n${RUN.replace('[212.3]', '[]')}\n`, 2, 'one for each series', 'malformed'],
    ['a newer schema', `${COLUMNS}\n${RUN.replace('"schema":1', '"schema":2')}\n`, 2, 'has schema 2', 'newer-schema'],
    ['no schema', `${COLUMNS}\n${RUN.replace('"schema":1,', '')}\n`, 2, 'no schema', 'malformed'],
    [
      'a schema that is none',
      `${COLUMNS}\n${RUN.replace('"schema":1', '"schema":1.5')}\n`,
      2,
      'no schema',
      'malformed',
    ],
    ['columns that nobody wrote', `${RUN}\n`, 1, 'columns 1', 'malformed'],
    ['columns twice', `${COLUMNS}\n${COLUMNS}\n`, 2, 'twice', 'malformed'],
    ['a run twice', `${COLUMNS}\n${RUN}\n${RUN}\n`, 3, 'twice', 'malformed'],
    ['an empty line', `${COLUMNS}\n\n${RUN}\n`, 2, 'not JSON', 'malformed'],
    ['a list', '[1]\n', 1, 'not an object', 'malformed'],
    ['null', 'null\n', 1, 'not an object', 'malformed'],
    ['a time of another form', `${COLUMNS}\n${RUN.replace('.000Z', 'Z')}\n`, 2, 'at is not a time', 'malformed'],
    ['a day that is none', `${COLUMNS}\n${RUN.replace('11-21', '13-41')}\n`, 2, 'at is not a time', 'malformed'],
    [
      'a run with a path for a name',
      `${COLUMNS}\n${RUN.replace('4f0c1d7a9be2', '../../x')}\n`,
      2,
      'run must',
      'malformed',
    ],
    [
      'the key __proto__',
      `${COLUMNS}\n${RUN.replace('"tools":{', '"tools":{"__proto__":"x",')}\n`,
      2,
      'or an invalid one',
      'malformed',
    ],
    ['a line of 10 MB', `${JSON.stringify({ schema: 1, x: 'y'.repeat(1e7) })}\n`, 1, 'the limit is', 'malformed'],
    [
      'a million series',
      `{"schema":1,"columns":1,"series":[${'0,'.repeat(999_999)}0]}\n`,
      1,
      'series has 1000000 items',
      'malformed',
    ],
    ['lines without an end', '{}\n'.repeat(20_001), 20_002, 'at most 20000 lines', 'malformed'],
    ['deep nesting', `${'['.repeat(100_000)}${']'.repeat(100_000)}\n`, 1, '', 'malformed'],
    [
      'a verdict of no series',
      `${COLUMNS}\n${RUN.replace('"rounds":3', '"rounds":3,"verdicts":[{"series":1,"verdict":"regressed"}]')}\n`,
      2,
      'series 1',
      'malformed',
    ],
    [
      'a subject of a megabyte',
      `${COLUMNS}\n${RUN.replace('Cache users', 'x'.repeat(1e6))}\n`,
      2,
      'subject is not a text',
      'malformed',
    ],
  ])('is refused for %s', (...[, text, line, why, kind]) => {
    let thrown: unknown;
    try {
      readSegment(text, FILE);
    } catch (error) {
      thrown = error;
    }

    expect(thrown).toBeInstanceOf(HistoryError);
    expect(thrown).toMatchObject({ kind, message: expect.stringContaining(`${FILE}:${line}: `) });
    expect(thrown).toMatchObject({ message: expect.stringContaining(why) });
  });

  it('throws only a HistoryError for any line', () => {
    const lines = fc.array(
      fc.oneof(
        fc.json(),
        fc.constantFrom(COLUMNS, RUN),
        fc.object().map((of) => JSON.stringify({ ...of, schema: 1, run: 'x', columns: 1 })),
      ),
    );
    fc.assert(
      fc.property(lines, (found) => {
        try {
          readSegment(found.map((line) => `${line}\n`).join(''), FILE);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(HistoryError);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('never pollutes the prototype of objects', () => {
    const hostile = RUN.replace('"commit":{', '"__proto__":{"polluted":1},"commit":{"__proto__":{"polluted":1},');

    readSegment(`${COLUMNS}\n${hostile}\n`, FILE);

    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});
