import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readRecords } from '../../src/measure/samples/record-file.ts';
import { answerOf, type DockerBench, makeDockerBench } from '../integration/docker-bench.ts';
import { httpLoad } from '../integration/plain-service.ts';
import { requires } from '../support/requires.ts';

const never = new AbortController().signal;

describe.runIf(requires('docker'))('load in a container next to the service', () => {
  let bench: DockerBench;

  beforeAll(async () => {
    bench = await makeDockerBench();
  });

  afterAll(() => bench?.remove());

  test('is sent side by side, and leaves its records', async () => {
    await using running = await bench.runtime.start(bench.service);
    await answerOf(running);

    const ends = await running.play([httpLoad(running), httpLoad(running, { ratePerSecond: 40 })], never);

    const records = await Promise.all(ends.map(async (end) => readRecords(await end.records())));
    expect(records.map((one) => one?.failureKinds)).toEqual([[], []]);
    expect(records.every((one) => (one?.startMs.length ?? 0) > 0)).toBe(true);
    for (const end of ends) {
      expect(end.complaint).toBe('');
      expect(end.endedMs).toBeGreaterThan(end.startedMs);
    }
  });

  test('is ended by an abort, and another one can be sent then', async () => {
    await using running = await bench.runtime.start(bench.service);
    await answerOf(running);
    const stop = new AbortController();

    const loading = running.play([httpLoad(running, { seconds: 300 })], stop.signal);
    setTimeout(() => stop.abort(new Error('stopped by hand')), 500);

    await expect(loading).rejects.toThrow('stopped by hand');
    const [next] = await running.play([httpLoad(running)], never);
    expect(next?.complaint).toBe('');
  });
});
