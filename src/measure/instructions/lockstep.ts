/**
 * Starts that are counted at once play their windows at the same times, and all as many: each window has one of the other start that is
 * compared with it. Else the last windows of the slower one would be counted on a machine that is quieter, and threads that wake each other
 * count less there.
 */
export class Lockstep {
  #starts: number;
  #hasFailed = false;
  #windows = 0;
  readonly #waiting: { readonly isDone: boolean; readonly resume: (areDone: boolean) => void }[] = [];

  constructor(starts: number) {
    this.#starts = starts;
  }

  /**
   * Waits until every start is as far; true if all of them are done. A start that is done plays windows until then. If one has failed, the
   * others are done after a window: there is nothing to compare them with.
   */
  next(isDone: boolean): Promise<boolean> {
    return new Promise((resume) => {
      this.#waiting.push({ isDone, resume });
      this.#release();
    });
  }

  /** Of a start that has ended: nobody waits for it any more. */
  leave({ hasFailed = false }: { readonly hasFailed?: boolean } = {}): void {
    this.#starts -= 1;
    this.#hasFailed ||= hasFailed;
    this.#release();
  }

  #release(): void {
    if (this.#waiting.length >= this.#starts) {
      const all = this.#waiting.splice(0);
      const areDone = all.every(({ isDone }) => isDone) || (this.#hasFailed && this.#windows > 0);
      this.#windows += 1;
      for (const { resume } of all) {
        resume(areDone);
      }
    }
  }
}
