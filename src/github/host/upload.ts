import { EnvironmentError, KnownError, messageOf } from '../../foundation/errors.ts';

/** How an upload ended; trouble is a value, since no verdict depends on it. */
export type UploadEnd =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'refused'; readonly error: KnownError }
  | {
      readonly kind: 'uploaded';
      readonly artifact: StoredArtifact;
      readonly files: number;
      /** What was too much, the largest last. */
      readonly leftOut: readonly ResultFile[];
    };

/** Uploads what the folder holds as one artifact of that name. Never rejects. */
export async function uploadResults(store: ArtifactStore, folder: ResultFolder, name: string): Promise<UploadEnd> {
  try {
    const { kept, leftOut } = fittingFiles(await folder.files());
    if (kept.length === 0) {
      return { kind: 'nothing' };
    }
    const paths = kept.map(({ path }) => path);
    return { kind: 'uploaded', artifact: await store.put(name, paths), files: kept.length, leftOut };
  } catch (thrown) {
    const error =
      thrown instanceof KnownError
        ? thrown
        : new EnvironmentError(messageOf(thrown), { code: 'WG-508', cause: thrown });
    return { kind: 'refused', error };
  }
}

/** What a reader, and the second stage, cannot do without. */
const FIRST = ['run.json', 'report.md', 'report.html'];

/** Files that are uploaded, and those that would make the artifact too large. */
interface FittingFiles {
  readonly kept: readonly ResultFile[];
  readonly leftOut: readonly ResultFile[];
}

/** The run and its reports go first, then small files before large ones, so that one huge file costs only itself. */
export function fittingFiles(files: readonly ResultFile[]): FittingFiles {
  const kept: ResultFile[] = [];
  const leftOut: ResultFile[] = [];
  let bytes = 0;
  for (const file of files.toSorted(byRank)) {
    const fits = kept.length < MOST_ARTIFACT_FILES && bytes + file.bytes <= MOST_ARTIFACT_BYTES;
    bytes += fits ? file.bytes : 0;
    (fits ? kept : leftOut).push(file);
  }
  return { kept, leftOut };
}

function byRank(left: ResultFile, right: ResultFile): number {
  return rankOf(left) - rankOf(right) || left.bytes - right.bytes || (left.path < right.path ? -1 : 1);
}

function rankOf({ path }: ResultFile): number {
  const place = FIRST.indexOf(path);
  return place === -1 ? FIRST.length : place;
}

/** A regular file below a folder. */
export interface ResultFile {
  /** From the folder, with slashes. */
  readonly path: string;
  readonly bytes: number;
}

/** The folder that the results of a job are left in. */
export interface ResultFolder {
  /** Its files and those of its folders; links, files that cannot be read and half-written ones are left out. Empty without a folder. */
  files(): Promise<readonly ResultFile[]>;
}

/** An artifact that is there now. */
export interface StoredArtifact {
  readonly id: number;
  /** Of the zip. */
  readonly bytes: number;
}

/** Where a job of a workflow leaves files. */
export interface ArtifactStore {
  /**
   * Makes one artifact of files of the folder, under their paths. Rejects with a KnownError if the service refuses or does not
   * answer.
   */
  put(name: string, paths: readonly string[]): Promise<StoredArtifact>;
}

/** What an artifact holds at most, in bytes before it is packed: uploads keep to it, and readers expect no more. */
export const MOST_ARTIFACT_BYTES = 100e6;

/** Files in an artifact. */
export const MOST_ARTIFACT_FILES = 500;

/** What neither a name of an artifact nor a path in it may have: not every file system takes it. */
const FORBIDDEN = /["<>:|*?\p{Cc}]/u;

/** Whether an artifact may have that name: it becomes the name of a file. */
export function isArtifactName(name: string): boolean {
  return name.length <= 200 && isArtifactPath(name) && !/[\\/]/.test(name);
}

/** Whether a file of an artifact may have that path. */
export function isArtifactPath(path: string): boolean {
  return path !== '' && !FORBIDDEN.test(path);
}
