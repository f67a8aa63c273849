import { posix } from 'node:path';
import { readDocument } from './document.ts';
import { DOCS, destinationOf } from './links.ts';

/** Group of pages below one heading of the index. */
interface Group {
  readonly text: string;
  readonly items: { readonly text: string; readonly link: string }[];
}

const INDEX = `${DOCS}/index.md`;

/** Pages of the site as grouped by the index, from the texts of the documents. Throws Error for a document that the index lacks. */
export function sidebar(texts: ReadonlyMap<string, string>): Group[] {
  const { headings, links } = readDocument(texts.get(INDEX) ?? '');
  const unlisted = new Set([...texts.keys()].filter((file) => file !== INDEX));
  const groups = headings
    .filter(({ level }) => level === 2)
    .map(({ text, line }, place, all): Group => {
      const end = all[place + 1]?.line ?? Number.POSITIVE_INFINITY;
      // A link to a part of a document does not list the document.
      const targets = links
        .filter((link) => link.line > line && link.line < end && !link.target.includes('#'))
        .map(({ target }) => target);
      const items = targets.flatMap((target) => {
        const destination = destinationOf(target, INDEX);
        const file = destination.kind === 'file' ? destination.path : '';
        // The first of several links to a document counts.
        return unlisted.delete(file) ? [{ text: readDocument(texts.get(file) ?? '').title, link: pageOf(file) }] : [];
      });
      return { text, items };
    });
  if (unlisted.size > 0) {
    throw new Error(`${INDEX} does not list ${[...unlisted].join(', ')}`);
  }
  return groups;
}

function pageOf(file: string): string {
  return `/${posix.relative(DOCS, file).replace(/\.md$/, '')}`;
}
