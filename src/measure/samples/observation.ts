import type { MeasuredWindow, ScheduledRecords } from '../../model/load.ts';
import { ALL_OPERATIONS, type Repetitions, type Sample, type StageSample } from '../../model/metric.ts';
import { operationWorkers, type Pace } from '../../model/plan.ts';
import type { Reading } from '../../model/runner.ts';
import type { Operation, UserStage } from '../../model/suite/suite.ts';
import { summariseBlockMachine } from './block.ts';
import {
  answersBetween,
  firstStartMs,
  lastEndMs,
  type MachineSummary,
  marking,
  perMessage,
  summariseMachine,
  UNREAD_HOST,
} from './machine.ts';
import { isAmong, marksOf, mostLateWhileFree } from './marks.ts';
import { ownSample, type PagesAround } from './own.ts';
import { timeSeries } from './series.ts';
import { summarise } from './summary.ts';

/** Records of the ramp and the steady stage of a load, and the readings of the steady stage. */
export interface LoadRecords {
  /** Loaded ones, with shares that add up to 1. */
  readonly operations: readonly Operation[];
  /** Of the steady stage. */
  readonly pace: Pace;
  readonly warmupSeconds: number;
  /** Behind the warm-up; of users without think time, at most. */
  readonly measureSeconds: number;
  readonly ramp: readonly ScheduledRecords[];
  readonly steady: readonly ScheduledRecords[];
  readonly readings: readonly Reading[];
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
  /** Operations whose answers grew meanwhile. */
  readonly growing?: readonly string[] | undefined;
  /** Whether a program of the service left its process tree. */
  readonly hasEscaped?: boolean | undefined;
}

/** What was seen of a service under one load. */
export type Observation = Omit<Sample, 'cell' | 'round' | 'side' | 'position'>;

interface SamplePlace extends Pick<Sample, 'round' | 'position'> {
  readonly cell: Omit<Sample['cell'], 'operation'>;
}

/** Samples of a load at a place: one of all operations together, and one of each. */
export function samplesOf(
  records: LoadRecords,
  { cell: { suite, service, tier }, round, position }: SamplePlace,
): Sample[] {
  const { whole, single } = observationsOf(records);
  const placed = (operation: string, seen: Observation): Sample => ({
    cell: { suite, service, operation, tier },
    round,
    side: 'head',
    position,
    ...seen,
  });
  return [placed(ALL_OPERATIONS, whole), ...single.map(({ operation, seen }) => placed(operation, seen))];
}

/**
 * Observations of a load: one of all its operations together, with the machine's metrics and the time series, and one of
 * each. The measured window begins `warmupSeconds` after the first request of the steady stage; of users without think time, or who come
 * and go, it ends with the last answer, as users do.
 */
export function observationsOf(records: LoadRecords) {
  const { operations, pace, ramp, steady, pages } = records;
  const window = windowOf(records);
  const machine = isMeasuredWhole(records) ? machineAround(records) : machineWithin(records, window);
  const stages = pace.mode === 'stages' ? pace.stages : undefined;
  const staged = stages && stageSamples(records, stages);
  const focus = { window, machine, busiest: busiestShare(staged) };
  const whole: Observation = {
    ...observationOf(records, { ...focus, operation: undefined }),
    members: machine?.members,
    series: timeSeries([...ramp, ...steady], window.fromMs, stages),
    ...(staged !== undefined && { stages: staged }),
    ...(pages !== undefined && { own: ownSample(steady, pages) }),
    ...(isOneUser(records) && { repetitions: repetitionsOf(steady, window) }),
  };
  const single = operations.map((operation) => ({
    operation: operation.name,
    seen: observationOf(records, { ...focus, operation }),
  }));
  return { whole, single };
}

function machineWithin(
  { steady, readings }: LoadRecords,
  { fromMs, toMs }: MeasuredWindow,
): MachineSummary | undefined {
  const inWindow = readings.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
  return summariseMachine(inWindow, (from, to) => answersBetween(steady, from, to));
}

/** From before the first request to behind the last answer, like a block. */
function machineAround({ steady: parts, readings }: LoadRecords): MachineSummary | undefined {
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

function observationOf(records: LoadRecords, { window, machine, busiest, operation }: Focus): Observation {
  const { operations, pace, steady } = records;
  const { workers } = pace;
  const parts = operation === undefined ? steady : steady.filter((part) => part.operation === operation.name);
  const summary = summarise(parts, window);
  const { longestStallMs: _forMarks, ...figures } = summary;
  const host = machine?.host ?? UNREAD_HOST;
  return {
    ...figures,
    values: {
      ...summary.values,
      ...(operation === undefined && machine && { ...machine.values, ...perMessage(machine.values, parts) }),
      ...(operation === undefined && startUpOf(records)),
      ...bytesOf(records, operation),
    },
    measuredSeconds: (window.toMs - window.fromMs) / 1000,
    workers: operation === undefined ? workers : operationWorkers(workers, operation),
    marks: marksOf({
      workers,
      mode: pace.mode === 'open' || pace.mode === 'stages' ? 'open' : 'saturate',
      summary,
      machine: { ...marking(machine, records.hasOwnCores), ...(busiest !== undefined && { loadCpuShare: busiest }) },
      host,
      lateWhileFree: mostLateWhileFree(parts, { operations, workers }),
      cpus: records.cpus,
      isGrowing: isAmong(records.growing, operation),
      hasEscaped: records.hasEscaped,
      ...(operation === undefined && { memoryMiB: memoryOf(records, window) }),
    }),
    host,
  };
}

function memoryOf({ readings }: LoadRecords, { fromMs, toMs }: MeasuredWindow): readonly number[] {
  const inWindow = readings.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
  return inWindow.flatMap(({ service }) => service.memoryMiB ?? []);
}

function startUpOf({ startUpMs }: LoadRecords): Sample['values'] {
  return startUpMs === undefined ? {} : { startUpMs };
}

function bytesOf({ connectionBytes, operations }: LoadRecords, operation: Operation | undefined): Sample['values'] {
  const asked = operation === undefined ? operations : [{ ...operation, share: 1 }];
  const bytes = asked.map(({ name, share }) => share * (connectionBytes?.get(name) ?? Number.NaN));
  const mean = bytes.reduce((sum, one) => sum + one, 0);
  return Number.isNaN(mean) || asked.length === 0 ? {} : { connectionBytesPerRequest: mean };
}

function busiestShare(stages: readonly StageSample[] | undefined): number | undefined {
  const shares = stages?.flatMap(({ values }) => values.loadCpuShare ?? []) ?? [];
  return shares.length === 0 ? undefined : Math.max(...shares);
}

/** Answers per second in the first `seconds` after the first request of a stage; failed ones count as answers. */
export function answersPerSecond(parts: readonly ScheduledRecords[], seconds: number): number {
  const fromMs = firstStartMs(parts);
  return answersBetween(parts, fromMs, fromMs + seconds * 1000) / seconds;
}

/** One who sends the next request as soon as the last is answered: only then is one request like the other. */
function isOneUser({ pace }: LoadRecords): boolean {
  return pace.mode === 'users' && pace.workers === 1;
}

/** Users without think time and without a warm-up, of whom all is measured. */
function isMeasuredWhole({ pace, warmupSeconds }: LoadRecords): boolean {
  return areUsers(pace) && warmupSeconds === 0;
}

/** As many requests as users send, rather than as many as fit into a time. */
function areUsers({ mode }: Pace): boolean {
  return mode === 'users' || mode === 'stages';
}

function windowOf({ steady, pace, warmupSeconds, measureSeconds }: LoadRecords): MeasuredWindow {
  const fromMs = firstStartMs(steady) + warmupSeconds * 1000;
  return areUsers(pace)
    ? { fromMs: fromMs - EDGE_MS, toMs: lastEndMs(steady) + EDGE_MS }
    : { fromMs, toMs: fromMs + measureSeconds * 1000 };
}

/** For the first request and the last answer themselves: windows end before their last instant, and Unix time is rounded. */
const EDGE_MS = 0.01;

/** As many as a picture shows, evenly spread, */
const MOST_SPREAD = 400;

/** and the slowest in any case. */
const SLOWEST = 20;

/**
 * The latency of single requests that one user sent one after the other, in the order of their sending: so many of them, evenly spread,
 * and the slowest. Failed ones are left out, and counted.
 */
export function repetitionsOf(parts: readonly ScheduledRecords[], { fromMs, toMs }: MeasuredWindow): Repetitions {
  const sent = parts
    .flatMap(({ records: { originMs, startMs, latencyMs, failure } }) =>
      Array.from(startMs, (start, index) => ({
        atMs: originMs + start,
        latencyMs: latencyMs[index] ?? 0,
        isFailed: failure[index] !== 0,
      })),
    )
    .filter(({ atMs, latencyMs }) => atMs >= fromMs && atMs + latencyMs < toMs)
    .sort((one, other) => one.atMs - other.atMs)
    .map(({ latencyMs, isFailed }, index) => ({ number: index + 1, latencyMs, isFailed }))
    .filter(({ isFailed }) => !isFailed);
  const step = Math.max(1, sent.length / MOST_SPREAD);
  const slowest = new Set(sent.toSorted((one, other) => other.latencyMs - one.latencyMs).slice(0, SLOWEST));
  const kept = sent.filter(
    (one, index) => slowest.has(one) || Math.floor(index / step) !== Math.floor((index - 1) / step),
  );
  return {
    number: kept.map(({ number }) => number),
    latencyMs: kept.map(({ latencyMs }) => Number(latencyMs.toFixed(4))),
  };
}

interface StagedRecords {
  readonly steady: readonly ScheduledRecords[];
  readonly readings: readonly Reading[];
}

/**
 * What users met in each stage: of the requests that were sent in it, and of the readings that fell into it. A stage that lasts no time,
 * with which users come all at once, is left out.
 */
function stageSamples(records: StagedRecords, stages: readonly UserStage[]): StageSample[] {
  const zeroMs = firstStartMs(records.steady);
  let [fromSeconds, fromUsers] = [0, 0];
  const samples: StageSample[] = [];
  for (const { seconds, users } of stages) {
    const fromMs = zeroMs + fromSeconds * 1000;
    if (seconds > 0) {
      samples.push({
        fromSeconds,
        seconds,
        fromUsers,
        users,
        ...within(records, { fromMs, toMs: fromMs + seconds * 1000 }),
      });
    }
    [fromSeconds, fromUsers] = [fromSeconds + seconds, users];
  }
  return samples;
}

function within({ steady, readings }: StagedRecords, window: MeasuredWindow): Pick<StageSample, 'requests' | 'values'> {
  const { requests, values } = summarise(steady, window);
  const inWindow = readings.filter(({ atMs }) => atMs >= window.fromMs && atMs <= window.toMs);
  const machine = summariseMachine(inWindow, (from, to) => answersBetween(steady, from, to));
  return { requests, values: { ...values, ...machine?.values } };
}
