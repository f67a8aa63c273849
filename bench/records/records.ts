/**
 * How long a million records of the driver take to read and summarise, and how much memory: the goal is 1 s and 400 MB. They are
 * measured in a process of their own, since the peak of memory is that of a whole process.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readRecords } from '../../src/measure/samples/record-file.ts';
import { summarise } from '../../src/measure/samples/summary.ts';

const RECORDS = 1_000_000;
const RATE = 10_000;

const [file] = process.argv.slice(2);
await (file === undefined ? writeAndMeasure() : measure(file));

async function writeAndMeasure(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'wiregauge-records-'));
  try {
    const path = join(folder, 'records');
    await writeFile(path, recordFile());
    const child = fork(fileURLToPath(import.meta.url), [path]);
    [process.exitCode] = await once(child, 'exit');
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** A steady load whose latencies spread over three decades, as the driver writes it. */
function recordFile(): Buffer {
  const header = { records: RECORDS, originMs: 1_795_219_200_000, columns: ['due', 'sent', 'done', 'code'] };
  const due = Float64Array.from({ length: RECORDS }, (_, index) => (index * 1e9) / RATE);
  let state = 1;
  const done = due.map((sent) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return sent + Math.round(100_000 * 1000 ** (state / 2 ** 32));
  });
  const columns = [due, due, done, new Uint32Array(RECORDS)].map(({ buffer }) => Buffer.from(buffer));
  return Buffer.concat([Buffer.from(`${JSON.stringify({ ...header, outcomes: [{ status: '200' }] })}\n`), ...columns]);
}

async function measure(path: string): Promise<void> {
  const beforeMs = performance.now();
  const cpuBefore = process.cpuUsage();
  const bytes = await readFile(path);
  const records = readRecords(bytes);
  if (records?.startMs.length !== RECORDS) {
    throw new Error(`${records?.startMs.length} of ${RECORDS} records were read`);
  }
  const readMs = performance.now();
  const part = { operation: 'bench', records, ratePerSecond: RATE, planned: RECORDS, workers: 1 };
  const window = { fromMs: records.originMs, toMs: records.originMs + (RECORDS / RATE) * 1000 };
  const { values } = summarise([part], window);
  const afterMs = performance.now();
  const { user, system } = process.cpuUsage(cpuBefore);
  const seconds = (from: number, to: number) => `${((to - from) / 1000).toFixed(2)} s`;
  const peak = Math.round((process.resourceUsage().maxRSS * 1024) / 1e6);
  console.log(
    `${RECORDS} records, ${Math.round(bytes.length / 1e6)} MB: ${seconds(beforeMs, afterMs)} ` +
      `(read ${seconds(beforeMs, readMs)}, summarise ${seconds(readMs, afterMs)}; ${((user + system) / 1e6).toFixed(2)} s of CPU time), peak ${peak} MB; ` +
      `p50 ${values.latencyP50Ms?.toFixed(3)} ms, p99 ${values.latencyP99Ms?.toFixed(3)} ms`,
  );
}
