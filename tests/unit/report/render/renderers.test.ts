import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Document,
  fold,
  heading,
  list,
  type Medium,
  paragraph,
  type Table,
} from '../../../../src/report/document.ts';
import { HOSTILE } from '../../../support/hostile-run.ts';
import { documentOf, everyBlock, RENDERERS } from '../../../support/sample-document.ts';

const MEDIA = Object.entries(RENDERERS);

/** What a reader sees: no markup, no escapes, no line breaks, no heads of a page. */
function seen(medium: string, text: string): string {
  // The title of a fold is HTML within Markdown, in which a backslash is one.
  const even =
    medium !== 'markdown' ? text : text.replaceAll(/<summary>.*<\/summary>/g, (line) => line.replaceAll('\\', '\\\\'));
  const plain = medium === 'terminal' ? text : even.replaceAll(/<style>.*<\/style>|<[^>]+>/gs, '');
  const unescaped = medium === 'markdown' ? plain.replaceAll(/\\([!-/:-@[-`{-~])/g, '$1') : plain;
  return unescaped
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll('\u200b', '')
    .replaceAll(/[\s\u00a0]+/g, '');
}

/** Visible text of letters, marks and what means something to a medium; nothing that a renderer would take out or cut. */
const visible = fc
  .array(
    fc.constantFrom(
      'a',
      'Ü',
      '7',
      '😀',
      '<',
      '>',
      '&',
      '"',
      "'",
      '*',
      '_',
      '|',
      '`',
      '#',
      '@',
      '$',
      '[',
      ']',
      '\\',
      '~',
      '-',
    ),
    {
      minLength: 1,
      maxLength: 12,
    },
  )
  .map((parts) => `x${parts.join('')}x`);

it.each([
  [
    'html',
    '<p>More: <a href="https://wiregauge.github.io/wiregauge/docs/config.html" rel="noreferrer">keys &amp; *</a></p>',
  ],
  ['markdown', 'More: [keys &amp; \\*](https://wiregauge.github.io/wiregauge/docs/config.html)'],
  ['terminal', 'More: keys & *: https://wiregauge.github.io/wiregauge/docs/config.html'],
] as const)('a document as %s leads to a document of Wiregauge', (medium, shown) => {
  const text = ['More: ', { words: 'keys & *', document: 'docs/config.md' }];

  expect(RENDERERS[medium](documentOf(paragraph(text)))).toContain(shown);
});

describe.each(MEDIA)('a document as %s', (medium, render) => {
  it('shows all of its texts, including special characters of the medium', () => {
    fc.assert(
      fc.property(visible, (text) => {
        const texts: string[] = [];
        const document = everyBlock((place) => {
          // Only a terminal has rows of their own for details.
          if (place !== 'detail name' || medium === 'terminal') {
            texts.push(`${place} ${text}`);
          }
          return `${place} ${text}`;
        });

        const shown = seen(medium, render(document));

        for (const one of texts) {
          expect(shown).toContain(one.replaceAll(' ', ''));
        }
      }),
      { numRuns: 40 },
    );
  });

  it.each([
    ['hostile texts', HOSTILE],
    ['markup that ends what it is in', '</td></table></details></summary>--><script>alert(1)</script>'],
    ['lines', 'a\n# b\n- c\n| d |\r\n```\n'],
    ['control characters', '\u001b[31m\u0007\u009b31m\u202e\u2066'],
    ['mentions and references', '@everyone #12 GH-3 https://evil.example www.evil.example'],
  ])('keeps its shape with %s', (_what, text) => {
    const tags = (page: string) =>
      page.match(/<[/a-z][^>]*>/g)?.map((tag) => tag.replace(/(?:aria-label|data-column|style)="[^"]*"/, '')) ?? [];
    const [foreign, own] = [render(everyBlock(() => `x ${text}`)), render(everyBlock(() => 'x'))];

    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
    expect(foreign).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    if (medium === 'html') {
      expect(tags(foreign)).toEqual(tags(own));
    }
    if (medium === 'markdown') {
      const starts = (lines_: string) =>
        lines_.split('\n').map((line) => /^(?:- |\| |###|\*\*|<[/a-z]+>|$)/.exec(line)?.[0]);
      expect(starts(foreign)).toEqual(starts(own));
      expect(foreign).not.toMatch(/@everyone|#12\b|GH-3|https:\/\/|www\.evil/);
    }
    if (medium === 'terminal') {
      expect(Math.max(...foreign.split('\n').map((line) => [...line].length))).toBeLessThanOrEqual(100);
    }
  });

  it('leaves out blocks for others, headings with nothing below, and sections with nothing in them', () => {
    const others = Object.keys(RENDERERS).filter((other) => other !== medium) as Medium[];
    const document: Document = {
      ...documentOf(heading('Nothing below'), list([]), heading('Something below'), {
        ...paragraph('Theirs'),
        only: others,
      }),
      summary: [{ ...paragraph('Mine'), only: [medium as Medium] }, paragraph('Ours')],
    };

    const text = render({
      ...document,
      sections: [
        ...document.sections,
        { id: 'two', title: 'For others', blocks: [paragraph('Theirs, too')], only: others },
        { id: 'three', title: 'Empty', blocks: [fold('Empty, too', list([]))] },
      ],
    });

    expect(text).toContain('Mine');
    expect(text).toContain('Ours');
    expect(text).not.toMatch(/Nothing below|Theirs|For others|Empty/);
  });

  it('leaves out a column for others in every row', () => {
    const others = Object.keys(RENDERERS).filter((other) => other !== medium) as Medium[];
    const columns = ['', { text: 'theirs', only: others }, 'ours'];
    const table: Table = { kind: 'table', caption: 'Figures', columns, rows: [{ head: 'row', cells: ['111', '222'] }] };

    const text = render(documentOf(table));

    expect(text).toContain('222');
    expect(text).not.toMatch(/theirs|111/);
  });
});
