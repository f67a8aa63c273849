import type { OutputFolder } from '../../host/files/output.ts';
import type { Clock } from '../../host/machine/clock.ts';
import type { Progress, ProgressState } from '../../host/terminal/progress.ts';
import { SATURATION } from '../../model/metric.ts';
import {
  offeredRate,
  operationsIn,
  type Pace,
  type Plan,
  plannedSeconds,
  type Slot,
  type Stage,
} from '../../model/plan.ts';
import type { Service } from '../../model/service.ts';
import type { Operation } from '../../model/suite/suite.ts';
import { tierWords } from '../../model/suite/tier-words.ts';
import type { Client } from '../../protocols/client.ts';
import type { Runtime } from '../../runtime/port.ts';
import type { Secrets } from '../../secrets/secrets.ts';

/** What every step of a run works with. */
export interface Bench {
  readonly plan: Plan;
  readonly services: ReadonlyMap<string, Service>;
  readonly runtime: Runtime;
  readonly client: Client;
  /** For requests, and for the texts of others that a run keeps. */
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly progress: Progress;
  readonly output: OutputFolder;
  /** No slot is begun that would not end within it; undefined: all are. */
  readonly budgetSeconds?: number | undefined;
  readonly signal: AbortSignal;
}

/** A stage about to be played, and what is known of the run so far. */
export interface Showing {
  readonly slot: Slot;
  readonly stage: Stage;
  /** Planned seconds that are behind the run. */
  readonly doneSeconds: number;
  /** Of the stage before: the tools tell what they achieved only when they end. */
  readonly achievedRps: number | undefined;
}

const REFRESH_MS = 200;

/** Keeps the progress display moving while a stage is played. */
export async function showStage<Result>(bench: Bench, showing: Showing, play: () => Promise<Result>): Promise<Result> {
  const { slot, stage, doneSeconds, achievedRps } = showing;
  const operations = operationsIn(bench.plan.suite, slot);
  const totalSeconds = plannedSeconds(bench.plan, { runtime: bench.runtime.name, services: bench.services });
  const stateAt = (elapsedSeconds: number): ProgressState => {
    const elapsed = Math.min(stage.seconds, elapsedSeconds);
    return {
      doneSeconds: doneSeconds + elapsed,
      totalSeconds,
      label: `${slot.service} ${describeSlot(slot)}`,
      phase: phaseOf(slot, stage, elapsed),
      offeredRps: offeredRps(stage.pace, operations),
      achievedRps,
    };
  };
  return await showWhile(bench, stateAt, play);
}

/** Keeps the progress display moving while something is done; the state follows from the seconds since its start. */
export async function showWhile<Result>(
  { clock, progress }: Pick<Bench, 'clock' | 'progress'>,
  stateAt: (elapsedSeconds: number) => ProgressState,
  play: () => Promise<Result>,
): Promise<Result> {
  const startedMs = clock.steadyMs();
  const played = new AbortController();
  const refresh = async (): Promise<void> => {
    while (!played.signal.aborted) {
      progress.show(stateAt((clock.steadyMs() - startedMs) / 1000));
      await clock.sleep(REFRESH_MS, played.signal).catch(() => undefined);
    }
  };
  const refreshing = refresh();
  try {
    return await play();
  } finally {
    played.abort();
    await refreshing;
  }
}

/** A slot in words, for progress and messages: "tier high (1,000 users)". */
export function describeSlot(slot: Slot): string {
  return slot.mode === 'saturate'
    ? `${SATURATION} (${slot.saturation.workers} workers)`
    : `tier ${slot.tier.name} (${tierWords(slot.tier)})`;
}

function phaseOf(slot: Slot, stage: Stage, elapsedSeconds: number): string {
  if (stage.phase === 'ramp') {
    return 'ramp';
  }
  return elapsedSeconds < slot.warmupSeconds ? 'warm-up' : 'measuring';
}

function offeredRps(pace: Pace, operations: readonly Operation[]): number | undefined {
  return pace.mode === 'open' ? offeredRate(pace.ratePerSecond, operations) : undefined;
}
