import { operationRate, plannedSeconds, type Slot, type Stage } from '../core/plan.ts';
import { SATURATION } from '../core/sample.ts';
import type { Drive } from './drive.ts';

/** A stage about to be played, and what is known of the run so far. */
export interface Showing {
  readonly stage: Stage;
  /** Planned seconds that are behind the run. */
  readonly doneSeconds: number;
  /** Of the stage before: the tools tell what they achieved only when they end. */
  readonly achievedRps: number | undefined;
}

const REFRESH_MS = 200;

/** Keeps the progress display moving while a stage is played. */
export async function showStage<Result>(drive: Drive, showing: Showing, play: () => Promise<Result>): Promise<Result> {
  const { clock, progress, plan } = drive.bench;
  const startedMs = clock.nowMs();
  const totalSeconds = plannedSeconds(plan);
  const played = new AbortController();
  const show = (): void => {
    const elapsed = Math.min(showing.stage.seconds, (clock.nowMs() - startedMs) / 1000);
    progress.show({
      doneSeconds: showing.doneSeconds + elapsed,
      totalSeconds,
      label: `${drive.service.name} ${describeSlot(drive.slot)}`,
      phase: phaseOf(drive, showing.stage, elapsed),
      offeredRps: offeredRps(drive, showing.stage),
      achievedRps: showing.achievedRps,
    });
  };
  const refresh = async (): Promise<void> => {
    while (!played.signal.aborted) {
      show();
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

/** A slot in words, for progress and messages: "tier high (1000 users)". */
export function describeSlot(slot: Slot): string {
  return slot.mode === 'open'
    ? `tier ${slot.tier.name} (${slot.tier.users} users)`
    : `${SATURATION} (${slot.saturation.workers} workers)`;
}

function phaseOf({ slot }: Drive, stage: Stage, elapsedSeconds: number): string {
  if (stage.phase === 'ramp') {
    return 'ramp';
  }
  return elapsedSeconds < slot.warmupSeconds ? 'warm-up' : 'measuring';
}

function offeredRps({ slot, bench }: Drive, stage: Stage): number | undefined {
  return slot.mode === 'open'
    ? bench.plan.suite.operations.reduce((sum, operation) => sum + operationRate(slot.tier, stage.users, operation), 0)
    : undefined;
}
