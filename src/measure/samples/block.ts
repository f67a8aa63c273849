import type { ScheduledRecords } from '../../model/load.ts';
import { ALL_OPERATIONS, type BlockSums, type Sample } from '../../model/metric.ts';
import { operationWorkers } from '../../model/plan.ts';
import type { MemberCounters, Reading } from '../../model/runner.ts';
import type { Operation } from '../../model/suite/suite.ts';
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
import { isAmong, lateInBlocks, marksOf } from './marks.ts';
import { type RecordedBlock, summariseBlocks, sumOfBlock } from './summary.ts';

/** All that one block left: the records of each operation, and a reading before and after it. */
export interface MeasuredBlock {
  readonly parts: readonly ScheduledRecords[];
  readonly before: Reading;
  readonly after: Reading;
}

/** For a stopped clock. */
const UNREAD: MachineSummary = { values: {}, host: UNREAD_HOST };

/** Counters over all blocks, each from idle to idle. The differences are summed first: a block is little longer than a tick. */
export function summariseBlockMachine(blocks: readonly MeasuredBlock[]): MachineSummary {
  const [from, to] = endToEnd(blocks);
  const answers = blocks.reduce(
    (sum, { parts, before, after }) => sum + answersBetween(parts, before.atMs, after.atMs),
    0,
  );
  const machine = summariseMachine([from, to], () => answers);
  return machine === undefined ? UNREAD : { ...machine, values: overLoad(machine.values, blocks) };
}

type Counter = (reading: Reading) => number | undefined;

/** Two readings that differ by what all blocks added to the counters. */
function endToEnd(blocks: readonly MeasuredBlock[]): readonly [Reading, Reading] {
  const sum = (read: Counter): number =>
    blocks.reduce((total, { before, after }) => total + (read(after) ?? 0) - (read(before) ?? 0), 0);
  const most = (read: Counter): number =>
    Math.max(0, ...blocks.flatMap(({ before, after }) => [read(before) ?? 0, read(after) ?? 0]));
  const ifSeen = (read: Counter, over: (read: Counter) => number): number | undefined =>
    blocks.every(({ before, after }) => read(before) !== undefined && read(after) !== undefined)
      ? over(read)
      : undefined;
  const members = Object.keys(blocks[0]?.before.members ?? {});
  const memberOver = (name: string, over: typeof sum): MemberCounters => ({
    cpuSeconds: over((reading) => reading.members?.[name]?.cpuSeconds),
    peakMemoryMiB: most((reading) => reading.members?.[name]?.peakMemoryMiB),
    receivedBytes: ifSeen((reading) => reading.members?.[name]?.receivedBytes, over),
    sentBytes: ifSeen((reading) => reading.members?.[name]?.sentBytes, over),
  });
  const reading = (over: typeof sum): Reading => ({
    atMs: over(({ atMs }) => atMs),
    service: {
      cpuSeconds: ifSeen(({ service }) => service.cpuSeconds, over),
      memoryMiB: ifSeen(({ service }) => service.memoryMiB, most),
      peakMemoryMiB: ifSeen(({ service }) => service.peakMemoryMiB, most),
      wireBytes: ifSeen(({ service }) => service.wireBytes, over),
    },
    ...(members.length > 0 && { members: Object.fromEntries(members.map((name) => [name, memberOver(name, over)])) }),
    loadCpuSeconds: over(({ loadCpuSeconds }) => loadCpuSeconds),
    needsCpuSeconds: ifSeen(({ needsCpuSeconds }) => needsCpuSeconds, over),
    host: {
      busySeconds: over(({ host }) => host.busySeconds),
      stealSeconds: over(({ host }) => host.stealSeconds),
      cpuPressureSeconds: ifSeen(({ host }) => host.cpuPressureSeconds, over),
      listenOverflows: over(({ host }) => host.listenOverflows),
      timeWaitSockets: most(({ host }) => host.timeWaitSockets),
    },
  });
  return [reading(() => 0), reading(sum)];
}

function overLoad(values: MachineSummary['values'], blocks: readonly MeasuredBlock[]): MachineSummary['values'] {
  const loadedMs = blocks.reduce((sum, { parts }) => sum + Math.max(0, lastEndMs(parts) - firstStartMs(parts)), 0);
  const readMs = blocks.reduce((sum, { before, after }) => sum + after.atMs - before.atMs, 0);
  const stretch = loadedMs > 0 ? Math.max(1, readMs / loadedMs) : 1;
  const perSecond = PER_SECOND.flatMap((metric) => {
    const value = values[metric];
    return value === undefined ? [] : [[metric, value * stretch]];
  });
  return { ...values, ...Object.fromEntries(perSecond) };
}

const PER_SECOND = ['serviceCpuShare', 'loadCpuShare', 'wireMegabytesPerSecond'] as const;

export interface BlockSeries {
  readonly cell: { readonly suite: string; readonly service: string; readonly tier: string };
  readonly mode: 'open' | 'saturate';
  readonly operations: readonly Operation[];
  readonly round: number;
  readonly side: Sample['side'];
  readonly position: number;
  /** Requests in flight at most, over all operations. */
  readonly workers: number;
  readonly cpus?: number | undefined;
  readonly hasOwnCores?: boolean | undefined;
  readonly blockSeconds: number;
  readonly dropSeconds: number;
  readonly blocks: readonly MeasuredBlock[];
  readonly growing?: readonly string[] | undefined;
  readonly hasEscaped?: boolean | undefined;
}

/** Samples of a version under a load: of all operations, and of each. Sums over all blocks, so that drift meets both versions alike. */
export function blockSamples(series: BlockSeries): Sample[] {
  const machine = summariseBlockMachine(series.blocks);
  const single = series.operations.map((operation) => sampleOf(series, machine, operation));
  return [sampleOf(series, machine, undefined), ...single];
}

function sampleOf(series: BlockSeries, machine: MachineSummary, operation: Operation | undefined): Sample {
  const { cell, mode, blocks } = series;
  const recorded = blocks.map((block) => windowed(series, block, operation));
  const parts = recorded.flatMap((block) => block.parts);
  const summary = summariseBlocks(recorded);
  const { longestStallMs: _forMarks, ...figures } = summary;
  const workers = operation === undefined ? series.workers : operationWorkers(series.workers, operation);
  return {
    cell: {
      suite: cell.suite,
      service: cell.service,
      operation: operation?.name ?? ALL_OPERATIONS,
      tier: cell.tier,
    },
    round: series.round,
    side: series.side,
    position: series.position,
    blocks: blocks.length,
    blockSums: { ...sumsOf(recorded), ...(operation === undefined && cpuOf(blocks)) },
    ...figures,
    values: {
      ...summary.values,
      ...(operation === undefined && { ...machine.values, ...perMessage(machine.values, parts) }),
    },
    members: operation === undefined ? machine.members : undefined,
    measuredSeconds: recorded.reduce((sum, { window }) => sum + (window.toMs - window.fromMs) / 1000, 0),
    workers,
    marks: marksOf({
      mode,
      workers,
      summary,
      machine: marking(machine, series.hasOwnCores),
      host: machine.host,
      lateWhileFree: lateInBlocks(recorded),
      cpus: series.cpus,
      isGrowing: isAmong(series.growing, operation),
      hasEscaped: series.hasEscaped,
      ...(operation === undefined && { memoryMiB: blocks.flatMap(({ after }) => after.service.memoryMiB ?? []) }),
    }),
    host: machine.host,
  };
}

function sumsOf(recorded: readonly RecordedBlock[]): BlockSums {
  const sums = recorded.map(sumOfBlock);
  return {
    requests: sums.map(({ requests }) => requests),
    latencyMs: sums.map(({ latencyMs }) => Math.round(latencyMs * 1000) / 1000),
    seconds: recorded.map(({ window }) => toMicros((window.toMs - window.fromMs) / 1000)),
  };
}

/** Only if the counters of the service could be read around every block. */
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

function windowed(series: BlockSeries, { parts }: MeasuredBlock, operation: Operation | undefined): RecordedBlock {
  const startedMs = firstStartMs(parts);
  const window = {
    fromMs: startedMs + series.dropSeconds * 1000,
    toMs: startedMs + series.blockSeconds * 1000,
  };
  return { parts: parts.filter((part) => operation === undefined || part.operation === operation.name), window };
}
