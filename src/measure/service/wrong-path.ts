import { MeasurementError } from '../../foundation/index.ts';
import type { Service } from '../../model/index.ts';

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
