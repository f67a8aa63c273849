import { operationWorkers } from '../../model/plan.ts';
import { ALL_OPERATIONS, type Sample } from '../../model/sample.ts';
import type { Operation } from '../../model/suite.ts';
import { type PlayedBlock, summariseBlockMachine } from './block-machine.ts';
import type { MachineSummary } from './machine.ts';
import { lateWhileFree, marksOf } from './marks.ts';
import { firstStartMs } from './measured-span.ts';
import { type RecordedBlock, summariseBlocks } from './summary.ts';

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
  /** What the service may use of its core; undefined: all of it. */
  readonly cpus?: number | undefined;
  readonly blockSeconds: number;
  readonly dropSeconds: number;
  readonly blocks: readonly PlayedBlock[];
}

/**
 * The samples of one version under one kind of load in one round: one of all operations together, with the machine's metrics, and
 * one of each operation. Everything is taken over all blocks together, as though they had followed one another: what drifts meets
 * both versions alike, block by block, and falls out of the ratio of their sums, but not out of that of their medians.
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
    marks: marksOf({
      mode,
      summary,
      machine: machine.values,
      host: machine.host,
      lateWhileFree: late,
      cpus: series.cpus,
    }),
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
