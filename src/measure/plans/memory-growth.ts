import { MeasurementError } from '../../foundation/errors.ts';
import { LEAST_LONG, unclearGrowth } from '../../judge/counts/memory-growth.ts';
import type { MemoryGrowthRecord, MemoryStart } from '../../model/run/memory-growth.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { saturationLoad, warmUp } from '../trial/blocks.ts';
import { attempted, blaming } from '../trial/failure.ts';
import { runBlock } from '../trial/loads.ts';
import { type ReadySubject, runTrial } from '../trial/runner.ts';
import { benchFor, type RoundBench, startedTogether, versionTrial } from '../trial/versions.ts';

const BLOCKS = 40;

const BLOCK_SECONDS = 0.3;

const BESIDES_SECONDS = 8;

const LOAD_SECONDS = BLOCKS * BLOCK_SECONDS;

const START_SECONDS = 2 * LOAD_SECONDS + BESIDES_SECONDS;

const STARTS = [1, 2];

/** Loads services longer if their rounds do not show that memory stays constant, and twice if it grows more in head. Undefined if none. */
export async function measureGrowth(
  bench: RoundBench,
  run: RunInRounds,
  left: () => number,
): Promise<MemoryGrowthRecord | undefined> {
  const services = bench.versus === undefined && bench.profile.name !== 'smoke' ? unclearGrowth(run) : [];
  if (services.length === 0) {
    return undefined;
  }
  bench.progress.chapter('Memory');
  const isSlow = ({ rps }: (typeof services)[number]) => rps * LOAD_SECONDS < LEAST_LONG;
  const message = `it serves fewer than ${Math.ceil(LEAST_LONG / LOAD_SECONDS)} requests/s`;
  let record: MemoryGrowthRecord = {
    starts: [],
    missing: services.filter(isSlow).map(({ service }) => ({ service, message })),
  };
  for (const start of STARTS) {
    for (const { service } of unclearGrowth({ ...run, memoryGrowth: record })) {
      if (services.some((one) => one.service === service) && !record.missing.some((one) => one.service === service)) {
        record = await withStart(bench, record, { service, start, left });
      }
    }
  }
  // An abort leaves the measured part unchanged.
  return bench.signal.aborted ? undefined : record;
}

async function withStart(
  roundBench: RoundBench,
  { starts, missing }: MemoryGrowthRecord,
  { service, start, left }: Pick<MemoryStart, 'service' | 'start'> & { readonly left: () => number },
): Promise<MemoryGrowthRecord> {
  if (left() < START_SECONDS) {
    const next = `Raise --budget: it takes about ${START_SECONDS} s.`;
    return { starts, missing: [...missing, { service, message: 'the budget left no time', next }] };
  }
  const bench = benchFor(roundBench, service);
  const prevented = `${service}: memory not compared under a long load, because `;
  const { result = [], failure } = await attempted(bench, prevented, async () => {
    const measured: MemoryStart[] = [];
    for (const sides of startedTogether(bench, ['base', 'head'] as const)) {
      const own = await runTrial(bench, {
        ...versionTrial(bench, service, sides),
        during: 'under a long load',
        blame: blaming,
        use: (ready) => memoryOf(bench, ready, start),
      });
      measured.push(...own);
    }
    return measured;
  });
  const prevents = failure === undefined ? [] : [{ service, message: failure.brief, next: failure.next }];
  return { starts: [...starts, ...result], missing: [...missing, ...prevents] };
}

async function memoryOf(
  bench: RoundBench,
  ready: readonly ReadySubject[],
  start: number,
): Promise<readonly MemoryStart[]> {
  await warmUp(bench, ready, (seconds) => saturationLoad(bench, seconds));
  const load = saturationLoad(bench, BLOCK_SECONDS);
  const series = ready.map((subject) => ({ subject, requests: [] as number[], memoryMiB: [] as number[] }));
  for (let block = 0; block < BLOCKS; block += 1) {
    for (const { subject, requests, memoryMiB } of series) {
      const read = await blaming(subject.side, () => runBlock(bench, subject, load));
      const { parts, after } = await blaming(subject.side, read);
      if (after.service.memoryMiB === undefined) {
        const brief = 'its memory cannot be read';
        throw new MeasurementError(`${subject.service.name}: ${brief}`, {
          code: 'WG-402',
          brief,
          next: 'Start the service from its configuration: what was running already shows no memory.',
        });
      }
      requests.push(parts.reduce((sum, { records }) => sum + records.failure.length, 0));
      memoryMiB.push(Math.round(after.service.memoryMiB * 1000) / 1000);
    }
  }
  return series.map(({ subject, requests, memoryMiB }) => ({
    ...{ service: subject.service.name, side: subject.side, start, requests, memoryMiB },
  }));
}
