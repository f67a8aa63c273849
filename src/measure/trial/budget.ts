import type { Clock } from '../../host/machine/clock.ts';

/** Wall time that a plan may take. */
export class Budget {
  readonly #clock: Clock;
  readonly #startedMs: number;
  readonly #seconds: number;
  #longestMs = 0;

  constructor(clock: Clock, seconds = Number.POSITIVE_INFINITY) {
    this.#clock = clock;
    this.#startedMs = clock.steadyMs();
    this.#seconds = seconds;
  }

  get spentSeconds(): number {
    return (this.#clock.steadyMs() - this.#startedMs) / 1000;
  }

  get leftSeconds(): number {
    return Math.max(0, this.#seconds - this.spentSeconds);
  }

  /** Longest piece of work so far. */
  get longestSeconds(): number {
    return this.#longestMs / 1000;
  }

  /** Whether work that takes so long ends in time; by default, as long as the longest so far. */
  hasTimeFor(seconds = this.longestSeconds): boolean {
    return this.spentSeconds + seconds <= this.#seconds;
  }

  /** Result of the work, whose time is counted. */
  async spend<Result>(work: () => Promise<Result>): Promise<Result> {
    const startedMs = this.#clock.steadyMs();
    try {
      return await work();
    } finally {
      this.#longestMs = Math.max(this.#longestMs, this.#clock.steadyMs() - startedMs);
    }
  }
}
