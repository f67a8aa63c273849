import MarkdownIt, { type RendererRule, type Token } from 'markdown-it';
import type { DocsDocument } from './docs-document.ts';

/** Where a link or a picture of the document leads on its page. */
type Address = (target: string) => string;

/** The content of a document's page: headings with their anchors, tables and code that scroll by themselves, no comments. */
export function contentOf({ tokens, headings }: DocsDocument, address: Address): string {
  const ids = headings.map(({ id }) => id);
  for (const [place, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      token.attrSet('id', ids.shift() ?? '');
    }
    if (token.type === 'th_open' && tokens[place + 1]?.content === '') {
      leaveEmpty([token, tokens[place + 2]]);
    }
    for (const part of token.children ?? []) {
      lead(part, address);
    }
  }
  return RENDERER.renderer.render([...tokens], RENDERER.options, {});
}

/** A heading of a column that says nothing is none. */
function leaveEmpty(sides: readonly (Token | undefined)[]): void {
  for (const side of sides) {
    if (side !== undefined) {
      side.tag = 'td';
    }
  }
}

function lead(part: Token, address: Address): void {
  const name = part.type === 'image' ? 'src' : 'href';
  const target = part.attrGet(name);
  if (target !== null) {
    part.attrSet(name, address(String(target)));
  }
}

const RENDERER = new MarkdownIt({ html: true });
const { escapeHtml } = RENDERER.utils;

const withoutComments: RendererRule = (tokens, place) =>
  (tokens[place]?.content ?? '').replace(/<!--[\s\S]*?-->\n?/g, '');

RENDERER.renderer.rules['html_block'] = withoutComments;
RENDERER.renderer.rules['html_inline'] = withoutComments;
// What may be wider than a phone is reached with the keyboard, too.
RENDERER.renderer.rules['table_open'] = () =>
  '<div class="scroll" role="group" aria-label="Table" tabindex="0"><table>\n';
RENDERER.renderer.rules['table_close'] = () => '</table></div>\n';
RENDERER.renderer.rules['fence'] = (tokens, place) =>
  `<pre tabindex="0"><code>${escapeHtml(tokens[place]?.content ?? '')}</code></pre>\n`;
