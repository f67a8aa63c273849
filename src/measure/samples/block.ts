import type { BlockSums, Sample } from '../../model/metric.ts';
import { answersBetween, firstStartMs, type MeasuredBlock, machineAround } from './machine.ts';
import { blocksOf, type ObservedLoad, type SamplePlace, samplesAt } from './observation.ts';
import { type RecordedBlock, sumOfBlock } from './summary.ts';

export interface BlockSeries extends Omit<ObservedLoad, 'blocks' | 'machine' | 'memoryMiB'> {
  readonly seconds: number;
  readonly dropSeconds: number;
  readonly blocks: readonly MeasuredBlock[];
}

/** Samples of a version under a load: of all operations, and of each. Sums over all blocks, so that drift meets both versions alike. */
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
