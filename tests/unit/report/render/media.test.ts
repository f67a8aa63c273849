import { describe, expect, it } from 'vitest';
import { type Block, fold, list, paragraph, type Table } from '../../../../src/report/document.ts';
import { ANSI, PLAIN } from '../../../../src/report/render/lines.ts';
import { html } from '../../../../src/report/render/markup.ts';
import { terminalOf } from '../../../../src/report/render/terminal.ts';
import { documentOf, everyBlock, RENDERERS } from '../../../support/sample-document.ts';

describe('a document in a terminal', () => {
  const wide = 'x'.repeat(30);
  const columns = ['label', 'first', { text: 'words', isText: true }];
  const table = (head: string, ...cells: readonly string[]): Table => {
    return { kind: 'table', caption: 'Figures', columns, rows: [{ head, cells }] };
  };
  const lines = (block: Block) => RENDERERS.terminal(documentOf(block)).split('\n').slice(1, -1);

  it('sets figures flush right and words flush left', () => {
    expect(
      lines({ ...table('a', '1', 'w'), rows: [...table('a', '1', 'w').rows, ...table('b', '22,222', 'ww').rows] }),
    ).toEqual(['label   first  words', 'a           1  w', 'b      22,222  ww']);
  });

  it('breaks words within their column if the line would be too long', () => {
    expect(lines(table(wide, wide, 'some words that do not fit beside so many figures'))).toEqual([
      `label${' '.repeat(27 + 25)}first  words`,
      `${wide}  ${wide}  some words that do not fit beside so`,
      `${' '.repeat(64)}many figures`,
    ]);
  });

  it('makes a list of a table that does not fit, and of one that says so', () => {
    const many = Array.from({ length: 5 }, (_, index) => `column ${index}`);
    const rows = [{ head: 'row', cells: many.map(() => wide) }];
    const tooWide: Table = { kind: 'table', isCaptioned: true, caption: 'Figures', columns: ['', ...many], rows };

    expect(lines(tooWide).slice(0, 2)).toEqual(['Figures', `- row: column 0: ${wide}; column 1: ${wide}; column 2:`]);
    expect(lines({ ...table('row', '1', 'held'), isList: true })).toEqual(['- row: first: 1; held']);
  });

  it('lists the figures of each row where words would break in a narrow terminal', () => {
    const cells = [{ text: '2 ms', details: [{ text: '1–3 ms' }] }, 'some words that do not fit beside a figure'];
    const rows = ['REST', 'gRPC'].map((head) => ({ group: '100 users', head, cells }));
    const narrow = { ...table(''), rows, detailNames: ['range'] };

    expect(
      terminalOf(documentOf(narrow), { ...PLAIN, columns: 40 })
        .split('\n')
        .slice(1, 7),
    ).toEqual([
      '100 users',
      '  REST',
      '    first: 2 ms, range 1–3 ms',
      '    words: some words that do not fit',
      '      beside a figure',
      '  gRPC',
    ]);
  });

  it('breaks the head of a column at its words if there is no room, and no figure from its unit', () => {
    const under = (columns: number) => {
      const headed = { ...table(wide, '1.00 ms', 'w'), columns: ['', 'p99 at up to 500 users', 'words'] };
      return terminalOf(documentOf(headed), { ...PLAIN, columns })
        .split('\n')
        .slice(1, -1);
    };

    expect(under(80)[0]?.trim()).toBe('p99 at up to 500 users  words');
    expect(under(50).map((line) => line.trim())).toEqual(['p99 at up  words', 'to', '500 users', expect.any(String)]);
  });

  it('names a group once, above its rows, in a list, too', () => {
    const rows = ['a', 'b'].map((head) => ({ group: 'One finding', head, cells: ['1', 'w'] }));

    expect(lines({ ...table(''), rows, isList: true })).toEqual([
      'One finding',
      '- a: first: 1; w',
      '- b: first: 1; w',
    ]);
  });

  it('shows named details in rows of their own, and leaves out those that no cell has', () => {
    const rows = [{ head: 'row', cells: [{ text: '1', details: [{ text: '' }, { text: '2% better' }] }, 'w'] }];

    expect(lines({ ...table(''), rows, detailNames: ['range', 'against it'] })).toEqual([
      'label             first  words',
      'row                   1  w',
      '  against it  2% better',
    ]);
  });

  it('says the same in colors', () => {
    const document = everyBlock((place) => place);

    const colored = terminalOf(document, ANSI);

    expect(colored).toContain('\u001b[31mword\u001b[39m');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences begin with one.
    expect(colored.replaceAll(/\u001b\[\d+m/g, '')).toBe(RENDERERS.terminal(document));
  });
});

describe('a document as a page', () => {
  it('shows charts with their key, which the other media leave out', () => {
    const charts = documentOf(
      { kind: 'figures', key: html`<ul class="key"></ul>`, charts: [html`<svg></svg>`] },
      paragraph('Below'),
    );

    expect(RENDERERS.html(charts)).toContain('<ul class="key"></ul>\n<div class="charts"><svg></svg></div>');
    expect(RENDERERS.markdown(charts)).toBe('### One\n\nBelow\n\n');
    expect(RENDERERS.terminal(charts)).toBe('One\nBelow\n');
  });

  it.each([
    [3, ['Sections']],
    [4, ['Sections', '4 pairings']],
  ])(
    'has a link to each section, those to %i of a kind behind a line that opens them, as a phone folds them all: %j',
    (count, folds) => {
      const pairs = Array.from({ length: count }, (_, index) => `pair-${index}`);
      const sections = ['first', 'second', ...pairs, 'last'].map((id) => ({
        id,
        title: `About ${id}`,
        blocks: [paragraph('Text')],
        ...(id.startsWith('pair') && { kin: 'pairings' }),
      }));

      const page = RENDERERS.html({ ...documentOf(), sections });

      const links = page.slice(page.indexOf('<nav'), page.indexOf('</nav>'));
      expect([...links.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id)).toEqual(sections.map(({ id }) => id));
      expect([...links.matchAll(/<summary>([^<]*)<\/summary>/g)].map(([, text]) => text)).toEqual(folds);
    },
  );

  it('has no links to its sections if it is short', () => {
    const pageOf = (count: number) =>
      RENDERERS.html(documentOf(...Array.from({ length: count }, () => fold('Part', paragraph('Text')))));

    expect(pageOf(4)).not.toContain('<nav');
    expect(pageOf(5)).toContain('<nav');
  });

  it('names rows, groups of rows and groups of columns for screen readers', () => {
    const page = RENDERERS.html(everyBlock((place) => place));

    expect(page).toContain('<caption>caption</caption>');
    expect(page).toContain('<th scope="colgroup" colspan="2">span');
    expect(page).toContain('<th scope="col">figure column<th scope="col" class="text">word column');
    expect(page).toContain('<th scope="rowgroup" colspan="3" class="rows">row group</th>');
    expect(page.match(/<th scope="row">/g)).toHaveLength(6);
  });
});

describe('a document as Markdown', () => {
  it('stays under 60,000 characters, with a clean cut in a fold', () => {
    const items = Array.from({ length: 900 }, (_, index) => `${index} ${'x'.repeat(99)}`);

    const text = RENDERERS.markdown(documentOf(paragraph('Above'), fold('Long', list(items)), paragraph('Below')));

    expect(text.length).toBeLessThanOrEqual(60_000);
    expect(text.length).toBeGreaterThan(59_700);
    expect(text.trimEnd().endsWith('</details>')).toBe(true);
    expect(text).not.toContain('Below');
  });

  it('lists facts, apart from a list below them', () => {
    const facts = { kind: 'facts', facts: [{ name: 'Seed', value: '7' }] } as const;

    expect(RENDERERS.markdown(documentOf(facts, list(['A remark.'])))).toBe(
      '### One\n\n* **Seed:** 7\n\n- A remark.\n\n',
    );
  });

  it('lets what is worse stand out, since it has no colors', () => {
    const cells = [{ text: 'regressed', tone: 'worse' as const, details: [{ text: 'so it is' }] }];
    const columns = ['', { text: 'verdict', isText: true }];
    const table: Table = {
      kind: 'table',
      isCaptioned: true,
      caption: 'Verdicts',
      columns,
      rows: [{ head: 'p95', cells }],
    };

    expect(RENDERERS.markdown(documentOf(table))).toBe(
      '### One\n\n**Verdicts**\n\n|  | verdict |\n| --- | --- |\n| p95 | **regressed** (so it is) |\n\n',
    );
  });
});
