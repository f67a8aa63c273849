import { MeasurementError } from '../../foundation/errors.ts';
import type { Clock } from '../../host/machine/clock.ts';
import type { ProgressState } from '../../host/terminal/progress.ts';
import { ALL_OPERATIONS } from '../../model/metric.ts';
import type { RoundSeconds } from '../../model/run/rounds.ts';
import type { Sample } from '../../model/run/sample.ts';
import type { TrialBench } from './bench.ts';

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

  get longestSeconds(): number {
    return this.#longestMs / 1000;
  }

  /** True if work of this length ends in time; by default, as long as the longest so far. */
  hasTimeFor(seconds = this.longestSeconds): boolean {
    return this.spentSeconds + seconds <= this.#seconds;
  }

  shorten(seconds: number): void {
    this.#longestMs = Math.max(0, this.#longestMs - seconds * 1000);
  }

  async spend<Result>(work: () => Promise<Result>): Promise<Result> {
    const startedMs = this.#clock.steadyMs();
    try {
      return await work();
    } finally {
      this.#longestMs = Math.max(this.#longestMs, this.#clock.steadyMs() - startedMs);
    }
  }
}

type Part = Exclude<keyof RoundSeconds, 'total' | 'measured' | 'turns' | 'other'> | 'load';

const MILESTONES = ['start', 'ready', 'verify'] as const;

export class WallTime {
  readonly #clock: Clock;
  readonly #startedMs: number;
  readonly #seconds = new Map<Part, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedMs = clock.steadyMs();
  }

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

  /** `note` records the time at which the last subject reached each milestone. */
  milestones() {
    let beforeMs = this.#clock.steadyMs();
    const lastMs = new Map<string, number>();
    return {
      reach: (milestone: (typeof MILESTONES)[number]) => void lastMs.set(milestone, this.#clock.steadyMs()),
      note: (): void => {
        for (const milestone of MILESTONES) {
          const atMs = lastMs.get(milestone) ?? beforeMs;
          this.add(milestone, atMs - beforeMs);
          beforeMs = atMs;
        }
      },
    };
  }

  /** Time split of the trial so far, with these samples. */
  split(samples: readonly Sample[]): RoundSeconds {
    const whole = samples.filter(({ cell }) => cell.operation === ALL_OPERATIONS);
    const measured = whole.reduce((sum, { measuredSeconds }) => sum + measuredSeconds, 0);
    const inLoad = this.#all(['dropped', 'drain', 'counters']);
    const around = this.#all(['control', 'start', 'ready', 'verify', 'warmUp', 'growth', 'records', 'stop']);
    const total = (this.#clock.steadyMs() - this.#startedMs) / 1000;
    const turns = Math.max(0, this.#of('load') - measured - sumOf(inLoad));
    const other = Math.max(0, total - this.#of('load') - sumOf(around));
    const split: RoundSeconds = { total, measured, ...inLoad, turns, ...around, other };
    const entries = Object.entries(split).map(([part, seconds]) => [part, Math.round(seconds * 1000) / 1000]);
    return Object.fromEntries(entries) as RoundSeconds;
  }

  #all<Name extends Part>(parts: readonly Name[]): Record<Name, number> {
    return Object.fromEntries(parts.map((part) => [part, this.#of(part)])) as Record<Name, number>;
  }

  #of(part: Part): number {
    return this.#seconds.get(part) ?? 0;
  }
}

function sumOf(parts: Readonly<Record<string, number>>): number {
  return Object.values(parts).reduce((sum, seconds) => sum + seconds, 0);
}

const MAX_CLOCK_STEP_MS = 50;

/** Result of the work. Throws if the machine's clock was set in the meantime, since records and readings are matched by it. */
export async function underOneClock<Result>(
  clock: Clock,
  during: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const offsetMs = clock.nowMs() - clock.steadyMs();
  const result = await work();
  const steppedMs = clock.nowMs() - clock.steadyMs() - offsetMs;
  if (Math.abs(steppedMs) > MAX_CLOCK_STEP_MS) {
    throw new MeasurementError(`the machine's clock jumped by ${Math.round(steppedMs)} ms during the ${during}`, {
      next: 'Make sure that no time service steps the clock while you measure.',
    });
  }
  return result;
}

const REFRESH_MS = 200;

/** Result of work during which the progress display moves: its state depends on the seconds since the start. */
export async function showWhile<Result>(
  { clock, progress }: Pick<TrialBench, 'clock' | 'progress'>,
  stateAt: (elapsedSeconds: number) => ProgressState,
  work: () => Promise<Result>,
): Promise<Result> {
  const startedMs = clock.steadyMs();
  const done = new AbortController();
  const refresh = async (): Promise<void> => {
    while (!done.signal.aborted) {
      progress.show(stateAt((clock.steadyMs() - startedMs) / 1000));
      await clock.sleep(REFRESH_MS, done.signal).catch(() => undefined);
    }
  };
  const refreshing = refresh();
  try {
    return await work();
  } finally {
    done.abort();
    await refreshing;
  }
}
