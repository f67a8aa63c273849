import type { EntryImport, HistoryEntry, ImportedCommit, ImportedPerson, ImportNote } from './entry.ts';
import {
  type Fields,
  fieldsOf,
  innerFields,
  LONGEST_NAME,
  LONGEST_TEXT,
  listField,
  optionalText,
  seriesField,
  textField,
} from './fields.ts';

/** What another tool said of a run, in the field `imported`; throws HistoryError. */
export function importIn(fields: Fields, count: number): Pick<HistoryEntry, 'imported'> {
  const imported = innerFields(fields, 'imported');
  return imported === undefined ? {} : { imported: importOf(imported, count) };
}

function importOf(fields: Fields, count: number): EntryImport {
  const commit = innerFields(fields, 'commit');
  return {
    tool: textField(fields, 'tool', LONGEST_NAME),
    notes: listField(fields, 'notes', count).map((note) => noteOf(fieldsOf(note, fields.place, 'a note'), count)),
    ...(commit !== undefined && { commit: commitOfImport(commit) }),
  };
}

function noteOf(fields: Fields, count: number): ImportNote {
  const range = optionalText(fields, 'range');
  const extra = optionalText(fields, 'extra');
  return {
    series: seriesField(fields, count),
    ...(range !== undefined && { range }),
    ...(extra !== undefined && { extra }),
  };
}

function commitOfImport(fields: Fields): ImportedCommit {
  const { distinct } = fields.of;
  return {
    ...textsIn(fields, ['message', 'timestamp', 'url', 'tree_id'] as const),
    ...(typeof distinct === 'boolean' && { distinct }),
    ...personIn(fields, 'author'),
    ...personIn(fields, 'committer'),
  };
}

function personIn(fields: Fields, role: 'author' | 'committer'): Pick<ImportedCommit, 'author' | 'committer'> {
  const person = innerFields(fields, role);
  return person === undefined
    ? {}
    : { [role]: textsIn(person, ['name', 'username', 'email'] as const) satisfies ImportedPerson };
}

function textsIn<Name extends string>(fields: Fields, names: readonly Name[]): { readonly [name in Name]?: string } {
  const texts = names.flatMap((name) => {
    const text = optionalText(fields, name, LONGEST_TEXT);
    return text === undefined ? [] : [[name, text] as const];
  });
  return Object.fromEntries(texts) as { readonly [name in Name]?: string };
}
