import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readDocument } from '../../../../scripts/docs/document.ts';
import { benchmarkData } from '../../../../scripts/docs/gallery/benchmark-data.ts';
import { GALLERY, GALLERY_PAGE } from '../../../../scripts/docs/gallery/reports.ts';
import { readGab } from '../../../../src/history/exchange/import.ts';
import { namer } from '../../../support/sample-gab.ts';

const FOLDER = 'tests/fixtures/gallery';

describe('the gallery', () => {
  const page = readDocument(readFileSync(GALLERY_PAGE, 'utf8'));
  const sections = page.headings.filter(({ level }) => level === 2);

  test('has a section for each report, in their order', () => {
    expect(sections.map(({ id }) => id)).toEqual(GALLERY.map(({ name }) => name));
  });

  test.each(GALLERY)('links in the section of $name to what it is made from', ({ name, from }) => {
    const place = sections.findIndex(({ id }) => id === name);
    const [start, end] = [sections[place]?.line ?? 0, sections[place + 1]?.line ?? Number.POSITIVE_INFINITY];
    const targets = page.links.filter(({ line }) => line > start && line < end).map(({ target }) => target);

    expect(targets).toContain(posix.relative(posix.dirname(GALLERY_PAGE), from));
    expect(existsSync(from)).toBe(true);
  });
});

describe('the stored runs of the gallery', () => {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json.gz'));

  test('are those that it shows', () => {
    const shown = GALLERY.map(({ from }) => from).filter((from) => from.startsWith(`${FOLDER}/`));

    expect(files.map((file) => `${FOLDER}/${file}`).toSorted()).toEqual(shown.toSorted());
  });

  test.each(files)('%s is small, and names no folder of a machine', (file) => {
    const path = join(FOLDER, file);

    expect(statSync(path).size).toBeLessThan(70_000);
    expect(gunzipSync(readFileSync(path)).toString('utf8')).not.toMatch(/\/(home|root|tmp|work|Users)\b/);
  });
});

test('series of another project become runs, each with all that was measured of a commit', () => {
  const series = (name: string, points: readonly (readonly [number, string, number])[]) => ({
    suite: 'fib',
    name,
    unit: 'ns',
    tool: 'go',
    points,
  });
  const text = benchmarkData(
    JSON.stringify({
      repo: 'owner/name',
      series: [
        series('fib 10', [
          [1_700_000_000_000, 'a1', 5],
          [1_700_000_100_000, 'b2', 6],
        ]),
        series('fib 20', [[1_700_000_100_000, 'b2', 70]]),
      ],
    }),
  );

  const { repository, entries } = readGab(text, 'data.js', namer());

  expect(repository).toBe('https://github.com/owner/name');
  expect(entries.map(({ commit, series: measured }) => [commit?.sha, measured.length])).toEqual([
    ['a1', 1],
    ['b2', 2],
  ]);
});
