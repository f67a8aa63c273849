import { mistakesIn } from '../../config/mistakes.ts';
import { ConfigError, type ErrorCode, KnownError } from '../../foundation/errors.ts';

/** What a check of this machine, or of what is to be measured, came to. */
export interface Diagnosis {
  /** What was looked at: "cores", "Docker engine". */
  readonly about: string;
  /** A problem makes measuring impossible, a warning makes it worse or takes a part of it away. */
  readonly state: 'ok' | 'warning' | 'problem';
  /** One sentence, without a full stop; may have text from outside. */
  readonly says: string;
  /** What to do about it; undefined if there is nothing to do. */
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

/** What a check threw, as a diagnosis for each mistake that it tells of; anything but a KnownError is thrown on. */
export function failedCheck(about: string, thrown: unknown): readonly Diagnosis[] {
  if (!(thrown instanceof KnownError)) {
    throw thrown;
  }
  const all = thrown instanceof ConfigError ? mistakesIn(thrown) : [thrown];
  return all.map(({ message, next, code }) => ({ ...problem(about, message, next), code }));
}
