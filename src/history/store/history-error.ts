import { KnownError } from '../../foundation/errors.ts';

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
export interface HistoryPlace {
  readonly file: string;
  readonly line: number;
}

/** Why a file cannot be read, and what to do where that is something else than for others of its kind. */
type Reason = string | { readonly why: string; readonly next: string };

/** A file of the history that cannot be read; such a file is never written over. */
export class HistoryError extends KnownError {
  readonly kind: HistoryErrorKind;

  constructor(kind: HistoryErrorKind, { file, line }: HistoryPlace, reason: Reason) {
    const { why, next } = typeof reason === 'string' ? { why: reason, next: usualNext(kind, file) } : reason;
    super(`${file}:${line}: ${why}`, { next });
    this.kind = kind;
  }
}

function usualNext(kind: HistoryErrorKind, file: string): string {
  return kind !== 'newer-schema' && DERIVED.test(file) ? NEXT_DERIVED : NEXT[kind];
}
