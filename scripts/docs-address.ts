import { posix } from 'node:path';

/** Where the files that are no page of the site are read. */
const REPOSITORY = 'https://github.com/wiregauge/wiregauge/blob/main/';

/** The folder of the documents, from the root of the repository. */
export const DOCS = 'docs';

/** What a link of a document leads to: elsewhere, or a file of the repository and a place in it. */
export type Destination =
  | { readonly kind: 'outside'; readonly address: string }
  | { readonly kind: 'file'; readonly path: string; readonly anchor: string | undefined };

/** Where a link in a file of the repository leads. A path has no slash at its end; the root is `.`. */
export function destinationOf(target: string, file: string): Destination {
  if (/^[a-z][a-z0-9+.-]*:/i.test(target) || target.startsWith('//')) {
    return { kind: 'outside', address: target };
  }
  const [path = '', anchor] = target.split('#', 2);
  const resolved = path === '' ? file : posix.join(posix.dirname(file), decodeURI(path));
  return { kind: 'file', path: resolved.replace(/(?<=.)\/$/, ''), anchor };
}

/** The address of a link on the page that is made of a document: of another page, a picture, or the file in the repository. */
export function addressOn(file: string, target: string): string {
  const destination = destinationOf(target, file);
  if (destination.kind === 'outside') {
    return target;
  }
  const hash = destination.anchor === undefined ? '' : `#${destination.anchor}`;
  if (target.startsWith('#')) {
    return hash;
  }
  const { path } = destination;
  return path.startsWith(`${DOCS}/`)
    ? `${posix.relative(posix.dirname(file), pageOf(path))}${hash}`
    : `${REPOSITORY}${path === '.' ? '' : path}${hash}`;
}

/** The file of the page that is made of a document; of any other file itself. */
export function pageOf(file: string): string {
  return file.replace(/\.md$/, '.html');
}
