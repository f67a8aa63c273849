import { MeasurementError } from '../../foundation/errors.ts';
import { counted } from '../../foundation/numbers.ts';
import { median } from '../../foundation/statistics.ts';
import { allocatedFigures, differsClearly } from '../../judge/counts/allocated.ts';
import { formatMetric } from '../../model/metric.ts';
import type { CallsStart } from '../../model/run/calls.ts';
import { type InstructionsRecord, isTooSlowToCount } from '../../model/run/instructions.ts';
import { saturationLoad } from '../trial/blocks.ts';
import { attempted } from '../trial/failure.ts';
import { runBlock } from '../trial/loads.ts';
import { type ReadySubject, runTrial } from '../trial/runner.ts';
import { benchFor, HEAD_FIRST, type RoundBench, type StartName, versionTrial } from '../trial/versions.ts';

/** Options for the launcher of Java 9 and newer, before which options of the command go. A small young generation is collected often. */
const OPTIONS = '-Xmn16m -Xlog:gc:stderr:utctime';

const WARM_UP_SECONDS = 8;

const WINDOW_SECONDS = 12;

/** Sizes in the log are whole MiB. */
const FEWEST_COLLECTIONS = 8;

/** At most 4 MB: some services print each statement of each request. */
const LOG_LINES = 200_000;

/** Seconds for both versions, each with 10 s to start. */
const PAIR_SECONDS = 2 * (WARM_UP_SECONDS + WINDOW_SECONDS + 10);

const STARTS = [1, 2];

/** Reads the allocations per request where a JVM is not counted: one start of each version, and another if they differ. */
export async function countAllocated(
  bench: RoundBench,
  failures: InstructionsRecord['failures'],
  left: () => number,
): Promise<readonly CallsStart[]> {
  const refused = bench.versus === undefined ? failures.filter((failure) => isTooSlowToCount(failure, ['a JVM'])) : [];
  if (refused.length === 0) {
    return [];
  }
  bench.progress.chapter('Heap');
  const starts: CallsStart[] = [];
  for (const service of new Set(refused.map((failure) => failure.service))) {
    const own = await startsOf(bench, service, left);
    for (const { base, head } of allocatedFigures(bench.suite, own)) {
      const [before, now] = [base, head].map((bytes) => formatMetric('allocatedBytesPerRequest', median(bytes) ?? 0));
      bench.progress.line(`${service}: ${before} → ${now} allocated/request`);
    }
    starts.push(...own);
  }
  return starts;
}

async function startsOf(bench: RoundBench, service: string, left: () => number): Promise<readonly CallsStart[]> {
  const starts: CallsStart[] = [];
  for (const start of STARTS) {
    const isOpen = start === 1 || allocatedFigures(bench.suite, starts).some(differsClearly);
    for (const side of isOpen && left() > PAIR_SECONDS ? HEAD_FIRST : []) {
      const own = bench.signal.aborted ? [] : await startOf(bench, { service, side, start });
      if (own.length === 0) {
        return starts;
      }
      starts.push(...own);
    }
  }
  return starts;
}

async function startOf(roundBench: RoundBench, name: StartName): Promise<readonly CallsStart[]> {
  const bench = benchFor(roundBench, name.service);
  const { subjects, ...trial } = versionTrial(bench, name.service, [name.side]);
  const logged = subjects.map((subject) => {
    const { service } = subject;
    const options = [service.environment['JDK_JAVA_OPTIONS'] ?? [], OPTIONS].flat().join(' ');
    return { ...subject, service: { ...service, environment: { ...service.environment, JDK_JAVA_OPTIONS: options } } };
  });
  const prevented = `${name.service}, ${name.side}: allocations could not be counted: `;
  const { result } = await attempted(bench, prevented, () =>
    runTrial(bench, {
      ...{ subjects: logged, ...trial },
      during: 'while its allocations were counted',
      use: ([ready]) => allocatedBy(bench, ready),
    }),
  );
  return result === undefined ? [] : [{ ...name, operations: [], idle: [], unread: [], allocated: result }];
}

async function allocatedBy(bench: RoundBench, ready: ReadySubject): Promise<number> {
  const load = async (seconds: number) => await (await runBlock(bench, ready, saturationLoad(bench, seconds)))();
  await load(WARM_UP_SECONDS);
  const { parts, before, after } = await load(WINDOW_SECONDS);
  const endsMs = parts.flatMap(({ records: { originMs, startMs, latencyMs } }) =>
    [...startMs].map((start, index) => originMs + start + (latencyMs[index] ?? 0)),
  );
  return bytesPerRequest(await ready.running.logs(LOG_LINES), endsMs, { fromMs: before.atMs, toMs: after.atMs });
}

/** Bytes allocated per request, from the first collection in a window to its last. Throws MeasurementError if there are few. */
export function bytesPerRequest(
  log: string,
  endsMs: readonly number[],
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): number {
  const collections = [...log.matchAll(COLLECTION)]
    .map(([, at = '', before, after]) => ({ atMs: Date.parse(at), before: Number(before), after: Number(after) }))
    .filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
  const allocated = collections
    .slice(1)
    .reduce((sum, { before }, index) => sum + before - (collections[index]?.after ?? 0), 0);
  const [first, last] = [collections[0]?.atMs ?? 0, collections.at(-1)?.atMs ?? 0];
  const requests = endsMs.filter((end) => end > first && end <= last).length;
  if (collections.length <= FEWEST_COLLECTIONS || requests === 0) {
    const brief = `the end of its log has ${counted(collections.length, 'collection')} of the garbage collector`;
    throw new MeasurementError(brief, {
      code: 'WG-311',
      brief,
      next: 'Turn off the log of requests; it has to be the Serial, Parallel or G1 collector, with more than 8 collections.',
    });
  }
  return Math.round((allocated * 2 ** 20) / requests);
}

/** `[2026-11-29T14:52:30.123+0000] GC(530) Pause Young (Allocation Failure) 31M->27M(255M) 1.399ms` */
const COLLECTION = /^\[([^\]]+)\].*\bGC\(\d+\) Pause .*?(\d+)M->(\d+)M\(/gm;
