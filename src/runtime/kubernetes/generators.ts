import { formatCount } from '../../foundation/numbers.ts';
import type { BlockLoad } from '../../model/load.ts';

/** A pod that sends load. */
export interface Generator {
  readonly pod: string;
  readonly node: string;
}

/** A clock minus that of this program, and by how much that may be wrong. */
export interface ClockOffset {
  readonly aheadMs: number;
  readonly errorMs: number;
}

/** Share of a core that a generator takes at most by its calibration. It is at its limit at 80%. */
const CALIBRATED_SHARE = 0.5;

/** Fewer requests say little about the CPU time of one. */
const FEWEST_REQUESTS = 200;

interface GeneratorSettings {
  readonly number: number | 'auto';
  start(signal: AbortSignal): Promise<Generator>;
  readonly log: (line: string) => void;
}

/** Generators of a run: a fixed number, or as many as the rates need by the CPU time that one takes for a request. */
export class Generators {
  readonly #settings: GeneratorSettings;
  readonly #started: Generator[] = [];
  readonly #late = new Set<string>();
  #isFewerNoted = false;
  #cpuSecondsPerRequest: number | undefined;
  #blocks = 0;
  #skewMs = 0;
  #clockErrorMs = 0;

  private constructor(settings: GeneratorSettings) {
    this.#settings = settings;
  }

  static async open(settings: GeneratorSettings, signal: AbortSignal): Promise<Generators> {
    const generators = new Generators(settings);
    await generators.#upTo(settings.number === 'auto' ? 1 : settings.number, signal);
    return generators;
  }

  get all(): readonly Generator[] {
    return this.#started;
  }

  get isUncalibrated(): boolean {
    return this.#settings.number === 'auto' && this.#cpuSecondsPerRequest === undefined;
  }

  /** Takes the CPU time of a generator for a number of requests as what it takes for each. */
  calibrate(cpuSeconds: number, requests: number): void {
    if (requests >= FEWEST_REQUESTS) {
      this.#cpuSecondsPerRequest = cpuSeconds / requests;
    }
  }

  /** Generators for a block. Those of a rate stay the same, so that both versions have as many. */
  async for(loads: readonly BlockLoad[], signal: AbortSignal): Promise<readonly Generator[]> {
    const rate = loads.reduce((sum, { load }) => sum + (load.kind === 'open' ? load.ratePerSecond : 0), 0);
    const needed = generatorsFor(rate, this.#cpuSecondsPerRequest ?? 0);
    if (needed > this.#started.length) {
      const micros = ((this.#cpuSecondsPerRequest ?? 0) * 1e6).toFixed(0);
      this.#settings.log(
        `${needed} load generators: a request takes ${micros} µs of CPU time of one, at ${formatCount(rate)}/s`,
      );
      await this.#upTo(needed, signal);
    }
    return this.#started;
  }

  nameOf({ pod, node }: Generator): string {
    const place = this.#started.findIndex((one) => one.pod === pod);
    return `load generator ${place + 1} of ${this.#started.length} (pod ${pod}, node ${node})`;
  }

  /** Notes the number of generators that send a block; the first time that it is not all of them, in the log. */
  noteFewer(count: number): void {
    if (count < this.#started.length && !this.#isFewerNoted) {
      this.#isFewerNoted = true;
      this.#settings.log(
        `${count} of ${this.#started.length} load generators send a block: one of its operations has ${count} in flight, or per second`,
      );
    }
  }

  /** Notes the share of its requests that a generator sent late; the first time that it is too high, in the log. */
  noteLate(generator: Generator, share: number): void {
    if (share > 0.01 && !this.#late.has(generator.pod)) {
      this.#late.add(generator.pod);
      this.#settings.log(
        `${this.nameOf(generator)}: ${(100 * share).toFixed(1)}% of the requests of a load were sent over 10 ms late`,
      );
    }
  }

  /** Notes when the generators of a block started, and by how much their clocks may be wrong. */
  noteStart(startsMs: readonly number[], clockErrorMs: number): void {
    this.#blocks += 1;
    this.#skewMs = Math.max(this.#skewMs, Math.max(...startsMs) - Math.min(...startsMs));
    this.#clockErrorMs = Math.max(this.#clockErrorMs, clockErrorMs);
  }

  /** For the log: how far apart the generators started; undefined if they never started together. */
  get skew(): string | undefined {
    return this.#blocks === 0
      ? undefined
      : `load generators: started ${this.#skewMs.toFixed(2)} ms apart at most in ${this.#blocks} blocks, by clocks that are known to ${this.#clockErrorMs.toFixed(2)} ms`;
  }

  async #upTo(count: number, signal: AbortSignal): Promise<void> {
    const missing = Array.from({ length: count - this.#started.length }, () => this.#settings.start(signal));
    this.#started.push(...(await Promise.all(missing)));
  }
}

/** Number of generators for a rate, of which each request takes so much CPU time. */
export function generatorsFor(ratePerSecond: number, cpuSecondsPerRequest: number): number {
  return Math.max(1, Math.ceil((ratePerSecond * cpuSecondsPerRequest) / CALIBRATED_SHARE));
}

const ASKED = 5;

/** Offset of a clock by the answer that came soonest: it is of a moment between the question and the answer. */
export async function clockOffset(atMs: () => Promise<number>, now = nowMs): Promise<ClockOffset> {
  let best: ClockOffset = { aheadMs: 0, errorMs: Number.POSITIVE_INFINITY };
  for (let asked = 0; asked < ASKED; asked += 1) {
    const before = now();
    const at = await atMs();
    const errorMs = (now() - before) / 2;
    if (errorMs < best.errorMs) {
      best = { aheadMs: at - before - errorMs, errorMs };
    }
  }
  return best;
}

/** A clock minus another; 0 if the difference may be an error of the measurement. */
export function aheadOf(one: ClockOffset, other: ClockOffset): number {
  const aheadMs = one.aheadMs - other.aheadMs;
  return Math.abs(aheadMs) > one.errorMs + other.errorMs ? aheadMs : 0;
}

/** Unix time with parts of a millisecond. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}
