import { messageOf } from '../../foundation/errors.ts';
import { counted, formatCount } from '../../foundation/numbers.ts';
import type { BlockLoad } from '../../model/load.ts';

/** Pod that sends load. */
export interface Generator {
  readonly pod: string;
  readonly node: string;
}

/** Difference of a clock from that of this program, and its maximum error. */
export interface ClockOffset {
  readonly aheadMs: number;
  readonly errorMs: number;
}

/** Share of a core that a calibrated generator uses at most. It is at its limit at 80%. */
const CALIBRATED_SHARE = 0.5;

/** With fewer requests, the CPU time per request is unreliable. */
const FEWEST_REQUESTS = 5000;

interface GeneratorSettings {
  readonly number: number | 'auto';
  start(signal: AbortSignal): Promise<Generator>;
  /** Removes the pod of a generator that can no longer be used. */
  remove(generator: Generator): Promise<void>;
  readonly log: (line: string) => void;
}

/** Generators of a run: a fixed number, or as many as the rates need, by the CPU time of one request. */
export class Generators {
  readonly #settings: GeneratorSettings;
  readonly #started: Generator[] = [];
  readonly #leftOut: Generator[] = [];
  readonly #late = new Set<string>();
  #isFewerNoted = false;
  #cpuSeconds = 0;
  #requests = 0;
  #most = Number.POSITIVE_INFINITY;
  #blocks = 0;
  #skewMs = 0;
  #clockErrorMs = 0;

  private constructor(settings: GeneratorSettings) {
    this.#settings = settings;
  }

  static async open(settings: GeneratorSettings, signal: AbortSignal): Promise<Generators> {
    const generators = new Generators(settings);
    await generators.#upTo(generators.#fewest, signal);
    return generators;
  }

  get all(): readonly Generator[] {
    return this.#started;
  }

  get isUncalibrated(): boolean {
    return this.#settings.number === 'auto' && this.#requests < FEWEST_REQUESTS;
  }

  /** Adds the CPU time of a generator for a number of requests to the calibration. */
  calibrate(cpuSeconds: number, requests: number): void {
    this.#cpuSeconds += cpuSeconds;
    this.#requests += requests;
  }

  /**
   * Generators for a block: their number never decreases, and lost ones are replaced. With `auto`, blocks before the CPU time of a request is known
   * have one: of two versions, those of the first.
   */
  async for(loads: readonly BlockLoad[], signal: AbortSignal): Promise<readonly Generator[]> {
    const { log } = this.#settings;
    // They free their resources first.
    await Promise.allSettled(this.#leftOut.splice(0).map((one) => this.#settings.remove(one)));
    const rate = loads.reduce((sum, { load }) => sum + (load.kind === 'open' ? load.ratePerSecond : 0), 0);
    const each = this.#requests < FEWEST_REQUESTS ? 0 : this.#cpuSeconds / this.#requests;
    const needed = Math.min(this.#most, generatorsFor(rate, each));
    if (needed > Math.max(this.#started.length, this.#fewest)) {
      log(
        `${needed} load generators: a request takes ${(1e6 * each).toFixed(0)} µs of CPU time of one, at ${formatCount(rate)}/s`,
      );
    }
    try {
      await this.#upTo(Math.max(needed, this.#fewest), signal);
    } catch (thrown) {
      if (signal.aborted || this.#started.length < this.#fewest) {
        throw thrown;
      }
      this.#most = this.#started.length;
      log(`goes on with ${counted(this.#most, 'load generator')}: ${messageOf(thrown)}`);
    }
    return this.#started;
  }

  /** Removes a generator that can no longer be used: the next block gets another one instead. */
  leaveOut(generator: Generator): void {
    const place = this.#started.indexOf(generator);
    if (place >= 0) {
      this.#leftOut.push(...this.#started.splice(place, 1));
    }
  }

  /** Records the number of generators that send a block, and logs the first block that does not use all of them. */
  noteFewer(count: number): void {
    if (count < this.#started.length && !this.#isFewerNoted) {
      this.#isFewerNoted = true;
      this.#settings.log(
        `${count} of ${this.#started.length} load generators send a block: one of its operations has ${count} in flight, or per second`,
      );
    }
  }

  /** Records the share of its requests that a generator sent late, and logs the first one that is too high. */
  noteLate(generator: Generator, share: number): void {
    if (share > 0.01 && !this.#late.has(generator.pod)) {
      this.#late.add(generator.pod);
      this.#settings.log(
        `${generatorName(generator)}: ${(100 * share).toFixed(1)}% of the requests of a load were sent over 10 ms late`,
      );
    }
  }

  /** Records when the generators of a block started, and the maximum error of their clocks. */
  noteStart(startsMs: readonly number[], clockErrorMs: number): void {
    this.#blocks += 1;
    this.#skewMs = Math.max(this.#skewMs, Math.max(...startsMs) - Math.min(...startsMs));
    this.#clockErrorMs = Math.max(this.#clockErrorMs, clockErrorMs);
  }

  /** Line for the log about how far apart the generators started; undefined if they never started together. */
  get skew(): string | undefined {
    return this.#blocks === 0
      ? undefined
      : `load generators: started ${this.#skewMs.toFixed(2)} ms apart at most in ${this.#blocks} blocks, by clocks that are known to ${this.#clockErrorMs.toFixed(2)} ms`;
  }

  get #fewest(): number {
    const { number } = this.#settings;
    return number === 'auto' ? 1 : number;
  }

  /** If one cannot be started, all other starts have ended once this throws, so that removing all pods of the run finds them. */
  async #upTo(count: number, signal: AbortSignal): Promise<void> {
    const stop = new AbortController();
    const either = AbortSignal.any([signal, stop.signal]);
    const starts = Array.from({ length: Math.max(0, count - this.#started.length) }, async () => {
      try {
        this.#started.push(await this.#settings.start(either));
      } catch (thrown) {
        stop.abort(thrown);
      }
    });
    await Promise.all(starts);
    stop.signal.throwIfAborted();
  }
}

/** Name of a load generator in messages. It has no number, since others replace lost ones. */
export function generatorName({ pod, node }: Generator): string {
  return `load generator ${pod} on node ${node}`;
}

export function generatorsFor(ratePerSecond: number, cpuSecondsPerRequest: number): number {
  return Math.max(1, Math.ceil((ratePerSecond * cpuSecondsPerRequest) / CALIBRATED_SHARE));
}

const TRIES = 5;

/** Offset of a clock from the fastest response, at a moment between request and response. */
export async function clockOffset(atMs: () => Promise<number>, now = nowMs): Promise<ClockOffset> {
  let best: ClockOffset = { aheadMs: 0, errorMs: Number.POSITIVE_INFINITY };
  for (let tried = 0; tried < TRIES; tried += 1) {
    const before = now();
    const at = await atMs();
    const errorMs = (now() - before) / 2;
    if (errorMs < best.errorMs) {
      best = { aheadMs: at - before - errorMs, errorMs };
    }
  }
  return best;
}

/** Difference of two clocks; 0 if it may be a measurement error. */
export function aheadOf(one: ClockOffset, other: ClockOffset): number {
  const aheadMs = one.aheadMs - other.aheadMs;
  return Math.abs(aheadMs) > one.errorMs + other.errorMs ? aheadMs : 0;
}

/** Unix time with fractions of a millisecond. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}
