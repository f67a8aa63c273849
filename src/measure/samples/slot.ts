import type { MeasuredWindow, ScheduledRecords } from '../../model/load.ts';
import type { StageSample } from '../../model/metric.ts';
import { ALL_OPERATIONS, type HostReading, type Sample } from '../../model/metric.ts';
import { operationsIn, operationWorkers, type Slot, tierOf } from '../../model/plan.ts';
import type { Reading } from '../../model/runner.ts';
import type { Operation, Suite } from '../../model/suite/suite.ts';
import { summariseBlockMachine } from './block.ts';
import {
  answersBetween,
  firstStartMs,
  lastEndMs,
  type MachineSummary,
  marking,
  perMessage,
  summariseMachine,
} from './machine.ts';
import { isAmong, lateWhileFree, marksOf } from './marks.ts';
import { ownSample, type PagesAround } from './own.ts';
import { repetitionsOf } from './repetitions.ts';
import { timeSeries } from './series.ts';
import { stageSamples, stagesOf } from './stages.ts';
import { summarise } from './summary.ts';

/** All that a slot left: records of the ramp and of the steady stage, and the readings of the steady stage. */
export interface SlotRecords {
  readonly suite: Suite;
  readonly slot: Slot;
  readonly ramp: readonly ScheduledRecords[];
  readonly steady: readonly ScheduledRecords[];
  readonly readings: readonly Reading[];
  /** Requests in flight at most, over all operations. */
  readonly workers: number;
  /** The pages of its programs before the steady stage and after it; undefined if none has one. */
  readonly pages?: PagesAround | undefined;
  /** What the service may use of its core; undefined: all of it. */
  readonly cpus?: number | undefined;
  /** Whether every member has a core of its own. */
  readonly hasOwnCores?: boolean | undefined;
  /** From the start of the service to its first answer; undefined if it was not started from here. */
  readonly startUpMs?: number | undefined;
  /** Of one request with its connection, by operation; see ConnectionBytes. */
  readonly connectionBytes?: ReadonlyMap<string, number> | undefined;
  /** Operations whose answers grew while the slot was played. */
  readonly growing?: readonly string[] | undefined;
  /** Whether a program of the service left its process tree. */
  readonly hasEscaped?: boolean | undefined;
}

/**
 * The samples of a slot: one of all its operations together, with the machine's metrics and the time series, and one of
 * each. The measured window begins `warmupSeconds` after the first request of the steady stage; of users without think time, or who come
 * and go, it ends with the last answer, as users do.
 */
export function samplesOf(slot: SlotRecords): Sample[] {
  const window = windowOf(slot);
  const machine = isMeasuredWhole(slot) ? machineAround(slot) : machineWithin(slot, window);
  const stages = stagesOf(slot.slot);
  const staged = stages && stageSamples(slot, stages);
  const focus = { window, machine, busiest: busiestShare(staged) };
  const whole: Sample = {
    ...sampleOf(slot, { ...focus, operation: undefined }),
    members: machine?.members,
    series: timeSeries([...slot.ramp, ...slot.steady], window.fromMs, stages),
    ...(staged !== undefined && { stages: staged }),
    ...(slot.pages !== undefined && { own: ownSample(slot.steady, slot.pages) }),
    ...(isOneUser(slot) && { repetitions: repetitionsOf(slot.steady, window) }),
  };
  const single = operationsIn(slot.suite, slot.slot).map((operation) => sampleOf(slot, { ...focus, operation }));
  return [whole, ...single];
}

function machineWithin(
  { steady, readings }: SlotRecords,
  { fromMs, toMs }: MeasuredWindow,
): MachineSummary | undefined {
  const inWindow = readings.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
  return summariseMachine(inWindow, (from, to) => answersBetween(steady, from, to));
}

/** From before the first request to behind the last answer, like a block. */
function machineAround({ steady: parts, readings }: SlotRecords): MachineSummary | undefined {
  const [before, after] = [readings[0], readings.at(-1)];
  return before && after && summariseBlockMachine([{ parts, before, after }]);
}

interface Focus {
  readonly window: MeasuredWindow;
  readonly machine: MachineSummary | undefined;
  /** The load tool's in the busiest of the stages: its limit in one spoils the whole, however idle it was in the others. */
  readonly busiest: number | undefined;
  /** undefined: all operations together. */
  readonly operation: Operation | undefined;
}

/** What is said of the host if no two readings fell into the window: nothing was seen. */
const UNREAD_HOST: HostReading = { stealShare: 0, foreignCpuShare: 0, listenOverflows: 0, timeWaitSockets: 0 };

function sampleOf(records: SlotRecords, { window, machine, busiest, operation }: Focus): Sample {
  const { slot, suite, steady } = records;
  const parts = operation === undefined ? steady : steady.filter((part) => part.operation === operation.name);
  const summary = summarise(parts, window);
  const host = machine?.host ?? UNREAD_HOST;
  const late = Math.max(0, ...parts.map((part) => lateWhileFree(part, workersOf(records, part.operation))));
  return {
    cell: {
      suite: suite.name,
      service: slot.service,
      operation: operation?.name ?? ALL_OPERATIONS,
      tier: tierOf(slot),
    },
    round: slot.round,
    side: 'head',
    position: slot.position,
    values: {
      ...summary.values,
      ...(operation === undefined && machine && { ...machine.values, ...perMessage(machine.values, parts) }),
      ...(operation === undefined && startUpOf(records)),
      ...bytesOf(records, operation),
    },
    histogram: summary.histogram,
    requests: summary.requests,
    failures: summary.failures,
    offeredRps: summary.offeredRps,
    droppedRequests: summary.droppedRequests,
    measuredSeconds: (window.toMs - window.fromMs) / 1000,
    workers: operation === undefined ? records.workers : operationWorkers(records.workers, operation),
    marks: marksOf({
      workers: records.workers,
      mode: slot.mode === 'open' || stagesOf(slot) !== undefined ? 'open' : 'saturate',
      summary,
      machine: { ...marking(machine, records.hasOwnCores), ...(busiest !== undefined && { loadCpuShare: busiest }) },
      host,
      lateWhileFree: late,
      cpus: records.cpus,
      isGrowing: isAmong(records.growing, operation),
      hasEscaped: records.hasEscaped,
      ...(operation === undefined && { memoryMiB: memoryOf(records, window) }),
    }),
    host,
  };
}

function memoryOf({ readings }: SlotRecords, { fromMs, toMs }: MeasuredWindow): readonly number[] {
  const inWindow = readings.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
  return inWindow.flatMap(({ service }) => service.memoryMiB ?? []);
}

function startUpOf({ startUpMs }: SlotRecords): Sample['values'] {
  return startUpMs === undefined ? {} : { startUpMs };
}

/** Of all operations together the mean by their shares, if it is known of each. */
function bytesOf({ connectionBytes, suite, slot }: SlotRecords, operation: Operation | undefined): Sample['values'] {
  const asked = operation === undefined ? operationsIn(suite, slot) : [{ ...operation, share: 1 }];
  const bytes = asked.map(({ name, share }) => share * (connectionBytes?.get(name) ?? Number.NaN));
  const mean = bytes.reduce((sum, one) => sum + one, 0);
  return Number.isNaN(mean) || asked.length === 0 ? {} : { connectionBytesPerRequest: mean };
}

function busiestShare(stages: readonly StageSample[] | undefined): number | undefined {
  const shares = stages?.flatMap(({ values }) => values.loadCpuShare ?? []) ?? [];
  return shares.length === 0 ? undefined : Math.max(...shares);
}

function workersOf({ suite, slot, workers }: SlotRecords, name: string): number {
  const operation = operationsIn(suite, slot).find((one) => one.name === name);
  return operation === undefined ? workers : operationWorkers(workers, operation);
}

/** Answers per second in the first `seconds` after the first request of a stage; failed ones count as answers. */
export function answersPerSecond(parts: readonly ScheduledRecords[], seconds: number): number {
  const fromMs = firstStartMs(parts);
  return answersBetween(parts, fromMs, fromMs + seconds * 1000) / seconds;
}

/** One who sends the next request as soon as the last is answered: only then is one request like the other. */
function isOneUser({ slot }: SlotRecords): boolean {
  return slot.mode === 'closed' && slot.pace.mode === 'users' && slot.pace.workers === 1;
}

/** Users without think time and without a warm-up, of whom all is measured. */
function isMeasuredWhole({ slot }: SlotRecords): boolean {
  return slot.mode === 'closed' && slot.warmupSeconds === 0;
}

function windowOf(records: SlotRecords): MeasuredWindow {
  const { slot, steady } = records;
  const fromMs = firstStartMs(steady) + slot.warmupSeconds * 1000;
  return slot.mode === 'closed'
    ? { fromMs: fromMs - EDGE_MS, toMs: lastEndMs(steady) + EDGE_MS }
    : { fromMs, toMs: fromMs + slot.measureSeconds * 1000 };
}

/** For the first request and the last answer themselves: windows end before their last instant, and Unix time is rounded. */
const EDGE_MS = 0.01;
