import { createHash } from 'node:crypto';
import { executedOf } from './elf.ts';

export interface BuiltEntry {
  readonly kind: 'file' | 'folder' | 'other';
  /** Rights, owner and content, without times; equal texts mean equal entries. */
  readonly text: string;
}

/** Entries of a build by their absolute paths, as the program sees them; `settings` has what the image says of its start. */
export type BuiltEntries = ReadonlyMap<string, BuiltEntry>;

export interface WatchableFiles {
  readonly paths: readonly string[];
  /** Mounts that bring them into the container, by the path in the container; undefined if the program uses them where they are. */
  readonly mounts?: Readonly<Record<string, string>>;
}

export interface BuildSize {
  readonly bytes: number;
  readonly layers: readonly { readonly command: string; readonly bytes: number }[];
}

export interface BuiltProgram {
  readonly name: string;
  /** Equal texts mean equal entries, which then need not be read; undefined if only the entries show it. */
  readonly id?: string;
  /** Folder of the files, if two versions may share it, as those of the demo share a checkout: its files then show no difference. */
  readonly folder?: string;
  /** Undefined if it has no image and no binary. */
  readonly size?: BuildSize | undefined;
  entries(signal: AbortSignal): Promise<BuiltEntries>;
  /** Makes opens of these files visible. Throws RangeError if that is not possible here. */
  watchable(paths: readonly string[], signal: AbortSignal): Promise<WatchableFiles>;
}

/** Where a compiled Python module has the time of its source, if it is one that is checked by that time. */
const PYC_TIME = { flags: 4, from: 8, to: 12 } as const;

/** SHA-256 of a file, without build paths, the source time of compiled Python, and what a Go program does not execute. */
export function contentHash(path: string, content: Buffer, folder?: string): string {
  const hash = createHash('sha256');
  const isTimed = path.endsWith('.pyc') && content.length >= PYC_TIME.to && content.readUInt32LE(PYC_TIME.flags) === 0;
  const pieces = isTimed
    ? [content.subarray(0, PYC_TIME.from), content.subarray(PYC_TIME.to)]
    : (executedOf(content) ?? [content]);
  for (const piece of pieces) {
    for (const part of folder === undefined ? [piece] : withoutFolder(Buffer.from(piece), folder)) {
      hash.update(part);
    }
  }
  return hash.digest('hex');
}

function withoutFolder(content: Buffer, folder: string): readonly (Buffer | string)[] {
  const parts: (Buffer | string)[] = [];
  let from = 0;
  for (let at = content.indexOf(folder); at >= 0; at = content.indexOf(folder, from)) {
    parts.push(content.subarray(from, at), '\0folder\0');
    from = at + Buffer.byteLength(folder);
  }
  return [...parts, content.subarray(from)];
}
