import { mistakesIn } from '../../config/mistakes.ts';
import { ConfigError, type ErrorCode, knownError } from '../../foundation/errors.ts';

export interface Diagnosis {
  /** Subject of the check: "cores", "Docker engine". */
  readonly about: string;
  /** Severity: a problem prevents measuring, a warning limits it or adds noise. */
  readonly state: 'ok' | 'warning' | 'problem';
  /** One sentence without a period; may have untrusted text. */
  readonly says: string;
  readonly next?: string | undefined;
  /** Code of the error that a check threw. */
  readonly code?: ErrorCode;
}

export function ok(about: string, says: string): Diagnosis {
  return { about, state: 'ok', says };
}

export function warning(about: string, says: string, next: string): Diagnosis {
  return { about, state: 'warning', says, next };
}

export function warningIf(isBad: boolean, about: string, says: string, details: string, next: string): Diagnosis {
  return isBad ? warning(about, `${says}${details}`, next) : ok(about, says);
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
