import { plainLines, plainText } from '../../foundation/plain-text.ts';
import type { EntryCommit, ImportedCommit } from '../store/entry.ts';
import { type Fields, innerFields, LONGEST_TEXT } from '../store/fields.ts';
import { timeText } from '../store/time-text.ts';

/** A commit of github-action-benchmark as the history knows commits: with the first line of its message. */
export function entryCommit({ of }: Fields, sha: string): EntryCommit {
  const { message, timestamp } = of;
  const subject = typeof message === 'string' ? plainText(message.split('\n', 1)[0] ?? '', LONGEST_TEXT) : '';
  const at = typeof timestamp === 'string' ? timeText(timestamp) : undefined;
  return { sha, ...(subject !== '' && { subject }), ...(at !== undefined && { at }) };
}

/** All that it says of the commit, so that an export gives it back; its texts are made harmless. */
export function importedCommit(fields: Fields): ImportedCommit {
  const { distinct } = fields.of;
  return {
    ...texts(fields, ['message', 'timestamp', 'url', 'tree_id']),
    ...(typeof distinct === 'boolean' && { distinct }),
    ...person(fields, 'author'),
    ...person(fields, 'committer'),
  };
}

function person(fields: Fields, role: 'author' | 'committer'): Pick<ImportedCommit, 'author' | 'committer'> {
  const isThere = typeof fields.of[role] === 'object' && fields.of[role] !== null;
  const found = isThere ? innerFields(fields, role) : undefined;
  return found === undefined ? {} : { [role]: texts(found, ['name', 'username', 'email']) };
}

function texts({ of }: Fields, names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = of[name];
      return typeof text === 'string' ? [[name, plainLines(text, LONGEST_TEXT)]] : [];
    }),
  );
}
