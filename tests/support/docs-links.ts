import { existsSync, readFileSync } from 'node:fs';
import { destinationOf } from '../../scripts/docs-address.ts';
import { readDocument } from '../../scripts/docs-document.ts';

/** What the links of a document are held against. */
interface Surroundings {
  /** The text of a file of the repository; undefined where there is none, and empty for a folder or what is no document. */
  readonly textOf: (path: string) => string | undefined;
}

const ON_DISK: Surroundings = {
  textOf: (path) => (existsSync(path) ? (path.endsWith('.md') ? readFileSync(path, 'utf8') : '') : undefined),
};

/** Links and pictures of a document that lead to no file or to no heading, or outside by an address that is none. */
export function brokenLinks(file: string, { textOf } = ON_DISK): readonly string[] {
  const { links } = readDocument(textOf(file) ?? '');
  return links.flatMap(({ target, line }) => {
    const wrong = wrongWith(target, file, textOf);
    return wrong === undefined ? [] : [`${file}:${line + 1}: ${target} ${wrong}`];
  });
}

function wrongWith(target: string, file: string, textOf: Surroundings['textOf']): string | undefined {
  const destination = destinationOf(target, file);
  if (destination.kind === 'outside') {
    return isAddress(destination.address) ? undefined : 'is no address';
  }
  const { path, anchor } = destination;
  const text = path.startsWith('..') ? undefined : textOf(path);
  if (text === undefined) {
    return 'leads to no file';
  }
  const isThere = anchor === undefined || readDocument(text).headings.some(({ id }) => id === anchor);
  return isThere ? undefined : 'leads to no heading';
}

/** Of a page that anybody may open: nothing that only this machine has, and nothing that runs. */
function isAddress(address: string): boolean {
  if (!URL.canParse(address)) {
    return false;
  }
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' && /\.[a-z]{2,}$/.test(hostname);
}
