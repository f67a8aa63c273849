import { KnownError, messageOf } from '../../foundation/errors.ts';
import { formatMs } from '../../foundation/numbers.ts';
import type { Sample } from '../../model/metric.ts';
import { plannedSeconds, type Slot, slotSeconds, tierOf } from '../../model/plan.ts';
import type { CellFailure, SlotRun } from '../../model/run/run.ts';
import { keepIn } from '../run-file.ts';
import { AnswersDiffer } from '../service/answers.ts';
import { verify } from '../service/verify.ts';
import { ConnectionBytes } from './connection-bytes.ts';
import { measureSlot, type RunPosition } from './slot.ts';
import type { Bench } from './stage-progress.ts';
import { describeSlot } from './stage-progress.ts';

/** What a run is besides its measurements: known before the first of them. */
export type RunFacts = Omit<SlotRun, 'samples' | 'failures' | 'complete' | 'spent'>;

/**
 * The main job, with the services built: verify, measure slot by slot, keep what was measured so far in `run.json`.
 * A slot that fails is recorded and the next one is measured; an abort ends the run after its slot was cleaned up.
 * Throws KnownError if nothing can be measured at all, and AnswersDiffer if a service answers otherwise after another start.
 */
export async function benchmark(bench: Bench, head: RunFacts): Promise<SlotRun> {
  const startedMs = bench.clock.steadyMs();
  const connectionBytes = new ConnectionBytes(bench);
  const whileItStands = connectionBytes.measure;
  const verified = await verify({ ...bench, suite: bench.plan.suite, whileItStands });
  const keep = keepIn(bench.output);
  const samples: Sample[] = [];
  const failures: CellFailure[] = [];
  let loadSeconds = 0;
  let doneSeconds = 0;
  let begun = 0;
  const secondsSoFar = (): number => (bench.clock.steadyMs() - startedMs) / 1000;
  const runSoFar = (complete: boolean): SlotRun => {
    const totalSeconds = secondsSoFar();
    const spent = { totalSeconds, overheadSeconds: Math.max(0, totalSeconds - loadSeconds) };
    return { ...head, samples: [...samples], failures: [...failures], complete, spent };
  };
  for (const slot of bench.plan.slots) {
    if (!isWithinBudget(bench, slot, secondsSoFar())) {
      break;
    }
    begun += 1;
    const outcome = await outcomeOf(bench, slot, { doneSeconds, verified, connectionBytes });
    if (outcome === 'aborted') {
      break;
    }
    loadSeconds += slotSeconds(slot);
    doneSeconds += secondsOf(bench, slot);
    samples.push(...outcome.samples);
    failures.push(...outcome.failures);
    await keep(runSoFar(false));
  }
  const left = bench.signal.aborted ? 0 : bench.plan.slots.length - begun;
  const whole = runSoFar(failures.length === 0 && !bench.signal.aborted && left === 0);
  const run = left === 0 ? whole : { ...whole, plan: { ...whole.plan, cut: { slots: left, rounds: 0 } } };
  await keep(run);
  return run;
}

/** As the plan of the whole run counts it: with its start. */
function secondsOf({ runtime, services }: Bench, slot: Slot): number {
  return plannedSeconds({ slots: [slot] }, { runtime: runtime.name, services });
}

function isWithinBudget(bench: Bench, slot: Slot, spent: number): boolean {
  const { budgetSeconds, progress } = bench;
  const isWithin = budgetSeconds === undefined || spent + secondsOf(bench, slot) <= budgetSeconds;
  if (!isWithin) {
    progress.line(`the budget ended the slots before ${slot.service} ${describeSlot(slot)}, round ${slot.round}`);
  }
  return isWithin;
}

type Outcome = 'aborted' | { readonly samples: readonly Sample[]; readonly failures: readonly CellFailure[] };

async function outcomeOf(bench: Bench, slot: Slot, standing: RunPosition): Promise<Outcome> {
  if (bench.signal.aborted) {
    return 'aborted';
  }
  try {
    const samples = await measureSlot(bench, slot, standing);
    bench.progress.line(lineOf(slot, samples));
    return { samples, failures: [] };
  } catch (thrown) {
    if (bench.signal.aborted) {
      return 'aborted';
    }
    // No other slot would tell anything else.
    if (!(thrown instanceof KnownError) || thrown instanceof AnswersDiffer) {
      throw thrown;
    }
    bench.progress.line(`${slot.service} ${describeSlot(slot)}: not measured: ${messageOf(thrown)}`);
    return { samples: [], failures: [failureOf(bench, slot, thrown)] };
  }
}

function failureOf(bench: Bench, slot: Slot, error: KnownError): CellFailure {
  return {
    suite: bench.plan.suite.name,
    service: slot.service,
    tier: tierOf(slot),
    round: slot.round,
    message: bench.secrets.mask(error.message).slice(0, 2000),
    code: error.code,
    ...(error.next !== undefined && { next: bench.secrets.mask(error.next) }),
  };
}

function lineOf(slot: Slot, samples: readonly Sample[]): string {
  const whole = samples[0];
  const answered = whole?.values.achievedRps ?? 0;
  const rate = answered < FEW ? answered.toFixed(1) : Math.round(answered);
  const offered = whole?.offeredRps === undefined ? '' : ` of ${Math.round(whole.offeredRps)}`;
  const [p50, p99] = [whole?.values.latencyP50Ms, whole?.values.latencyP99Ms].map(milliseconds);
  const marks = whole === undefined || whole.marks.length === 0 ? '' : ` (${whole.marks.join(', ')})`;
  return `${slot.service} ${describeSlot(slot)}: ${rate}${offered} requests/s, p50 ${p50}, p99 ${p99}${marks}`;
}

/** Below this many per second a tenth matters. */
const FEW = 10;

function milliseconds(value: number | undefined): string {
  return value === undefined ? 'none' : formatMs(value);
}
