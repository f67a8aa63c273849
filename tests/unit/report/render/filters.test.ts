import { describe, expect, it } from 'vitest';
import { type Document, fold, type Table } from '../../../../src/report/document.ts';
import { htmlOf } from '../../../../src/report/render/html.ts';
import type { About, Filters } from '../../../../src/report/views/about.ts';
import { HOSTILE } from '../../../support/hostile-run.ts';
import { documentOf } from '../../../support/sample-document.ts';

const FILTERS: Filters = {
  services: ['REST', 'gRPC', 'GraphQL'],
  tiers: ['100 users', '500 users'],
  metrics: ['p50', 'p95', 'CPU per request'],
  changed: 'Changed only',
};

function tableOf(...rows: readonly (About | undefined)[]): Table {
  const lines = rows.map((one, index) => ({ head: `row ${index}`, cells: [`${index}`], about: one }));
  return { kind: 'table', caption: 'Figures', columns: ['', 'figure'], rows: lines };
}

function pageOf(document: Partial<Document>, ...tables: readonly Table[]): string {
  const [first, ...others] = tables;
  const more = fold('Other rows', { ...tableOf(...Array.from({ length: 30 }, () => '')), caption: 'Others' });
  const blocks = [...(first === undefined ? [] : [first]), ...others.map((table) => fold('More', table)), more];
  return htmlOf({ ...documentOf(...blocks), filters: FILTERS, ...document });
}

const optionsOf = (page: string, name: string): readonly (readonly string[])[] => {
  const select = new RegExp(`<select name="${name}">(.*?)</select>`, 's').exec(page)?.[1] ?? '';
  return [...select.matchAll(/<option value="(\w*)">([^<]*)<\/option>/g)].map(([, value = '', text = '']) => [
    value,
    text,
  ]);
};

const wordsOfRows = (page: string) => [...page.matchAll(/<tr([^>]*)><th scope="row">/g)].map(([, words]) => words);

describe('the choice of rows', () => {
  it('offers what rows are about, in folds too, in the order of the filters', () => {
    const page = pageOf({}, tableOf('s2 t0 m1'), tableOf('s0 s2 t1 m1'));

    expect(optionsOf(page, 'service')).toEqual([
      ['', 'all'],
      ['s0', 'REST'],
      ['s2', 'GraphQL'],
    ]);
    expect(optionsOf(page, 'tier')).toEqual([
      ['', 'all'],
      ['t0', '100 users'],
      ['t1', '500 users'],
    ]);
    // All are about the same one.
    expect(page).not.toContain('<select name="metric">');
  });

  it('offers what changed only if something did, and something did not', () => {
    const pages = [
      ['t0 c1', 't1 c0'],
      ['t0 c1', 't1 c1'],
      ['t0 c0', 't1 c0'],
      ['t0', 't1'],
    ].map((all) => pageOf({}, tableOf(...all)));

    expect(pages.map((page) => page.includes('name="changed" value="c1"> Changed only</label>'))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it.each([
    ['a document has no filters', { filters: undefined }, tableOf('t0', 't1')],
    ['no row is about anything', {}, tableOf(undefined, undefined)],
    ['all rows are about the same', {}, tableOf('t1', 't1')],
  ])('is left out if %s', (_case, document, table) => {
    expect(pageOf(document, table)).not.toContain('<form');
  });

  it('is left out of a report of few rows', () => {
    const table = tableOf('t0', 't1');

    expect(htmlOf({ ...documentOf(table), filters: FILTERS })).not.toContain('<form');
  });

  it('is hidden until the script shows it, but rows are not', () => {
    const page = pageOf({}, tableOf('t0', 't1'));

    expect(page.match(/ hidden>/g)).toEqual([' hidden>']);
    expect(page).toMatch(/<details class="filters" hidden><summary>Filter<\/summary><form /);
  });

  it('shows hostile names as text', () => {
    const filters = { ...FILTERS, services: [HOSTILE, '</select><script>x'], changed: HOSTILE };
    const rows = ['s0 c1', 's1 c0'];

    const page = pageOf({ filters }, tableOf(...rows));

    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page).not.toContain('<img');
    expect(optionsOf(page, 'service').map(([value]) => value)).toEqual(['', 's0', 's1']);
  });
});

describe('a row of a page', () => {
  it('carries a word for each thing that it is about, if any row of its table is about something', () => {
    const page = pageOf({}, tableOf('s1 s0 t1 m2 c0', undefined, 'c1'), tableOf(undefined));

    expect(wordsOfRows(page).slice(0, 4)).toEqual([' data-at="s1 s0 t1 m2 c0"', ' data-at=""', ' data-at="c1"', '']);
  });
});

describe('a table that is about one thing as a whole', () => {
  it('carries the words itself, and its rows carry none', () => {
    const whole = { ...tableOf(undefined, undefined), about: 't1' };

    const page = pageOf({}, whole, tableOf('t0'));

    expect([...page.matchAll(/<div class="scroll"[^>]*"Figures"([^>]*)>/g)].map(([, words]) => words)).toEqual([
      ' data-at="t1"',
      '',
    ]);
    expect(wordsOfRows(page).slice(0, 3)).toEqual(['', '', ' data-at="t0"']);
    expect(optionsOf(page, 'tier').map(([value]) => value)).toEqual(['', 't0', 't1']);
  });
});
