import { formatRate } from '../../foundation/numbers.ts';
import type { ProgressState } from '../../host/terminal/progress.ts';
import type { Sample } from '../../model/metric.ts';
import { offeredRate, type Slot, type SteadyPace } from '../../model/plan.ts';
import { coreLimitOf } from '../../model/service.ts';
import { overNetwork } from '../../model/suite/network.ts';
import { EngineLost, endSentence, isLost, WHEN_LOST } from '../../runtime/ended.ts';
import { samplesOf } from '../samples/slot.ts';
import { endOf } from '../service/early-exit.ts';
import { underOneClock } from '../service/set-clock.ts';
import { playStage, type StageResult } from '../slots/stage.ts';
import { showWhile } from '../slots/stage-progress.ts';
import { type KneeBench, STEP_WARMUP_SECONDS, type Started } from './bench.ts';
import type { Observation, Step } from './criteria.ts';

/** The load of one step. */
export interface StepLoad {
  readonly pace: SteadyPace;
  /** Measured, behind the warm-up. */
  readonly seconds: number;
  readonly purpose: Step['purpose'];
}

/**
 * Loads a service that stands ready, and gives what was seen; that it ended by itself is something that is seen. Throws
 * MeasurementError if a load tool fails, the engine loses the service or the clock is set, and the signal's reason if it aborts.
 */
export async function playStep(bench: KneeBench, place: Started, load: StepLoad): Promise<Observation> {
  const { suite, secrets, clock } = bench;
  const stop = new AbortController();
  const signal = AbortSignal.any([bench.signal, stop.signal]);
  const stage = {
    phase: 'steady',
    pace: { ...load.pace, ...overNetwork(suite) },
    seconds: STEP_WARMUP_SECONDS + load.seconds,
  } as const;
  const drive = { ...place, operations: suite.operations, secrets, clock, signal };
  const play = () => underOneClock(clock, 'step', () => playStage(drive, stage));
  const played = showWhile(bench, stateOf(bench, place, load), play);
  try {
    const outcome = await Promise.race([played, endOf(place)]);
    if ('parts' in outcome) {
      return observationOf(bench, place, { load, result: outcome });
    }
    const words = secrets.mask(`${outcome.whose}: ${endSentence(outcome.end)}`);
    if (isLost(outcome.end)) {
      throw new EngineLost(words, { next: WHEN_LOST });
    }
    return endedObservation(bench, load, words);
  } finally {
    stop.abort();
    await Promise.allSettled([played]);
  }
}

/** Where a search will end is not known: the bar tells the step. */
function stateOf({ suite }: KneeBench, { service }: Started, { pace, seconds }: StepLoad) {
  const totalSeconds = STEP_WARMUP_SECONDS + seconds;
  const offeredRps = pace.mode === 'open' ? offeredRate(pace.ratePerSecond, suite.operations) : undefined;
  const words = offeredRps === undefined ? `closed loop, ${pace.workers} workers` : `at ${formatRate(offeredRps)}`;
  return (elapsedSeconds: number): ProgressState => ({
    doneSeconds: Math.min(totalSeconds, elapsedSeconds),
    totalSeconds,
    label: `${service.name} ${words}`,
    phase: elapsedSeconds < STEP_WARMUP_SECONDS ? 'warm-up' : 'measuring',
    offeredRps,
    achievedRps: undefined,
  });
}

interface PlayedLoad {
  readonly load: StepLoad;
  readonly result: StageResult;
}

function observationOf({ suite }: KneeBench, { service }: Started, { load, result }: PlayedLoad): Observation {
  const [sample] = samplesOf({
    suite,
    slot: slotOf(service.name, load),
    workers: load.pace.workers,
    cpus: coreLimitOf(service),
    hasOwnCores: service.cores === 'each',
    ramp: [],
    steady: result.parts,
    readings: result.readings,
  });
  if (sample === undefined) {
    throw new RangeError('a step gives a sample of all operations');
  }
  return seenIn(sample, load);
}

function seenIn({ values, offeredRps, workers, requests, marks }: Sample, { seconds }: StepLoad): Observation {
  const { latencyP50Ms, latencyP99Ms, serviceCpuShare, loadCpuShare } = values;
  return {
    ...(offeredRps !== undefined && { offeredRps }),
    workers,
    measuredSeconds: seconds,
    requests,
    achievedRps: values.achievedRps ?? 0,
    errorRate: values.errorRate ?? 0,
    ...(latencyP50Ms !== undefined && { latencyP50Ms }),
    ...(latencyP99Ms !== undefined && { latencyP99Ms }),
    ...(serviceCpuShare !== undefined && { serviceCpuShare }),
    ...(loadCpuShare !== undefined && { loadCpuShare }),
    marks: [...marks],
  };
}

/** A service that is gone has answered nothing that counts. */
function endedObservation({ suite }: KneeBench, { pace }: StepLoad, ended: string): Observation {
  return {
    ...(pace.mode === 'open' && { offeredRps: offeredRate(pace.ratePerSecond, suite.operations) }),
    workers: pace.workers,
    measuredSeconds: 0,
    requests: 0,
    achievedRps: 0,
    errorRate: 0,
    marks: [],
    ended: ended.slice(0, 2000),
  };
}

/** The samples of a step are made as those of a slot are; only its place is another. */
function slotOf(service: string, { pace, seconds }: StepLoad): Slot {
  const place = { service, round: 1, position: 1, warmupSeconds: STEP_WARMUP_SECONDS, measureSeconds: seconds };
  if (pace.mode === 'saturate') {
    return { ...place, mode: 'saturate', saturation: { workers: pace.workers } };
  }
  const { ratePerSecond, workers } = pace;
  const tier = { name: 'step', requestsPerSecond: ratePerSecond, rampSeconds: 0, inFlight: workers };
  return { ...place, mode: 'open', tier, pace, ramp: [] };
}
