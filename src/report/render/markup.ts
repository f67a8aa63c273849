import { escapeHtml, plainText } from '../../foundation/text.ts';
import { glued } from './lines.ts';

/** Markup that is safe to put into a page: only `html` makes it, and it escapes its input. */
export interface Html {
  readonly markup: string;
}

type Part = string | number | Html | readonly Html[] | undefined;

/** Template whose inserted texts are escaped; inserted markup stays unchanged, and undefined inserts nothing. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { markup: texts.map((text, index) => text + markupOf(parts[index])).join('') };
}

function markupOf(part: Part): string {
  if (part === undefined) {
    return '';
  }
  if (typeof part === 'string' || typeof part === 'number') {
    return escapeHtml(String(part));
  }
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('');
}

/** Sentence in which lines never break between a figure and its unit. */
export function sentence(text: string): Html {
  return html`${glued(text)}`;
}

/** Pieces on separate lines, so that the page's source can be read and compared. */
export function joinLines(pieces: readonly Html[]): Html {
  return { markup: pieces.map(({ markup }) => markup).join('\n') };
}

/** Address of a file next to the report, by its relative path. Nothing in it is a host, a scheme, a query or markup. */
export function relativeAddress(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== '')
    .map((part) => encodeURIComponent(plainText(part, 255)).replace(/[!'()*]/g, percentOf))
    .join('/');
}

function percentOf(letter: string): string {
  return `%${letter.charCodeAt(0).toString(16).toUpperCase()}`;
}
