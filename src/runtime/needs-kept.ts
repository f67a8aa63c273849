import type { StandingNeed } from './need-ready.ts';

/** Needs that are kept over a run: each is started when it is first asked for, and anew after it has ended by itself. */
export class KeptNeeds<Standing extends StandingNeed> implements AsyncDisposable {
  readonly #standing = new Map<string, Promise<Standing>>();

  async get(key: string, start: () => Promise<Standing>): Promise<Standing> {
    const known = this.#standing.get(key) ?? this.#begin(key, start());
    return await known;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const standing = await Promise.allSettled(this.#standing.values());
    this.#standing.clear();
    const kept = standing.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    // Against the order of their start, as they may need each other.
    for (const one of kept.toReversed()) {
      await one[Symbol.asyncDispose]();
    }
  }

  #begin(key: string, starting: Promise<Standing>): Promise<Standing> {
    const forget = (): void => {
      if (this.#standing.get(key) === starting) {
        this.#standing.delete(key);
      }
    };
    this.#standing.set(key, starting);
    starting
      .then(async (standing) => {
        await standing.ended;
        forget();
        await standing[Symbol.asyncDispose]();
      })
      .catch(forget);
    return starting;
  }
}
