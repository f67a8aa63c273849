import { mistakesIn } from '../../config/mistakes.ts';
import { ConfigError, type ErrorCode, knownError } from '../../foundation/errors.ts';

/** Result of a check of this machine or configuration. */
export interface Diagnosis {
  /** Subject of the check: "cores", "Docker engine". */
  readonly about: string;
  /** A problem makes measuring impossible, a warning makes it worse or takes a part of it away. */
  readonly state: 'ok' | 'warning' | 'problem';
  /** One sentence, without a full stop; may have text from outside. */
  readonly says: string;
  /** Fix, if one is needed. */
  readonly next?: string | undefined;
  /** The code of the error that a check threw. */
  readonly code?: ErrorCode;
}

export function ok(about: string, says: string): Diagnosis {
  return { about, state: 'ok', says };
}

export function warning(about: string, says: string, next: string): Diagnosis {
  return { about, state: 'warning', says, next };
}

export function problem(about: string, says: string, next: string | undefined): Diagnosis {
  return { about, state: 'problem', says, next };
}

/** Diagnoses of a KnownError, one for each mistake; rethrows other errors. */
export function failedCheck(about: string, thrown: unknown): readonly Diagnosis[] {
  const error = knownError(thrown);
  const all = error instanceof ConfigError ? mistakesIn(error) : [error];
  return all.map(({ message, next, code }) => ({ ...problem(about, message, next), code }));
}
