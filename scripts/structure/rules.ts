import ts from 'typescript';

/** A broken rule: where, what, and what to do. A mistake about a whole folder or file has no line. */
export interface Mistake {
  readonly place: string;
  readonly line?: number;
  readonly what: string;
  readonly fix: string;
}

export interface TextFile {
  /** From the root of the repository, with slashes. */
  readonly path: string;
  readonly text: string;
}

export const MOST_ENTRIES = 15;
export const MOST_LINES = 500;
export const MOST_SIBLINGS = 2;

/** Files and subfolders of every folder, of the files with these paths. */
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

/** Folders below src/ with too many entries; src/ itself holds one folder per stage. */
export function crowdedFolders(paths: readonly string[]): readonly Mistake[] {
  return [...foldersOf(paths)]
    .filter(([folder, entries]) => folder.startsWith('src/') && entries.size > MOST_ENTRIES)
    .map(([folder, { size }]) => ({
      place: `${folder}/`,
      what: `${size} entries, at most ${MOST_ENTRIES} are allowed`,
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

/** Siblings in a folder of src/ or scripts/ whose shared prefix stands in for a folder. */
export function sharedPrefixes(paths: readonly string[]): readonly Mistake[] {
  return [...foldersOf(paths)]
    .filter(([folder]) => /^(src|scripts)(\/|$)/.test(folder))
    .flatMap(([folder, entries]) =>
      [...siblingsOf(folder, entries)]
        .filter(([, names]) => names.length > MOST_SIBLINGS)
        .map(([prefix, names]) => ({
          place: `${folder}/`,
          what: `${names.length} siblings share the prefix "${prefix}": ${names.toSorted().join(', ')}`,
          fix: `Move them into the folder ${folder}/${prefix}/, or give them names of their own`,
        })),
    );
}

/** Names that leave open what is inside. */
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

/** Files below src/ whose name says nothing of what is inside. */
export function emptyNames(paths: readonly string[]): readonly Mistake[] {
  return paths
    .filter((path) => path.startsWith('src/') && EMPTY_NAMES.includes(stemOf(path.slice(path.lastIndexOf('/') + 1))))
    .map((place) => ({ place, what: 'its name does not say what is inside', fix: 'Name it after what it exports' }));
}

export function longFiles(files: readonly TextFile[]): readonly Mistake[] {
  return files
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - (text.endsWith('\n') ? 1 : 0) }))
    .filter(({ lines }) => lines > MOST_LINES)
    .map(({ path, lines }) => ({
      place: path,
      line: MOST_LINES + 1,
      what: `${lines} lines, at most ${MOST_LINES} are allowed`,
      fix: 'Split the file by what it does',
    }));
}

interface Declaration {
  readonly name: string;
  readonly path: string;
  readonly line: number;
}

/** Every name that more than one file of a stage declares and exports. A type and a value of one name in one file are one export. */
export function repeatedExports(files: readonly TextFile[]): readonly Mistake[] {
  const first = new Map<string, Declaration>();
  const repeated: Mistake[] = [];
  for (const declaration of files.flatMap((file) => exportsOf(file))) {
    const { name, path, line } = declaration;
    // What lies in src itself is one stage.
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

/** What a file declares and exports. What it exports from another file, or imports and exports, is declared there. */
function exportsOf({ path, text }: TextFile): readonly Declaration[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const listed = new Set(source.statements.flatMap(listedNames));
  return source.statements.flatMap((statement) =>
    declaredNames(statement)
      .filter((name) => isExported(statement) || listed.has(name.text))
      .map((name) => ({
        name: name.text,
        path,
        line: source.getLineAndCharacterOfPosition(name.getStart(source)).line + 1,
      })),
  );
}

/** The local names in `export { one, two as three }`. */
function listedNames(statement: ts.Statement): readonly string[] {
  if (!ts.isExportDeclaration(statement) || statement.moduleSpecifier !== undefined) {
    return [];
  }
  const { exportClause } = statement;
  return exportClause !== undefined && ts.isNamedExports(exportClause)
    ? exportClause.elements.map(({ name, propertyName }) => (propertyName ?? name).text)
    : [];
}

function isExported(statement: ts.Statement): boolean {
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

function declaredNames(statement: ts.Statement): readonly ts.Identifier[] {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap(({ name }) => boundNames(name));
  }
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement);
  return isNamed && statement.name !== undefined ? [statement.name] : [];
}

/** The names that a declaration binds, such as both of `const { one, two }`. */
function boundNames(name: ts.BindingName): readonly ts.Identifier[] {
  return ts.isIdentifier(name)
    ? [name]
    : name.elements.flatMap((element) => (ts.isBindingElement(element) ? boundNames(element.name) : []));
}
