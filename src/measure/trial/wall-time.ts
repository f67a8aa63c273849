import type { Clock } from '../../host/machine/clock.ts';
import { ALL_OPERATIONS, type Sample } from '../../model/metric.ts';
import type { RoundSeconds } from '../../model/run/rounds.ts';

/** What the wall time of a trial goes into, besides what is measured. */
export type Part = Exclude<keyof RoundSeconds, 'total' | 'measured' | 'turns' | 'other'> | 'load';

const MILESTONES = ['start', 'ready', 'verify'] as const;

/** Milestones on the way to subjects that are all ready. */
interface Milestones {
  readonly reach: (milestone: (typeof MILESTONES)[number]) => void;
  /** Counts the time by when the last subject came to each milestone. */
  readonly note: () => void;
}

/** Adds up the wall time of one trial by what it went into. */
export class WallTime {
  readonly #clock: Clock;
  readonly #startedMs: number;
  readonly #seconds = new Map<Part, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedMs = clock.steadyMs();
  }

  /** Does the work, and counts its time as that of the part. */
  async spend<Result>(part: Part, work: () => Promise<Result>): Promise<Result> {
    const startedMs = this.#clock.steadyMs();
    try {
      return await work();
    } finally {
      this.add(part, this.#clock.steadyMs() - startedMs);
    }
  }

  add(part: Part, milliseconds: number): void {
    this.#seconds.set(part, this.#of(part) + milliseconds / 1000);
  }

  milestones(): Milestones {
    let beforeMs = this.#clock.steadyMs();
    const lastMs = new Map<string, number>();
    return {
      reach: (milestone) => void lastMs.set(milestone, this.#clock.steadyMs()),
      note: () => {
        for (const milestone of MILESTONES) {
          const atMs = lastMs.get(milestone) ?? beforeMs;
          this.add(milestone, atMs - beforeMs);
          beforeMs = atMs;
        }
      },
    };
  }

  /** The split of the trial so far, which gave these samples. */
  split(samples: readonly Sample[]): RoundSeconds {
    const whole = samples.filter(({ cell }) => cell.operation === ALL_OPERATIONS);
    const measured = whole.reduce((sum, { measuredSeconds }) => sum + measuredSeconds, 0);
    const inLoad = { dropped: this.#of('dropped'), drain: this.#of('drain'), counters: this.#of('counters') };
    const around = {
      control: this.#of('control'),
      start: this.#of('start'),
      ready: this.#of('ready'),
      verify: this.#of('verify'),
      warmUp: this.#of('warmUp'),
      growth: this.#of('growth'),
      records: this.#of('records'),
      stop: this.#of('stop'),
    };
    const total = (this.#clock.steadyMs() - this.#startedMs) / 1000;
    return rounded({
      total,
      measured,
      ...inLoad,
      turns: Math.max(0, this.#of('load') - measured - sumOf(inLoad)),
      ...around,
      other: Math.max(0, total - this.#of('load') - sumOf(around)),
    });
  }

  #of(part: Part): number {
    return this.#seconds.get(part) ?? 0;
  }
}

function sumOf(parts: Readonly<Record<string, number>>): number {
  return Object.values(parts).reduce((sum, seconds) => sum + seconds, 0);
}

/** To the millisecond. */
function rounded(split: RoundSeconds): RoundSeconds {
  const entries = Object.entries(split).map(([part, seconds]) => [part, Math.round(seconds * 1000) / 1000]);
  return Object.fromEntries(entries) as RoundSeconds;
}
