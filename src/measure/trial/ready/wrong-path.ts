import { KnownError, MeasurementError } from '../../../foundation/errors.ts';
import type { Service } from '../../../model/service.ts';

/** What answers, and where it was started from. */
interface AnsweringService {
  readonly service: Service;
  /** The folder that it was started or built in; undefined if that was not from here. */
  readonly folder: string | undefined;
}

/** A service that is up, and answers its first operation with nothing but 404. */
export class WrongPathError extends MeasurementError {
  static override readonly code = 'WG-307';

  readonly of: AnsweringService;

  constructor(message: string, of: AnsweringService) {
    super(message, { next: NEXT });
    this.of = of;
  }
}

const NEXT =
  'Correct the path of the operation: `wiregauge init --dry-run` prints the routes in the sources. If the service answers 404 only while it starts, name a path that shows when it is ready: `ready: { path: /health }`.';

/** The wrong path that something thrown is about: an error may stand for it in other words, without secrets or the folders of versions. */
export function wrongPathIn(thrown: unknown): WrongPathError | undefined {
  if (thrown instanceof WrongPathError) {
    return thrown;
  }
  return thrown instanceof KnownError ? wrongPathIn(thrown.cause) : undefined;
}

/** The wrong path of all of several starts at once; undefined if there is one start alone, or if another one went otherwise. */
export function sharedWrongPath(starts: readonly PromiseSettledResult<unknown>[]): WrongPathError | undefined {
  const wrong = starts.flatMap((start) => (start.status === 'rejected' ? (wrongPathIn(start.reason) ?? []) : []));
  return starts.length > 1 && wrong.length === starts.length ? wrong[0] : undefined;
}
