import GithubSlugger from 'github-slugger';
import MarkdownIt, { type Token } from 'markdown-it';

/** A heading with its anchor, as GitHub makes it. */
export interface Heading {
  readonly level: number;
  readonly text: string;
  readonly id: string;
  /** From 0. */
  readonly line: number;
}

/** A link or an image. */
export interface Link {
  readonly target: string;
  /** From 0; of its paragraph. */
  readonly line: number;
}

/** A Markdown document. */
export interface DocsDocument {
  readonly tokens: readonly Token[];
  /** Of its first heading. */
  readonly title: string;
  readonly headings: readonly Heading[];
  readonly links: readonly Link[];
}

const PARSER = new MarkdownIt({ html: true });

/** A document with its headings and links. */
export function readDocument(text: string): DocsDocument {
  const tokens = PARSER.parse(text, {});
  const headings = headingsOf(tokens);
  return { tokens, title: headings[0]?.text ?? '', headings, links: linksIn(tokens) };
}

function headingsOf(tokens: readonly Token[]): readonly Heading[] {
  const slugger = new GithubSlugger();
  return tokens.flatMap((token, place) => {
    if (token.type !== 'heading_open') {
      return [];
    }
    const text = plainText(tokens[place + 1]);
    return [{ level: Number(token.tag.slice(1)), text, id: slugger.slug(text), line: token.map?.[0] ?? 0 }];
  });
}

function plainText(inline: Token | undefined): string {
  const parts = inline?.children ?? [];
  return parts.map(({ type, content }) => (type === 'text' || type === 'code_inline' ? content : '')).join('');
}

function linksIn(tokens: readonly Token[]): readonly Link[] {
  let line = 0;
  return tokens.flatMap(({ children, map }) => {
    // Cells have no lines of their own, and their rows have.
    line = map?.[0] ?? line;
    return (children ?? []).flatMap((part) => {
      const target = part.attrGet(part.type === 'image' ? 'src' : 'href');
      return target === null ? [] : [{ target: String(target), line }];
    });
  });
}
