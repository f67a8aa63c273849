/**
 * How long a million raw records of each load tool take to read and summarise, and how much memory: the goal is 2 s
 * and 400 MB. Each is measured in a process of its own, since the peak of memory is that of a whole process.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { GENERATORS } from '../../src/load/index.ts';
import { summarise } from '../../src/measure/index.ts';
import type { LoadToolName } from '../../src/model/index.ts';
import { ghzRecords, vegetaRecords } from './writers.ts';

const RECORDS = 1_000_000;
const RATE = 10_000;

const WRITERS: Record<LoadToolName, (count: number, rate: number) => Iterable<Uint8Array>> = {
  ghz: ghzRecords,
  vegeta: vegetaRecords,
};

const [toRead, file] = process.argv.slice(2);
if (toRead === undefined || file === undefined) {
  await writeAndMeasureAll();
} else {
  await measure(toRead === 'ghz' ? 'ghz' : 'vegeta', file);
}

async function writeAndMeasureAll(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'wiregauge-records-'));
  try {
    for (const tool of ['vegeta', 'ghz'] as const) {
      const path = join(folder, tool);
      await pipeline(Readable.from(WRITERS[tool](RECORDS, RATE)), createWriteStream(path));
      const child = fork(fileURLToPath(import.meta.url), [tool, path]);
      const [code] = await once(child, 'exit');
      process.exitCode = code === 0 ? process.exitCode : 1;
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function measure(tool: LoadToolName, path: string): Promise<void> {
  const beforeMs = performance.now();
  const cpuBefore = process.cpuUsage();
  const reader = GENERATORS[tool].reader();
  for await (const chunk of createReadStream(path)) {
    reader.push(chunk);
  }
  const { records, cutOff } = reader.finish();
  const readMs = performance.now();
  const part = { operation: 'bench', records, ratePerSecond: RATE, planned: RECORDS };
  const window = { fromMs: records.originMs, toMs: records.originMs + (RECORDS / RATE) * 1000 };
  const { requests, values } = summarise([part], window);
  const afterMs = performance.now();
  const { user, system } = process.cpuUsage(cpuBefore);
  if (requests !== RECORDS || cutOff) {
    throw new Error(`${tool}: ${requests} of ${RECORDS} records were read`);
  }
  const megabytes = Math.round((await stat(path)).size / 1e6);
  const seconds = (from: number, to: number) => `${((to - from) / 1000).toFixed(2)} s`;
  const peak = Math.round((process.resourceUsage().maxRSS * 1024) / 1e6);
  console.log(
    `${tool.padEnd(6)} ${requests} records, ${megabytes} MB: ${seconds(beforeMs, afterMs)} ` +
      `(read ${seconds(beforeMs, readMs)}, summarise ${seconds(readMs, afterMs)}; ${((user + system) / 1e6).toFixed(2)} s of CPU time), peak ${peak} MB; ` +
      `p50 ${values.latencyP50Ms?.toFixed(3)} ms, p99 ${values.latencyP99Ms?.toFixed(3)} ms`,
  );
}
