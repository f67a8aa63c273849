import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerOf, attack, type DockerBench, makeDockerBench } from '../integration/docker-bench.ts';
import { requires } from '../support/requires.ts';

const never = new AbortController().signal;

/** Of a load that is not over before somebody ends it. */
const ENDLESS = ['attack', '-targets', 'targets.txt', '-rate', '5/1s', '-duration', '300s', '-output', 'records.gob'];

describe.runIf(requires('docker'))('load in a container beside the service', () => {
  let bench: DockerBench;

  beforeAll(async () => {
    bench = await makeDockerBench();
  });

  afterAll(() => bench?.remove());

  test('runs load commands side by side and collects their records', async () => {
    await using running = await bench.runtime.start(bench.service);
    await answerOf(running);
    const other = attack(running, {
      arguments: ['attack', '-targets', 'o.txt', '-rate', '20/1s', '-duration', '500ms', '-output', 'o.gob'],
      inputs: { 'o.txt': `GET http://${running.loadAddress}/other\n` },
      output: 'o.gob',
    });

    const ends = await running.load([attack(running), other], never);

    const [first, second] = await Promise.all(ends.map(async (end) => await answersIn(bench, end.records())));
    expect(first).toEqual(answers(first?.length, '/'));
    expect(second).toEqual(answers(second?.length, '/other'));
    expect(first?.length).toBeLessThanOrEqual(20);
    expect(second?.length).toBeLessThanOrEqual(10);
    for (const end of ends) {
      expect(end).toMatchObject({ exitCode: 0, complaint: '' });
      expect(end.endedMs - end.startedMs).toBeGreaterThanOrEqual(400);
    }
  });

  test('tells how a load tool failed, and has no records then', async () => {
    await using running = await bench.runtime.start(bench.service);

    const [end] = await running.load([attack(running, { arguments: ['attack', '-targets', 'missing.txt'] })], never);

    expect(end).toMatchObject({ exitCode: 1, complaint: expect.stringContaining('missing.txt') });
    expect(await bytesOf(end?.records())).toHaveLength(0);
  });

  test('ends a load tool that is over its time limit, and can run another one then', async () => {
    await using running = await bench.runtime.start(bench.service);
    await answerOf(running);

    const [late] = await running.load([attack(running, { arguments: ENDLESS, limitSeconds: 1 })], never);
    const [next] = await running.load([attack(running)], never);

    expect(late).toMatchObject({ exitCode: 124, complaint: 'stopped at its time limit of 1 s' });
    expect(next?.exitCode).toBe(0);
  });

  test('ends the load tools when it is told to', async () => {
    await using running = await bench.runtime.start(bench.service);
    const stop = new AbortController();

    const loading = running.load([attack(running, { arguments: ENDLESS, limitSeconds: 400 })], stop.signal);
    setTimeout(() => stop.abort(new Error('stopped by hand')), 500);

    await expect(loading).rejects.toThrow('stopped by hand');
  });
});

/** Status, number and path of each answer, in the order in which the requests were sent. */
async function answersIn(bench: DockerBench, records: AsyncIterable<Uint8Array>): Promise<readonly string[]> {
  const vegeta = join(bench.options.tools.folder, 'vegeta');
  const csv = execFileSync(vegeta, ['encode', '-to', 'csv'], { input: await bytesOf(records) });
  const rows = csv
    .toString()
    .trim()
    .split('\n')
    .map((line) => line.split(','))
    .sort((a, b) => Number(a[8]) - Number(b[8]));
  return rows.map((row) => `${row[1]} ${row[8]} ${new URL(row[10] ?? '').pathname}`);
}

/** At least one answer: vegeta sends fewer than the rate says if the machine holds it up past the duration. */
function answers(count: number | undefined, path: string): readonly string[] {
  return Array.from({ length: Math.max(1, count ?? 0) }, (_, number) => `200 ${number} ${path}`);
}

async function bytesOf(records: AsyncIterable<Uint8Array> | undefined): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of records ?? []) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
