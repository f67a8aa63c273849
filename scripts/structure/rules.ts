/** Violation of a rule: the place, the mistake and the fix. A mistake about a whole folder or file has no line. */
export interface Mistake {
  readonly place: string;
  readonly line?: number;
  readonly what: string;
  readonly fix: string;
}

export interface TextFile {
  /** Path from the root of the repository, with slashes. */
  readonly path: string;
  readonly text: string;
}

export const MAX_ENTRIES = 15;
export const REPORTED_LINES = 250;
export const MAX_SIBLINGS = 2;

/** Files and subfolders of every folder, from the paths of files. */
function foldersOf(paths: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const folders = new Map<string, Set<string>>();
  for (const path of paths) {
    const parts = path.split('/');
    for (const [depth, entry] of parts.entries()) {
      const folder = parts.slice(0, depth).join('/');
      folders.set(folder, (folders.get(folder) ?? new Set()).add(entry));
    }
  }
  return folders;
}

/** `src` and folders below it with too many entries. */
export function crowdedFolders(paths: readonly string[]): readonly Mistake[] {
  return [...foldersOf(paths)]
    .filter(([folder, entries]) => /^src(?:\/|$)/.test(folder) && entries.size > MAX_ENTRIES)
    .map(([folder, { size }]) => ({
      place: `${folder}/`,
      what: `${size} entries, at most ${MAX_ENTRIES} are allowed`,
      fix: 'Move files that belong together into a subfolder, or merge small ones',
    }));
}

const stemOf = (entry: string): string => entry.replace(/(?<=.)\..*$/, '');

/** Siblings by the first word of their names; the index and the file named after the folder are exempt. */
function siblingsOf(folder: string, entries: ReadonlySet<string>): ReadonlyMap<string, readonly string[]> {
  const face = folder.slice(folder.lastIndexOf('/') + 1);
  const siblings = new Map<string, string[]>();
  for (const entry of entries) {
    const stem = stemOf(entry);
    const [prefix = stem] = stem.split('-');
    if (stem !== 'index' && stem !== face) {
      siblings.set(prefix, [...(siblings.get(prefix) ?? []), entry]);
    }
  }
  return siblings;
}

/** Siblings in a folder of src/ or scripts/ whose shared prefix replaces a folder. */
export function sharedPrefixes(paths: readonly string[]): readonly Mistake[] {
  return [...foldersOf(paths)]
    .filter(([folder]) => /^(src|scripts)(\/|$)/.test(folder))
    .flatMap(([folder, entries]) =>
      [...siblingsOf(folder, entries)]
        .filter(([, names]) => names.length > MAX_SIBLINGS)
        .map(([prefix, names]) => ({
          place: `${folder}/`,
          what: `${names.length} siblings share the prefix "${prefix}": ${names.toSorted().join(', ')}`,
          fix: `Move them into the folder ${folder}/${prefix}/, or give them names of their own`,
        })),
    );
}

/** Names that do not describe the contents. */
const EMPTY_NAMES = [
  'built',
  'common',
  'ends',
  'head',
  'helpers',
  'misc',
  'read',
  'share',
  'show',
  'stand',
  'standing',
  'utils',
];

/** Files below src/ whose name does not describe the contents. */
export function emptyNames(paths: readonly string[]): readonly Mistake[] {
  return paths
    .filter((path) => path.startsWith('src/') && EMPTY_NAMES.includes(stemOf(path.slice(path.lastIndexOf('/') + 1))))
    .map((place) => ({ place, what: 'its name does not describe its contents', fix: 'Name it after what it exports' }));
}

/** Files for review, each with its number of lines, the longest first. Biome refuses those above 500. */
export function longFiles(files: readonly TextFile[]): readonly string[] {
  return files
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - (text.endsWith('\n') ? 1 : 0) }))
    .filter(({ lines }) => lines > REPORTED_LINES)
    .toSorted((one, other) => other.lines - one.lines)
    .map(({ path, lines }) => `${path} (${lines})`);
}

interface Declaration {
  readonly name: string;
  readonly path: string;
  readonly line: number;
}

/** Names that more than one file of a stage declares and exports. A type and a value with one name in one file are one export. */
export function repeatedExports(files: readonly TextFile[]): readonly Mistake[] {
  const first = new Map<string, Declaration>();
  const repeated: Mistake[] = [];
  for (const declaration of files.flatMap((file) => exportsOf(file))) {
    const { name, path, line } = declaration;
    // Files of src itself are one stage.
    const key = `${path.split('/').slice(1, -1)[0] ?? ''} ${name}`;
    const other = first.get(key);
    if (other === undefined) {
      first.set(key, declaration);
    } else if (other.path !== path) {
      repeated.push({
        place: path,
        line,
        what: `\`${name}\` is already exported by ${other.path}:${other.line}`,
        fix: 'Rename one of the two, or import the other',
      });
    }
  }
  return repeated;
}

/** Declaration at the start of a line, as formatted. Re-exports are declared in their own file. */
const EXPORTED = /^export (?:abstract |async |declare )*(?:function\*?|class|interface|type|const|let) (\w+)/;

function exportsOf({ path, text }: TextFile): readonly Declaration[] {
  return text.split('\n').flatMap((content, index) => {
    const name = EXPORTED.exec(content)?.[1];
    return name === undefined ? [] : [{ name, path, line: index + 1 }];
  });
}

/** Operation that only one place of the program may perform, for all others. */
interface OnlyWay {
  readonly pattern: RegExp;
  /** Prefixes of permitted paths. */
  readonly places: readonly string[];
  readonly what: string;
  readonly fix: string;
}

const READERS =
  'copyFile|copyFileSync|cp|cpSync|readFile|readFileSync|createReadStream|open|openSync|openAsBlob|read|readSync|readv|readvSync|promises';

const ONLY_WAYS: readonly OnlyWay[] = [
  {
    pattern: new RegExp(
      `^import (?:\\{(?:[^}]*[\\s,])?(?:${READERS})[\\s,][^}]*\\}|\\* as \\w+|\\w+)[^;{}]*from 'node:fs(?:/promises)?'|(?:require|import)\\('node:fs`,
      'm',
    ),
    places: [
      'src/host/files/reader.ts',
      // They open files to write, and folders.
      'src/host/files/output.ts',
      'src/host/files/own-folders.ts',
      // They copy the index of git, files of Valgrind, and those of this package, to which no other file refers.
      'src/host/git/submodules.ts',
      'src/runtime/docker/counting.ts',
      'src/project/own-root.ts',
    ],
    what: 'reads a file without its bounds',
    fix: 'Read it with `readText`, `readBytes` or `readInside` of src/host/files/reader.ts',
  },
  {
    pattern:
      /\bprocess\.(?:stdout|stderr|_rawDebug|emitWarning)\b|\{[^}]*\b(?:stdout|stderr)\b[^}]*\} = process\b|\bconsole\.|\bwriteSync\(|\{[^}]*\b(?:setSecret|setFailed|debug|info|notice|warning|error|group|startGroup|endGroup)\b[^}]*\} from '@actions\/core'/m,
    // A mask has to be the raw secret.
    places: ['src/host/terminal/', 'src/github/host/workflow-host.ts'],
    what: 'prints what may steer a terminal or a workflow',
    fix: 'Print it with `print`, `printLine`, `printJson` or `printCommand` of src/host/terminal/output.ts',
  },
];

/** Files of src/ that perform an operation reserved for another place. */
export function detours(files: readonly TextFile[]): readonly Mistake[] {
  return ONLY_WAYS.flatMap(({ pattern, places, what, fix }) =>
    files.flatMap(({ path, text }) => {
      const found = places.some((place) => path.startsWith(place)) ? null : pattern.exec(text);
      return found === null ? [] : [{ place: path, line: text.slice(0, found.index).split('\n').length, what, fix }];
    }),
  );
}
