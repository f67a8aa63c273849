/** Where the history's files are read from. */
export interface Source {
  readonly kind: 'web' | 'folder' | 'saved';
  /** The text of a file by its path below the page's folder; throws MissingFile if there is none. */
  text(path: string): Promise<string>;
}

/** A file that is not there, other than one that cannot be read. */
export class MissingFile extends Error {
  constructor(path: string) {
    super(`${path} is missing`);
    this.name = 'MissingFile';
  }
}

/** Files next to the page, over the web. */
export function webSource(): Source {
  return {
    kind: 'web',
    async text(path) {
      // A cache of the host may be older than the index: it is revalidated.
      const answer = await fetch(path, { cache: 'no-cache', credentials: 'same-origin' });
      if (answer.status === 404) {
        throw new MissingFile(path);
      }
      if (!answer.ok) {
        throw new Error(`${path}: the server responded with ${answer.status}`);
      }
      return answer.text();
    },
  };
}

/** Files of a folder that the reader selected: the page's own, one above it, or `history` within it. */
export function folderSource(files: Iterable<File>): Source {
  const found = new Map<string, File>();
  for (const file of files) {
    const parts = (file.webkitRelativePath || file.name).split('/');
    const place = parts.lastIndexOf('history');
    const path = place === -1 ? `history/${parts.at(-1) ?? ''}` : parts.slice(place).join('/');
    const known = found.get(path);
    if (known === undefined || depthOf(file) < depthOf(known)) {
      found.set(path, file);
    }
  }
  return {
    kind: 'folder',
    async text(path) {
      const file = found.get(path);
      if (file === undefined) {
        throw new MissingFile(path);
      }
      return file.text();
    },
  };
}

function depthOf({ webkitRelativePath }: File): number {
  return webkitRelativePath.split('/').length;
}
