import {
  type Block,
  type Document,
  fold,
  heading,
  list,
  type Medium,
  paragraph,
  type Table,
} from '../../src/report/document.ts';
import { htmlOf } from '../../src/report/render/html.ts';
import { PLAIN } from '../../src/report/render/lines.ts';
import { markdownOf } from '../../src/report/render/markdown.ts';
import { terminalOf } from '../../src/report/render/terminal.ts';

/** How each medium shows the whole of a document. */
export const RENDERERS: Readonly<Record<Exclude<Medium, 'brief'>, (document: Document) => string>> = {
  terminal: (document) => terminalOf(document, PLAIN),
  markdown: markdownOf,
  html: htmlOf,
};

/** A document with every kind of block, whose texts come from `text`, one for each place. */
export function everyBlock(text: (place: string) => string): Document {
  const table: Table = {
    kind: 'table',
    isCaptioned: true,
    caption: text('caption'),
    groups: [{ text: '' }, { text: text('span'), span: 2 }],
    columns: ['', text('figure column'), { text: text('word column'), isText: true }],
    rows: [
      { head: text('row'), cells: [text('figure'), { text: text('word'), tone: 'worse' }] },
      { head: text('row 2'), cells: [{ text: text('figure 2'), details: [{ text: text('detail') }] }, ''] },
    ],
  };
  const below: Table = {
    ...table,
    caption: text('caption 2'),
    detailNames: [text('detail name')],
    groups: [],
    rows: table.rows.map((row) => ({ ...row, group: text('row group') })),
  };
  return {
    title: 'A report',
    facts: [],
    summary: [paragraph(text('outcome'), 'strong'), paragraph(text('remark'), 'note')],
    sections: [
      {
        id: 'one',
        title: text('section'),
        blocks: [
          heading(text('heading')),
          list([text('item'), [{ strong: text('strong') }, ` ${text('plain')}`]]),
          table,
        ],
      },
      { id: 'two', title: text('folded section'), isFolded: true, blocks: [below, { ...below, isList: true }] },
      {
        id: 'three',
        title: text('section of folds'),
        blocks: [fold(text('fold'), { kind: 'facts', facts: [{ name: text('name'), value: text('value') }] })],
      },
    ],
  };
}

/** A document of one section. */
export function documentOf(...blocks: readonly Block[]): Document {
  return { title: 'A report', facts: [], summary: [], sections: [{ id: 'one', title: 'One', blocks }] };
}
