import type { Reading } from '../counters.ts';
import { type MachineSummary, summariseMachine } from '../machine.ts';
import { lateWhileFree, marksOf } from '../marks.ts';
import type { ScheduledRecords } from '../measured.ts';
import type { MetricName } from '../metric.ts';
import { operationWorkers } from '../plan.ts';
import { ALL_OPERATIONS, type HostReading, type Sample } from '../sample.ts';
import { answersBetween, firstStartMs } from '../slot-samples.ts';
import { median } from '../statistics.ts';
import type { Operation } from '../suite.ts';
import { type RecordedBlock, summariseBlocks } from '../summary.ts';

/** All that one block left: the records of each operation, and a reading before and after it. */
export interface PlayedBlock {
  readonly parts: readonly ScheduledRecords[];
  readonly before: Reading;
  readonly after: Reading;
}

/** All blocks of one version under one kind of load in one round. */
export interface BlockSeries {
  readonly cell: { readonly suite: string; readonly service: string; readonly tier: string };
  readonly mode: 'open' | 'saturate';
  readonly operations: readonly Operation[];
  readonly round: number;
  readonly side: Sample['side'];
  readonly position: number;
  /** Requests in flight at most, over all operations. */
  readonly workers: number;
  readonly blockSeconds: number;
  readonly dropSeconds: number;
  readonly blocks: readonly PlayedBlock[];
}

/**
 * The samples of one version under one kind of load in one round: one of all operations together, with the machine's metrics, and
 * one of each operation. Latencies are taken over all blocks together; rates, CPU time and bytes are medians of the blocks.
 */
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
  const workers = operation === undefined ? series.workers : operationWorkers(series.workers, operation);
  const late = Math.max(0, ...parts.map((part) => lateWhileFree(part, workersFor(series, part.operation))));
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
    values: { ...summary.values, ...(operation === undefined && machine.values) },
    histogram: summary.histogram,
    requests: summary.requests,
    failures: summary.failures,
    offeredRps: summary.offeredRps,
    droppedRequests: summary.droppedRequests,
    measuredSeconds: recorded.reduce((sum, { window }) => sum + (window.toMs - window.fromMs) / 1000, 0),
    workers,
    marks: marksOf({ mode, summary, machine: machine.values, host: machine.host, lateWhileFree: late }),
    host: machine.host,
  };
}

function windowed(series: BlockSeries, { parts }: PlayedBlock, operation: Operation | undefined): RecordedBlock {
  const startedMs = firstStartMs(parts);
  const window = {
    fromMs: startedMs + series.dropSeconds * 1000,
    toMs: startedMs + series.blockSeconds * 1000,
  };
  return { parts: parts.filter((part) => operation === undefined || part.operation === operation.name), window };
}

function workersFor({ operations, workers }: BlockSeries, name: string): number {
  const operation = operations.find((one) => one.name === name);
  return operation === undefined ? workers : operationWorkers(workers, operation);
}

/** Counters of the kernel over each block, from idle to idle, so that no request falls between two readings. */
function summariseBlockMachine(blocks: readonly PlayedBlock[]): MachineSummary {
  const machines = blocks.flatMap(({ parts, before, after }) => {
    const machine = summariseMachine([before, after], (fromMs, toMs) => answersBetween(parts, fromMs, toMs));
    return machine === undefined ? [] : [{ ...machine, values: overLoad(machine.values, { parts, before, after }) }];
  });
  const names = new Set(machines.flatMap(({ values }) => Object.keys(values) as MetricName[]));
  const values = Object.fromEntries(
    [...names].map((name) => [
      name,
      combined(
        name,
        machines.map((machine) => machine.values[name] ?? 0),
      ),
    ]),
  );
  return { values, host: hostOf(machines.map(({ host }) => host)) };
}

/** Shares of a core hold for the time in which the service was loaded, which is a little less than that between the readings. */
function overLoad(values: MachineSummary['values'], { parts, before, after }: PlayedBlock): MachineSummary['values'] {
  const { serviceCpuShare, loadCpuShare, ...others } = values;
  const loadedMs = lastEndMs(parts) - firstStartMs(parts);
  const stretch = loadedMs > 0 ? Math.max(1, (after.atMs - before.atMs) / loadedMs) : 1;
  return {
    ...others,
    ...(serviceCpuShare !== undefined && { serviceCpuShare: serviceCpuShare * stretch }),
    ...(loadCpuShare !== undefined && { loadCpuShare: loadCpuShare * stretch }),
  };
}

function combined(name: MetricName, values: readonly number[]): number {
  return name === 'peakMemoryMiB' ? Math.max(...values) : (median(values) ?? 0);
}

function hostOf(hosts: readonly HostReading[]): HostReading {
  const mean = (read: (host: HostReading) => number): number =>
    hosts.length === 0 ? 0 : hosts.reduce((sum, host) => sum + read(host), 0) / hosts.length;
  const pressures = hosts.flatMap(({ cpuPressureShare }) => cpuPressureShare ?? []);
  return {
    stealShare: mean(({ stealShare }) => stealShare),
    foreignCpuShare: mean(({ foreignCpuShare }) => foreignCpuShare),
    ...(pressures.length === hosts.length && { cpuPressureShare: mean((host) => host.cpuPressureShare ?? 0) }),
    listenOverflows: hosts.reduce((sum, host) => sum + host.listenOverflows, 0),
    timeWaitSockets: Math.max(0, ...hosts.map((host) => host.timeWaitSockets)),
  };
}

function lastEndMs(parts: readonly ScheduledRecords[]): number {
  let last = Number.NEGATIVE_INFINITY;
  for (const { records } of parts) {
    records.startMs.forEach((start, index) => {
      last = Math.max(last, records.originMs + start + (records.latencyMs[index] ?? 0));
    });
  }
  return last;
}
