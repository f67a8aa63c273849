/** Source of the history's files. */
export interface Source {
  readonly kind: 'web' | 'folder' | 'saved';
  /** Text of a file by its path below the page's folder; throws MissingFile if there is none. */
  text(path: string): Promise<string>;
}

/** Missing file, as opposed to one that cannot be read. */
export class MissingFile extends Error {
  constructor(path: string) {
    super(`${path} is missing`);
    this.name = 'MissingFile';
  }
}

/** Text of a file that a history may lack; undefined if it is missing. */
export async function textIfAny(source: Source, path: string): Promise<string | undefined> {
  try {
    return await source.text(path);
  } catch (thrown) {
    if (thrown instanceof MissingFile) {
      return undefined;
    }
    throw thrown;
  }
}

export function webSource(): Source {
  return {
    kind: 'web',
    async text(path) {
      // The host's cache may be older than the index, so it is revalidated.
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

/** Files of a folder that the reader selected: the page's own, its parent, or `history` within it. */
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
