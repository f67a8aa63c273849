import { createHash } from 'node:crypto';
import { readBytes } from '../host/files/reader.ts';

export interface BuiltEntry {
  readonly kind: 'file' | 'folder' | 'other';
  /** Permissions, owner and content, without times; equal texts mean equal entries. */
  readonly text: string;
}

/** Entries of a build by absolute path, as the program sees them; `settings` has the start settings of the image. */
export type BuiltEntries = ReadonlyMap<string, BuiltEntry>;

export interface WatchableFiles {
  readonly paths: readonly string[];
  /** Mounts that bring them into the container, by path in the container; undefined if the program uses them in place. */
  readonly mounts?: Readonly<Record<string, string>>;
}

export interface BuildSize {
  readonly bytes: number;
  readonly layers: readonly { readonly command: string; readonly bytes: number }[];
}

export interface BuiltProgram {
  readonly name: string;
  /** ID of the build: equal IDs mean equal entries, which then need not be read; undefined without one. */
  readonly id?: string;
  /** Folder of the files, if two versions may share it, such as those of the demo in one checkout: its files then show no difference. */
  readonly folder?: string;
  /** Undefined without an image and a binary. */
  readonly size?: BuildSize | undefined;
  entries(signal: AbortSignal): Promise<BuiltEntries>;
  /** Reports when these files are opened. Throws RangeError if that is not possible here. */
  watchable(paths: readonly string[], signal: AbortSignal): Promise<WatchableFiles>;
}

/** Position of the source time in a compiled Python module, if the module is checked by that time. */
const PYC_TIME = { flags: 4, from: 8, to: 12 } as const;

/** SHA-256 of a file, without build paths, the source time of compiled Python, and the parts that a Go program does not execute. */
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

/** Fields of a 64-bit ELF file: position of the section headers, their size, their number, and the index of the one with the names. */
const HEADER = { entry: 24, sections: 40, sectionSize: 58, count: 60, names: 62, length: 64 } as const;

const MAGIC = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1]);

/** Flag of sections that are loaded into memory. */
const ALLOCATED = 2n;

const WITHOUT_CONTENT = 8;

/** Go's table of line numbers, which a comment changes. */
const LINES = '.gopclntab';

/** Executed parts of a Go program, without line numbers and build IDs; undefined for any other file. */
function executedOf(content: Buffer): readonly (Buffer | string)[] | undefined {
  if (content.length < HEADER.length || !content.subarray(0, MAGIC.length).equals(MAGIC)) {
    return undefined;
  }
  try {
    const sections = sectionsOf(content);
    return sections.some(({ name }) => name === LINES)
      ? [
          String(content.readBigUInt64LE(HEADER.entry)),
          ...sections
            .filter(({ isLoaded, name }) => isLoaded && !name.startsWith('.note.'))
            .flatMap((section) => [
              `${section.name} ${section.about.join(' ')}`,
              ...(section.name === LINES ? [] : [section.content]),
            ]),
        ]
      : undefined;
  } catch (thrown) {
    if (thrown instanceof RangeError) {
      return undefined;
    }
    throw thrown;
  }
}

/** `about` has type, flags, address and size. */
function sectionsOf(content: Buffer) {
  const start = Number(content.readBigUInt64LE(HEADER.sections));
  const size = content.readUInt16LE(HEADER.sectionSize);
  const read = (place: number) => {
    const at = start + place * size;
    const [flags, address, from, length] = [8, 16, 24, 32].map((field) => content.readBigUInt64LE(at + field));
    const [name, type] = [content.readUInt32LE(at), content.readUInt32LE(at + 4)];
    const begin = Number(from);
    const body = type === WITHOUT_CONTENT ? content.subarray(0, 0) : content.subarray(begin, begin + Number(length));
    return { name, about: [type, flags ?? 0n, address ?? 0n, length ?? 0n], flags: flags ?? 0n, body };
  };
  const names = read(content.readUInt16LE(HEADER.names)).body;
  return Array.from({ length: content.readUInt16LE(HEADER.count) }, (_, place) => {
    const { name, about, flags, body } = read(place);
    const text = names.subarray(name, names.indexOf(0, name)).toString('latin1');
    return { name: text, about, isLoaded: (flags & ALLOCATED) !== 0n, content: body };
  });
}

export function isElf(path: string): boolean {
  return readBytes(path, { most: MAGIC.length, isCut: true }).equals(MAGIC);
}
