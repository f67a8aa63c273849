import type { MeasuredWindow, ScheduledRecords } from '../../model/load.ts';
import { ALL_OPERATIONS } from '../../model/metric.ts';
import { operationWorkers, type Pace } from '../../model/plan.ts';
import type { BlockSums, Sample, StageSample, TimeSeries } from '../../model/run/sample.ts';
import type { Reading } from '../../model/runner.ts';
import { coreLimitOf, type Service } from '../../model/service.ts';
import type { Operation, UserStage } from '../../model/suite/suite.ts';
import {
  answersBetween,
  firstStartMs,
  lastEndMs,
  type MachineSummary,
  type MeasuredBlock,
  machineAround,
  marking,
  perMessage,
  summariseMachine,
  UNREAD_HOST,
} from './machine.ts';
import { isAmong, lateInBlocks, marksOf } from './marks.ts';
import { ownSample, type PagesAround } from './own.ts';
import { repetitionsOf, timeSeries } from './series.ts';
import { type RecordedBlock, summarise, summariseBlocks, sumOfBlock } from './summary.ts';

/** Operations of a started service under a load, and data about its start. */
interface LoadedStart {
  readonly operations: readonly Operation[];
  readonly service: Pick<Service, 'entry' | 'limits' | 'cores'>;
  readonly startUpMs?: number | undefined;
  readonly firstRequestMs?: ReadonlyMap<string, number> | undefined;
  /** Bytes per request including its connection, by operation; see connectionBytesOf. */
  readonly connectionBytes?: ReadonlyMap<string, number> | undefined;
  /** Operations whose responses were longer after the load; see grownOperations. */
  readonly growing?: readonly string[] | undefined;
  readonly hasEscaped?: boolean | undefined;
}

/** One load, in one or more blocks, with the measured part of each. */
interface ObservedLoad extends LoadedStart {
  readonly mode: 'open' | 'saturate';
  /** Maximum number of requests in flight, over all operations. */
  readonly workers: number;
  readonly blocks: readonly RecordedBlock[];
  readonly machine: MachineSummary | undefined;
  readonly memoryMiB: readonly number[];
  /** Load tool's share in its busiest stage: its limit in one stage spoils the whole, however idle it was in the others. */
  readonly busiest?: number | undefined;
}

interface SamplePlace extends Pick<Sample, 'round' | 'side' | 'position'> {
  readonly cell: Omit<Sample['cell'], 'operation'>;
}

/** Samples of all operations of a load, and of each, with metrics that only this kind of load has. */
function samplesAt(
  { cell: { suite, service, tier }, round, side, position }: SamplePlace,
  load: ObservedLoad,
  others: (operation: Operation | undefined) => Partial<Sample>,
): Sample[] {
  return [undefined, ...load.operations].map((operation) => ({
    cell: { suite, service, operation: operation?.name ?? ALL_OPERATIONS, tier },
    ...{ round, side, position },
    ...others(operation),
    ...observationOf(load, operation),
  }));
}

/** Blocks with the records of a single operation, if one is given. */
function blocksOf({ blocks }: Pick<ObservedLoad, 'blocks'>, operation: Operation | undefined) {
  const isOwn = (part: ScheduledRecords) => operation === undefined || part.operation === operation.name;
  return blocks.map(({ parts, window }) => ({ parts: parts.filter(isOwn), window }));
}

/** Observation of an operation, or of all together, with the machine. */
export function observationOf(load: ObservedLoad, operation?: Operation) {
  const { mode, service, machine, memoryMiB, busiest, growing, hasEscaped } = load;
  const workers = operation === undefined ? load.workers : operationWorkers(load.workers, operation);
  const blocks = blocksOf(load, operation);
  const parts = blocks.flatMap((block) => block.parts);
  const summary = summariseBlocks(blocks);
  const { longestStallMs: _forMarks, ...figures } = summary;
  const host = machine?.host ?? UNREAD_HOST;
  const marked = marking(machine, service.cores === 'each');
  return {
    ...figures,
    values: {
      ...summary.values,
      ...(operation === undefined && machine && { ...machine.values, ...perMessage(machine.values, parts) }),
      ...bytesOf(load, operation),
      ...startValues(load, operation),
    },
    members: operation === undefined ? machine?.members : undefined,
    measuredSeconds: blocks.reduce((sum, { window }) => sum + (window.toMs - window.fromMs) / 1000, 0),
    workers,
    marks: marksOf({
      ...{ mode, workers, summary, host, hasEscaped },
      machine: busiest === undefined ? marked : { ...marked, loadCpuShare: busiest },
      lateWhileFree: lateInBlocks(blocks),
      cpus: coreLimitOf(service),
      isGrowing: isAmong(growing, operation),
      ...(operation === undefined && { memoryMiB }),
    }),
    host,
  };
}

function bytesOf({ connectionBytes, operations }: LoadedStart, operation: Operation | undefined): Sample['values'] {
  const requested = operation === undefined ? operations : [{ ...operation, share: 1 }];
  const bytes = requested.map(({ name, share }) => share * (connectionBytes?.get(name) ?? Number.NaN));
  const mean = bytes.reduce((sum, one) => sum + one, 0);
  return Number.isNaN(mean) || requested.length === 0 ? {} : { connectionBytesPerRequest: mean };
}

function startValues({ startUpMs, firstRequestMs }: LoadedStart, operation: Operation | undefined): Sample['values'] {
  const first = operation && firstRequestMs?.get(operation.name);
  return {
    ...(operation === undefined && startUpMs !== undefined && { startUpMs }),
    ...(first !== undefined && { firstRequestMs: first }),
  };
}

interface BlockSeries extends Omit<ObservedLoad, 'blocks' | 'machine' | 'memoryMiB'> {
  readonly seconds: number;
  readonly dropSeconds: number;
  readonly blocks: readonly MeasuredBlock[];
}

/** Samples of a version under a load: of all operations, and of each. Sums over all blocks, so that drift affects both versions equally. */
export function blockSamples(series: BlockSeries, place: SamplePlace): Sample[] {
  const { blocks, seconds, dropSeconds } = series;
  const recorded = blocks.map(({ parts }) => {
    const startedMs = firstStartMs(parts);
    return { parts, window: { fromMs: startedMs + dropSeconds * 1000, toMs: startedMs + seconds * 1000 } };
  });
  const load = {
    ...series,
    blocks: recorded,
    machine: machineAround(blocks),
    memoryMiB: blocks.flatMap(({ after }) => after.service.memoryMiB ?? []),
  };
  return samplesAt(place, load, (operation) => ({
    blocks: blocks.length,
    blockSums: { ...sumsOf(blocksOf(load, operation)), ...(operation === undefined && cpuOf(blocks)) },
  }));
}

function sumsOf(recorded: readonly RecordedBlock[]): BlockSums {
  const sums = recorded.map(sumOfBlock);
  return {
    requests: sums.map(({ requests }) => requests),
    latencyMs: sums.map(({ latencyMs }) => Math.round(latencyMs * 1000) / 1000),
    seconds: recorded.map(({ window }) => toMicros((window.toMs - window.fromMs) / 1000)),
  };
}

/** Undefined unless the counters of the service could be read around every block. */
function cpuOf(blocks: readonly MeasuredBlock[]): Partial<BlockSums> {
  const seconds = blocks.flatMap(({ before, after }) => {
    const [from, to] = [before.service.cpuSeconds, after.service.cpuSeconds];
    return from === undefined || to === undefined ? [] : [toMicros(Math.max(0, to - from))];
  });
  const memory = blocks.flatMap(({ after }) => after.service.memoryMiB ?? []);
  return seconds.length < blocks.length
    ? {}
    : {
        cpuSeconds: seconds,
        answers: blocks.map(({ parts, before, after }) => answersBetween(parts, before.atMs, after.atMs)),
        ...(memory.length === blocks.length && { memoryMiB: memory.map((one) => Math.round(one * 1000) / 1000) }),
      };
}

function toMicros(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

/** Records of the ramp, and of the steady block after it. */
export interface LoadRecords extends LoadedStart {
  readonly pace: Pace;
  readonly warmupSeconds: number;
  /** After the warm-up; a maximum for users without think time. */
  readonly measureSeconds: number;
  readonly ramp: readonly ScheduledRecords[];
  readonly steady: MeasuredBlock;
  /** Metrics pages of its programs before and after the steady block; undefined if none has one. */
  readonly pages?: PagesAround | undefined;
}

/** Samples of all operations, with the machine and the time series, and of each. */
export function samplesOf(records: LoadRecords, place: SamplePlace): Sample[] {
  const { pace, ramp, steady, pages } = records;
  const window = windowOf(records);
  const stages = pace.kind === 'stages' ? pace.stages : undefined;
  const staged = stages && stageSamples(records, stages);
  const shares = staged?.flatMap(({ values }) => values.loadCpuShare ?? []) ?? [];
  const whole = {
    series: withMemory(records, window.fromMs, timeSeries([...ramp, ...steady.parts], window.fromMs, stages)),
    ...(staged !== undefined && { stages: staged }),
    ...(pages !== undefined && { own: ownSample(steady.parts, pages) }),
    // A single user who sends the next request as soon as the last is answered: only then are requests comparable.
    ...(pace.kind === 'users' && pace.workers === 1 && { repetitions: repetitionsOf(steady.parts, window) }),
  };
  const load = { ...steadyLoad(records), ...(shares.length > 0 && { busiest: Math.max(...shares) }) };
  return samplesAt(place, load, (operation) => (operation === undefined ? whole : {}));
}

/** Steady block of a load. Its window begins after the warm-up. */
export function steadyLoad(records: LoadRecords): ObservedLoad {
  const { pace, steady } = records;
  const window = windowOf(records);
  return {
    ...records,
    mode: pace.kind === 'open' || pace.kind === 'stages' ? 'open' : 'saturate',
    workers: pace.workers,
    blocks: [{ parts: steady.parts, window }],
    machine: machineOf(records, window),
    memoryMiB: readingsIn(records, window).flatMap(({ service }) => service.memoryMiB ?? []),
  };
}

function withMemory({ steady }: LoadRecords, zeroMs: number, series: TimeSeries): TimeSeries {
  const bySecond = new Map(
    readingsOf(steady).flatMap(({ atMs, service: { memoryMiB } }) =>
      memoryMiB === undefined ? [] : [[Math.floor((atMs - zeroMs) / 1000), Number(memoryMiB.toFixed(3))] as const],
    ),
  );
  return bySecond.size === 0
    ? series
    : { ...series, memoryMiB: series.second.map((second) => bySecond.get(second) ?? null) };
}

function readingsOf({ before, between = [], after }: MeasuredBlock): readonly Reading[] {
  return [before, ...between, after];
}

function readingsIn({ steady }: LoadRecords, { fromMs, toMs }: MeasuredWindow): readonly Reading[] {
  return readingsOf(steady).filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
}

function machineOf(records: LoadRecords, window: MeasuredWindow): MachineSummary | undefined {
  const { pace, steady, warmupSeconds } = records;
  // All requests of users are measured: from before the first request to after the last response.
  return areUsers(pace) && warmupSeconds === 0 ? machineAround([steady]) : machineWithin(records, window);
}

function machineWithin(records: LoadRecords, window: MeasuredWindow): MachineSummary | undefined {
  const readings = readingsIn(records, window);
  const [fromMs = 0, toMs = 0] = [readings[0]?.atMs, readings.at(-1)?.atMs];
  return summariseMachine([readings], answersBetween(records.steady.parts, fromMs, toMs));
}

/** Responses per second in the first `seconds` after the first request of a block; failed ones count. */
export function answersPerSecond(parts: readonly ScheduledRecords[], seconds: number): number {
  const fromMs = firstStartMs(parts);
  return answersBetween(parts, fromMs, fromMs + seconds * 1000) / seconds;
}

/** True if the number of requests of users decides, rather than the time. */
function areUsers({ kind }: Pace): boolean {
  return kind === 'users' || kind === 'stages';
}

function windowOf({ steady: { parts }, pace, warmupSeconds, measureSeconds }: LoadRecords): MeasuredWindow {
  const fromMs = firstStartMs(parts) + warmupSeconds * 1000;
  return areUsers(pace)
    ? { fromMs: fromMs - EDGE_MS, toMs: lastEndMs(parts) + EDGE_MS }
    : { fromMs, toMs: fromMs + measureSeconds * 1000 };
}

/** Includes the first request and the last response: windows end before their last instant, and Unix time is rounded. */
const EDGE_MS = 0.01;

/** Samples of each stage: of its requests and its readings. A stage without time is left out. */
function stageSamples(records: LoadRecords, stages: readonly UserStage[]): StageSample[] {
  const { parts } = records.steady;
  const zeroMs = firstStartMs(parts);
  let [fromSeconds, fromUsers] = [0, 0];
  const samples: StageSample[] = [];
  for (const { seconds, users } of stages) {
    const fromMs = zeroMs + fromSeconds * 1000;
    if (seconds > 0) {
      const window = { fromMs, toMs: fromMs + seconds * 1000 };
      const { requests, values } = summarise(parts, window);
      const all = { ...values, ...machineWithin(records, window)?.values };
      samples.push({ fromSeconds, seconds, fromUsers, users, requests, values: all });
    }
    [fromSeconds, fromUsers] = [fromSeconds + seconds, users];
  }
  return samples;
}
