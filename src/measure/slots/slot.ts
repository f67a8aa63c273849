import { MeasurementError } from '../../foundation/errors.ts';
import { formatCount } from '../../foundation/numbers.ts';
import { wordList } from '../../foundation/text.ts';
import { ALL_OPERATIONS, type Sample } from '../../model/metric.ts';
import { operationsIn, type Pace, type SaturationSlot, type Slot, type Stage, slotSeconds } from '../../model/plan.ts';
import type { Service } from '../../model/service.ts';
import { coreLimitOf } from '../../model/service.ts';
import { suiteFor } from '../../model/suite/groups.ts';
import { overNetwork } from '../../model/suite/network.ts';
import type { RunningService } from '../../runtime/port.ts';
import type { PagesAround } from '../samples/own.ts';
import { answersPerSecond, samplesOf } from '../samples/slot.ts';
import type { Answered } from '../service/answers.ts';
import { blamingMembers, untilItEnds } from '../service/early-exit.ts';
import { answerLengths, grownOperations } from '../service/growth.ts';
import { underOneClock } from '../service/set-clock.ts';
import { refuseOtherAnswers, untilAnswering } from '../service/verify.ts';
import type { ConnectionBytes } from './connection-bytes.ts';
import { type Drive, playStage, type StageResult } from './stage.ts';
import type { Bench } from './stage-progress.ts';
import { describeSlot, showStage } from './stage-progress.ts';

/** Where a run stands. */
export interface RunPosition {
  /** Of load that are behind it, for the progress display. */
  readonly doneSeconds: number;
  /** What services answered when they were verified, by their names. */
  readonly verified?: ReadonlyMap<string, Answered> | undefined;
  readonly connectionBytes?: ConnectionBytes | undefined;
}

/**
 * Starts the slot's service anew, loads it as the slot says, stops it, and gives the slot's samples.
 * Throws MeasurementError if the service does not get ready, ends by itself, or a load tool fails, and AnswersDiffer if it answers
 * otherwise than when it was verified.
 */
export async function measureSlot(whole: Bench, slot: Slot, standing: RunPosition): Promise<Sample[]> {
  const bench = { ...whole, plan: { ...whole.plan, suite: suiteFor(whole.plan.suite, slot.service) } };
  const samples =
    slot.mode === 'saturate'
      ? await measureWithoutErrors(bench, slot, standing)
      : await measureOnce(bench, { slot, pace: slot.pace, standing });
  refuseWithoutAnswers(slot, samples);
  return samples;
}

/** Throws MeasurementError if no request at all was answered: there is nothing to report. */
function refuseWithoutAnswers(slot: Slot, samples: readonly Sample[]): void {
  const [whole] = samples;
  if (whole !== undefined && whole.requests > 0 && whole.values.errorRate === 1) {
    const kinds = whole.failures.map(({ kind, count }) => `${formatCount(count)} x ${kind}`).slice(0, MOST_KINDS);
    throw new MeasurementError(
      `${slot.service}: all ${formatCount(whole.requests)} requests failed under ${describeSlot(slot)}: ${kinds.join(', ')}`,
      {
        code: 'WG-303',
        next: 'Check what the service printed, and whether it answers more than one request at a time.',
      },
    );
  }
}

const MOST_KINDS = 3;

/** The highest rate held without errors: if a closed loop fails requests, a fresh start with half the workers. */
async function measureWithoutErrors(bench: Bench, slot: SaturationSlot, standing: RunPosition): Promise<Sample[]> {
  for (let workers = slot.saturation.workers; ; workers = Math.floor(workers / 2)) {
    const samples = await measureOnce(bench, {
      slot,
      pace: { mode: 'saturate', workers, ...overNetwork(bench.plan.suite) },
      standing,
    });
    const failed = samples.filter(({ cell, failures }) => cell.operation === ALL_OPERATIONS && failures.length > 0);
    if (failed.length === 0 || workers <= bench.plan.suite.operations.length) {
      return samples;
    }
    bench.progress.line(`${slot.service}: requests failed with ${workers} workers; retrying with half of them`);
  }
}

interface Attempt {
  readonly slot: Slot;
  /** Of the steady load. */
  readonly pace: Pace;
  readonly standing: RunPosition;
}

async function measureOnce(bench: Bench, attempt: Attempt): Promise<Sample[]> {
  const { slot, pace } = attempt;
  const operations = operationsIn(bench.plan.suite, slot);
  const service = serviceOf(bench, slot);
  await using running = await bench.runtime.start(service, bench.signal);
  const asked = { service, address: running.address, operations };
  const startUpMs = await blamingMembers(running, async () => {
    await untilAnswering(bench, { service, running, operations });
    // The clock of an engine elsewhere may be ahead.
    const startUp =
      running.startedAtMs === undefined ? undefined : Math.max(0, bench.clock.nowMs() - running.startedAtMs);
    await refuseOtherAnswers(bench.client, asked, attempt.standing.verified?.get(service.name));
    return startUp;
  });
  const stop = new AbortController();
  const signal = AbortSignal.any([bench.signal, stop.signal]);
  const known = await bench.client.described(service, running.address);
  const before = await answerLengths(bench.client, asked);
  const { secrets, clock } = bench;
  const drive: Drive = { service: known, running, operations, secrets, clock, signal };
  const stages = underOneClock(clock, 'slot', () => blamingMembers(running, () => playStages(bench, attempt, drive)));
  const ended = untilItEnds({ service, running }, `under ${describeSlot(slot)}`);
  try {
    const { ramp, steady, pages } = await Promise.race([stages, ended]);
    const isFailing = (samples: readonly Sample[]) => samples.some(({ marks }) => marks.includes('failing'));
    const samples = async () =>
      samplesOf({
        growing: grownOperations(before, await answerLengths(bench.client, asked)),
        hasEscaped: reportEscaped(bench, service, running),
        suite: bench.plan.suite,
        slot,
        workers: pace.workers,
        cpus: coreLimitOf(service),
        hasOwnCores: service.cores === 'each',
        startUpMs,
        ramp: ramp.flatMap(({ parts }) => parts),
        steady: steady.parts,
        connectionBytes: attempt.standing.connectionBytes?.of(service.name),
        readings: steady.readings,
        pages,
      });
    return await blamingMembers(running, samples, isFailing);
  } finally {
    stop.abort();
    await Promise.allSettled([stages]);
  }
}

/** Whether programs of a service became daemons; prints their names. */
function reportEscaped({ progress }: Bench, { name }: Service, running: RunningService): boolean {
  const escaped = [...new Set(running.escaped?.() ?? [])];
  if (escaped.length > 0) {
    progress.line(
      `${name}: ${wordList(escaped)} became a daemon, so its CPU time and memory are not in the figures; start it in the foreground`,
    );
  }
  return escaped.length > 0;
}

interface Played {
  readonly ramp: readonly StageResult[];
  readonly steady: StageResult;
  readonly pages: PagesAround | undefined;
}

async function playStages(bench: Bench, { slot, pace, standing }: Attempt, drive: Drive): Promise<Played> {
  const ramp: StageResult[] = [];
  let doneSeconds = standing.doneSeconds;
  let achievedRps: number | undefined;
  const play = async (stage: Stage): Promise<StageResult> =>
    await showStage(bench, { slot, stage, doneSeconds, achievedRps }, () => playStage(drive, stage));
  for (const stage of slot.mode === 'open' ? slot.ramp : []) {
    const result = await play(stage);
    ramp.push(result);
    doneSeconds += stage.seconds;
    achievedRps = answersPerSecond(result.parts, stage.seconds);
  }
  const seconds = slotSeconds(slot) - (doneSeconds - standing.doneSeconds);
  // Outside of the readings, so that nobody measures what the pages cost.
  const before = await drive.running.pages?.();
  const steady = await play({ phase: 'steady', pace, seconds });
  const after = await drive.running.pages?.();
  return { ramp, steady, pages: before && after && { before, after } };
}

function serviceOf(bench: Bench, slot: Slot): Service {
  const service = bench.services.get(slot.service);
  if (service === undefined) {
    throw new RangeError(`the plan names the service ${slot.service}, which was not read`);
  }
  return service;
}
