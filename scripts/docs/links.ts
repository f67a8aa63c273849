import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { readDocument } from './document.ts';

/** Folder of the documents, from the root of the repository. */
export const DOCS = 'docs';

/** Address of files that are not pages of the site. */
const REPOSITORY = 'https://github.com/wiregauge/wiregauge/blob/main/';

/** Documents with a page on the site: their paths, each with its text. Pages for a part of one do not count. */
export function siteDocuments(): ReadonlyMap<string, string> {
  const found = readdirSync(DOCS, { recursive: true, encoding: 'utf8' }).map((path) => `${DOCS}/${path}`);
  return new Map(found.filter((path) => /[^\]]\.md$/.test(path)).map((path) => [path, readFileSync(path, 'utf8')]));
}

/** Destination of a link: elsewhere, or a file of the repository and a place in it. */
type Destination =
  | { readonly kind: 'outside'; readonly address: string }
  | { readonly kind: 'file'; readonly path: string; readonly anchor: string | undefined };

/** Destination of a link in a file of the repository. A path has no trailing slash; the root is `.`. */
export function destinationOf(target: string, file: string): Destination {
  if (/^[a-z][a-z0-9+.-]*:/i.test(target) || target.startsWith('//')) {
    return { kind: 'outside', address: target };
  }
  const [path = '', anchor] = target.split('#', 2);
  const resolved = path === '' ? file : posix.join(posix.dirname(file), decodeURI(path));
  return { kind: 'file', path: resolved.replace(/(?<=.)\/$/, ''), anchor };
}

/** Address of a link on the site: for a file outside the documents, that on GitHub. The site resolves its own pages. */
export function addressOnSite(target: string, file: string): string {
  const destination = destinationOf(target, file);
  if (destination.kind === 'outside' || destination.path.startsWith(`${DOCS}/`)) {
    return target;
  }
  const { path, anchor } = destination;
  return `${REPOSITORY}${path === '.' ? '' : path}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** Files and headings that links and pictures are checked against. */
interface Surroundings {
  /** Text of a file of the repository; undefined if there is none, and empty for a folder or a file that is not a document. */
  readonly textOf: (path: string) => string | undefined;
}

const ON_DISK: Surroundings = {
  textOf: (path) => (existsSync(path) ? (path.endsWith('.md') ? readFileSync(path, 'utf8') : '') : undefined),
};

/** Links and pictures of a document that lead to a missing file or heading, or to an invalid address. */
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
    return isAddress(destination.address) ? undefined : 'is not an address';
  }
  const { path, anchor } = destination;
  const text = path.startsWith('..') ? undefined : textOf(path);
  if (text === undefined) {
    return 'is not a file';
  }
  const isThere = anchor === undefined || readDocument(text).headings.some(({ id }) => id === anchor);
  return isThere ? undefined : 'leads to no heading';
}

/** True for a public page: not an address of this machine only, and nothing executable. */
function isAddress(address: string): boolean {
  if (!URL.canParse(address)) {
    return false;
  }
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' && /\.[a-z]{2,}$/.test(hostname);
}
