import { KnownError } from '../errors.ts';

/** `truncated` was cut short, `newer-schema` is of a later version, `malformed` anything else that cannot be read. */
export type HistoryErrorKind = 'truncated' | 'newer-schema' | 'malformed';

const NEXT: Readonly<Record<HistoryErrorKind, string>> = {
  truncated: 'Take the last good version of the file from the history of its branch. Nothing was written.',
  'newer-schema': 'Use the version of Wiregauge that wrote it, or a newer one. Nothing was written.',
  malformed: 'Mend the place, or take the last good version of the file from its branch. Nothing was written.',
};

const DERIVED = /^history\/(?:index|changes)\.json$/;

const NEXT_DERIVED =
  'Run `wiregauge history repair`: it makes the file again from the segments that are there. Nothing was written.';

/** Where in a file of the history: the line counts from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
}

/** A file of the history that cannot be read; such a file is never written over. */
export class HistoryError extends KnownError {
  readonly kind: HistoryErrorKind;

  constructor(kind: HistoryErrorKind, { file, line }: Place, why: string) {
    super(`${file}:${line}: ${why}`, {
      next: kind !== 'newer-schema' && DERIVED.test(file) ? NEXT_DERIVED : NEXT[kind],
    });
    this.kind = kind;
  }
}
