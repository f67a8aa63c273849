import { readBytes } from '../host/files/reader.ts';

/** Fields of an ELF file of 64 bits: the place of the section headers, their size, their number, and which has the names. */
const HEADER = { entry: 24, sections: 40, sectionSize: 58, count: 60, names: 62, length: 64 } as const;

const MAGIC = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1]);

/** Flag of sections that are loaded into memory. */
const ALLOCATED = 2n;

const WITHOUT_CONTENT = 8;

/** Go's table of line numbers, which a comment changes. */
const LINES = '.gopclntab';

interface ElfSection {
  readonly name: string;
  /** Type, flags, address and size. */
  readonly about: readonly (bigint | number)[];
  readonly isLoaded: boolean;
  readonly content: Buffer;
}

/** Executed parts of a Go program, without line numbers and build IDs; undefined for any other file. */
export function executedOf(content: Buffer): readonly (Buffer | string)[] | undefined {
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

function sectionsOf(content: Buffer): readonly ElfSection[] {
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
