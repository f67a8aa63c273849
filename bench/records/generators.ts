/** CPU time of merging the records of 1,000 load generators (the goal is 1 s), and the effect of errors of their clocks and of a lost one. */
import { randomAt } from '../../src/foundation/random.ts';
import { quantile, sorted } from '../../src/foundation/statistics.ts';
import { readRecords } from '../../src/measure/samples/record-file.ts';
import { summarise } from '../../src/measure/samples/summary.ts';

const GENERATORS = 1000;
const EACH = 1000;
const RATE = 100_000;
const ORIGIN_MS = 1_795_219_200_000;
const CLOCK_MS = 50;
const KNOWN_TO_MS = 1;

/** A steady load whose latencies spread over three decades; this generator sends every 1,000th request of it. */
function recordFile(generator: number, aheadMs: number): Buffer {
  const header = { records: EACH, originMs: ORIGIN_MS + aheadMs, columns: ['due', 'sent', 'done', 'code'] };
  const due = Float64Array.from({ length: EACH }, (_, index) => ((index * GENERATORS + generator) * 1e9) / RATE);
  const done = due.map((sent, index) => sent + Math.round(1e5 * 1000 ** randomAt(1, index * GENERATORS + generator)));
  const columns = [due, due, done, new Uint32Array(EACH)].map(({ buffer }) => Buffer.from(buffer));
  return Buffer.concat([Buffer.from(`${JSON.stringify({ ...header, outcomes: [{ status: '200' }] })}\n`), ...columns]);
}

const errorMs = (generator: number, mostMs: number) => Math.round(mostMs * (2 * randomAt(2, generator) - 1));

/** Summary of all generators; the clock of each is ahead, and that is known but for an error. */
function merged(files: readonly Buffer[], known: (generator: number) => number) {
  const parts = files.map((file, generator) => {
    const records = readRecords(file);
    if (records === undefined) {
      throw new Error(`the records of generator ${generator} are cut off`);
    }
    const corrected = { ...records, originMs: records.originMs - known(generator) };
    return { operation: 'bench', records: corrected, ratePerSecond: RATE / GENERATORS, planned: EACH, workers: 1 };
  });
  return summarise(parts, { fromMs: ORIGIN_MS, toMs: ORIGIN_MS + (GENERATORS * EACH * 1000) / RATE });
}

const filesOf = (aheadMs: (generator: number) => number) =>
  Array.from({ length: GENERATORS }, (_, generator) => recordFile(generator, aheadMs(generator)));

const inTime = filesOf(() => 0);
const raw = Array.from({ length: GENERATORS * EACH }, (_, index) => Math.round(1e5 * 1000 ** randomAt(1, index)) / 1e6);
const truth = quantile(sorted(Float64Array.from(raw)), 0.99) ?? Number.NaN;
const beforeMs = performance.now();
const cpuBefore = process.cpuUsage();
const { requests, values } = merged(inTime, () => 0);
const seconds = (performance.now() - beforeMs) / 1000;
const { user, system } = process.cpuUsage(cpuBefore);
console.log(
  `${GENERATORS} generators, ${requests} records: merged in ${seconds.toFixed(2)} s (${((user + system) / 1e6).toFixed(2)} s of CPU time); ` +
    `p99 ${values.latencyP99Ms?.toFixed(4)} ms, of all raw records ${truth.toFixed(4)} ms`,
);
const ahead = (generator: number) => errorMs(generator, CLOCK_MS);
const shown = ({ requests: count, values: { latencyP99Ms: p99 } }: ReturnType<typeof merged>) =>
  `${count} requests in the window, p99 ${p99?.toFixed(4)} ms`;
const skewed = filesOf(ahead);
console.log(`clocks ${CLOCK_MS} ms wrong at most: ${shown(merged(skewed, () => 0))}`);
const known = (generator: number) => ahead(generator) + KNOWN_TO_MS * (2 * randomAt(3, generator) - 1);
console.log(`and known to ${KNOWN_TO_MS} ms: ${shown(merged(skewed, known))}`);
console.log(`one generator lost without a word: ${shown(merged(inTime.slice(1), () => 0))}`);
