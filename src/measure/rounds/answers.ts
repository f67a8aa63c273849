import type { Side } from '../../model/order.ts';
import { type Answered, refuseDifference } from '../service/verify.ts';

/**
 * What each version answered first. All services of a version must answer alike, in every round; the two versions may answer
 * differently, since a change of an answer is no slowdown, and then it is said once.
 */
export class AnswerBook {
  readonly #first = new Map<Side, Answered>();
  readonly #note: (line: string) => void;
  #isNoted = false;

  constructor(note: (line: string) => void) {
    this.#note = note;
  }

  /** Throws MeasurementError where a service of a version answers otherwise than the version's first one. */
  check(side: Side, answered: Answered): void {
    const reference = this.#first.get(side);
    if (reference === undefined) {
      this.#first.set(side, answered);
      this.#compareVersions();
    } else {
      refuseDifference(answered, reference);
    }
  }

  #compareVersions(): void {
    const [base, head] = [this.#first.get('base'), this.#first.get('head')];
    if (base === undefined || head === undefined || this.#isNoted) {
      return;
    }
    const changed = [...head.answers].filter(([request, answer]) => base.answers.get(request) !== answer);
    if (changed.length > 0) {
      this.#isNoted = true;
      this.#note(`base and head answer ${changed.length} of ${head.answers.size} requests differently`);
    }
  }
}
