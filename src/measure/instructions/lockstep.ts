/**
 * Starts that are counted at once play their windows at the same times, and all as many: each window has one of the other start that is
 * compared with it. Else the last windows of the slower one would be counted on a machine that is quieter, and threads that wake each other
 * count less there.
 */
export class Lockstep {
  #starts: number;
  readonly #waiting: { readonly isDone: boolean; readonly resume: (areDone: boolean) => void }[] = [];

  constructor(starts: number) {
    this.#starts = starts;
  }

  /** Waits until every start is as far; true if all of them are done. A start that is done plays windows until then. */
  next(isDone: boolean): Promise<boolean> {
    return new Promise((resume) => {
      this.#waiting.push({ isDone, resume });
      this.#release();
    });
  }

  /** Of a start that has ended, in whatever way: nobody waits for it any more. */
  leave(): void {
    this.#starts -= 1;
    this.#release();
  }

  #release(): void {
    if (this.#waiting.length >= this.#starts) {
      const all = this.#waiting.splice(0);
      const areDone = all.every(({ isDone }) => isDone);
      for (const { resume } of all) {
        resume(areDone);
      }
    }
  }
}
