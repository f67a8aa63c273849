import { describe, expect, it } from 'vitest';
import {
  cleanText,
  endOfText,
  escapeHtml,
  escapeMarkdown,
  escapeSummary,
  plainText,
  shownText,
} from '../../../src/foundation/text.ts';
import { html } from '../../../src/report/render/markup.ts';

const SPLIT = '\u200b';

describe('cleanText', () => {
  it('puts everything on one line without control sequences or changes of direction', () => {
    expect(cleanText('a\r\nb\u001b[31mc\u0000 \u202ed\u2028e')).toBe('a b [31mc   d e');
  });

  it('cuts long texts with an ellipsis, never in the middle of a character', () => {
    expect(cleanText('😀'.repeat(10), 4)).toBe('😀😀😀…');
  });
});

describe('endOfText', () => {
  it('begins with a whole line, unless the last one is longer than the limit', () => {
    expect(endOfText('one\ntwo\nthree\n', 12)).toBe('two\nthree');
    expect(endOfText('one\ntwo\nthree', 100)).toBe('one\ntwo\nthree');
    expect(endOfText(`one\n${'x'.repeat(50)}\n`, 20)).toBe('x'.repeat(19));
  });
});

describe('invisible characters', () => {
  const tags = [...'hidden'].map((letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0))).join('');

  it.each([
    cleanText,
    escapeHtml,
    escapeSummary,
    (text: string) => escapeMarkdown(text),
    (text: string) => plainText(text, 99),
  ])('is in no text that is shown (case %#)', (shown) => {
    expect(shown(`a\u200b\u200c\u200db\u2060\u2064c\u00ad${tags}d`)).toBe('abcd');
  });
});

describe('shownText', () => {
  it('steers no terminal, keeps lines and what they begin with, and ends', () => {
    expect(shownText('a:\n  b\u001b[2J\u009b31m\r\n\u202ec\u0007\n')).toBe('a:\n  b [2J 31m\n c \n');
    expect(shownText('x'.repeat(100_000)).length).toBeLessThan(20_000);
  });
});

describe('escapeHtml', () => {
  it('leaves no way out of an element or a quoted attribute', () => {
    expect(escapeHtml(`<b title='x' class="y">&`)).toBe('&lt;b title=&#39;x&#39; class=&quot;y&quot;&gt;&amp;');
  });
});

describe('escapeSummary', () => {
  it('leaves no element, and nothing that GitHub makes a link or a mention of', () => {
    expect(escapeSummary(`</summary>'@someone' #12 www.x.example`)).toBe(
      `&lt;/summary&gt;&#39;@${SPLIT}someone&#39; #${SPLIT}12 www${SPLIT}.x.example`,
    );
  });
});

describe('escapeMarkdown', () => {
  it.each([
    ['a | b', 'a \\| b'],
    ['`code` *b* _i_ ~s~ [l](u) \\', '\\`code\\` \\*b\\* \\_i\\_ \\~s\\~ \\[l\\](u) \\\\'],
    ['<script>&amp;', '&lt;script&gt;&amp;amp;'],
    ['a\n\n# b\n- c', 'a \\# b - c'],
    ['- item', '\\- item'],
    ['12. item', '12\\. item'],
    ['0.51 ms', '0.51 ms'],
    ['$x$', '<span>$</span>x<span>$</span>'],
    ['@someone and @org/team', `@${SPLIT}someone and @${SPLIT}org/team`],
    ['Xeon @ 2.60GHz', 'Xeon @ 2.60GHz'],
    ['see #12', `see \\#${SPLIT}12`],
    ['GH-12', `GH-${SPLIT}12`],
    ['_www.x.example', `\\_www${SPLIT}.x.example`],
    ['https://x.example www.x.example', `https:${SPLIT}//x.example www${SPLIT}.x.example`],
  ])('takes the meaning out of %j', (text, escaped) => {
    expect(escapeMarkdown(text)).toBe(escaped);
  });
});

describe('html', () => {
  it('escapes what is inserted, except what is markup already', () => {
    const inner = html`<b>${'<i>'}</b>`;

    expect(html`<p title="${'"'}">${inner}${[inner]}${undefined}${3}</p>`.markup).toBe(
      '<p title="&quot;"><b>&lt;i&gt;</b><b>&lt;i&gt;</b>3</p>',
    );
  });
});
