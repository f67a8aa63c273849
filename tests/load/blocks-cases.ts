import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { MeasurementError } from '../../src/foundation/errors.ts';
import { median } from '../../src/foundation/statistics.ts';
import type { RunningService } from '../../src/runtime/port.ts';
import { marked, ownedFolders } from '../integration/plain-service.ts';
import {
  driversOf,
  loadsOf,
  ownService,
  ready,
  recordsOf,
  sharedService,
  standingRuntime,
  type TriedRuntime,
} from './blocks-bench.ts';

const never = new AbortController().signal;

/** CPU seconds of a service, by which a test sees that its load is sent. */
const usedBy = async (running: RunningService): Promise<number> => (await running.reading()).service.cpuSeconds ?? 0;

/** The tests of blocks in a runtime. Each has a file of its own, so that both are played at once. */
export function describeBlocks(tried: TriedRuntime): void {
  describe(`blocks in the ${tried.name} runtime`, () => blocksIn(tried));
}

function blocksIn(tried: TriedRuntime): void {
  const { name, isHere, services } = tried;
  const standing = standingRuntime(tried);

  describe.runIf(isHere).each(services)('of %s', (serviceName) => {
    const own = ownService(serviceName);
    const shared = sharedService(tried, standing, own);

    it('alternate between two services that are alive at once, and only the loaded one works', async () => {
      const first = shared();
      await using second = await standing.runtime.start(own.service);
      await ready(own, second);
      expect(first.address).not.toBe(second.address);
      const all = [first, second];
      for (const running of [first, second, second, first]) {
        const before = await Promise.all(all.map((one) => one.reading()));
        const [end] = await running.play(loadsOf(own, running, { pace: 'saturate', seconds: 0.5 }), never);
        const after = await Promise.all(all.map((one) => one.reading()));

        const records = await recordsOf(end);
        expect(end?.complaint).toBe('');
        expect(records.failureKinds).toEqual([]);
        expect(records.startMs.length).toBeGreaterThan(50);
        const cpu = all.map((_, at) => (after[at]?.service.cpuSeconds ?? 0) - (before[at]?.service.cpuSeconds ?? 0));
        const loaded = all.indexOf(running);
        expect(cpu[1 - loaded]).toBeLessThan((cpu[loaded] ?? 0) / 2);
        const load = all.map((_, at) => (after[at]?.loadCpuSeconds ?? 0) - (before[at]?.loadCpuSeconds ?? 0));
        expect(load[loaded]).toBeGreaterThan(0);
        expect(load[1 - loaded]).toBeLessThan((load[loaded] ?? 0) / 2);
      }
    });

    it('moves requests by chance within their intervals, as the reader expects them', async () => {
      const running = shared();
      const jitterSeed = 5;

      const [end] = await running.play(loadsOf(own, running, { pace: 50, seconds: 1, jitterSeed }), never);

      const records = await recordsOf(end);
      const scatter = (due: (index: number) => number): number => {
        const lags = Array.from(records.startMs, (start, index) => start - due(index));
        // The first may be late itself, which shifts all others alike.
        const usual = median(lags) ?? 0;
        return median(lags.map((lag) => Math.abs(lag - usual))) ?? 0;
      };
      // Whatever the machine does besides, they keep to this schedule far better than to an even one.
      expect(scatter((index) => records.dueMs?.[index] ?? 0)).toBeLessThan(scatter((index) => index * 20) / 2);
      expect(records.startMs.length).toBeGreaterThanOrEqual(47);
    });

    it('run operations side by side from one instant, each by its schedule', async () => {
      const running = shared();
      const parts = [own.getUser, own.listUsers];

      const ends = await running.play(loadsOf(own, running, { pace: 60, seconds: 1, parts }), never);

      const [getUser, listUsers] = await Promise.all(ends.map((end) => recordsOf(end)));
      const startedMs = ends[0]?.startedMs ?? 0;
      expect(ends[1]?.startedMs).toBe(startedMs);
      for (const records of [getUser, listUsers]) {
        expect(records?.failureKinds).toEqual([]);
        // 60 of the schedule and a few in the slack behind it; fewer only if this machine stood still at the very end.
        expect(records?.startMs.length).toBeGreaterThanOrEqual(57);
        expect(records?.startMs.length).toBeLessThanOrEqual(63);
        const firstMs = (records?.originMs ?? 0) + (records?.startMs[0] ?? 0);
        // The first is due one interval after the start.
        expect(firstMs).toBeGreaterThan(startedMs + 1000 / 60 - 2);
        expect(firstMs).toBeLessThan(ends[0]?.endedMs ?? 0);
      }
    });

    it('end with an abort, and the next one is run', async () => {
      const running = shared();
      const stop = new AbortController();
      const before = await usedBy(running);
      const sending = running.play(loadsOf(own, running, { pace: 'saturate', seconds: 60 }), stop.signal);
      await expect.poll(() => usedBy(running), { timeout: 20_000 }).toBeGreaterThan(before + 0.1);
      expect(await driversOf(name, standing.options.owner)).toHaveLength(1);

      stop.abort(new Error('stopped by hand'));

      await expect(sending).rejects.toThrow('stopped by hand');
      expect(await driversOf(name, standing.options.owner)).toEqual([]);
      await expect(running.play(loadsOf(own, running, { pace: 20, seconds: 0.2 }), stop.signal)).rejects.toThrow();
      const [end] = await running.play(loadsOf(own, running, { pace: 20, seconds: 0.2 }), never);
      expect(end?.complaint).toBe('');
    });

    it('are given up, with what to do, where the driver is killed, and the next one is run', async () => {
      const running = shared();
      const before = await usedBy(running);
      const sending = running.play(loadsOf(own, running, { pace: 'saturate', seconds: 60 }), never);
      const refused = sending.catch((thrown: unknown) => thrown);
      await expect.poll(() => usedBy(running), { timeout: 20_000 }).toBeGreaterThan(before + 0.1);

      for (const pid of await driversOf(name, standing.options.owner)) {
        process.kill(pid, 'SIGKILL');
      }

      expect(await refused).toBeInstanceOf(MeasurementError);
      expect(await refused).toMatchObject({
        message: expect.stringMatching(/load driver ended unexpectedly (by SIGKILL|with exit code 137)/),
        next: expect.stringContaining('Measure again'),
      });
      const [end] = await running.play(loadsOf(own, running, { pace: 20, seconds: 0.2 }), never);
      expect(end?.complaint).toBe('');
    });

    it('record refused connections as such', async () => {
      const running = shared();
      const nowhere = { loadAddress: '127.0.0.1:9' };

      const [end] = await running.play(loadsOf(own, nowhere, { pace: 50, seconds: 0.5 }), never);

      const records = await recordsOf(end);
      expect(end?.complaint).toBe('');
      expect(records.failureKinds).toEqual(['connection refused']);
      expect(records.failure.every((code) => code === 1)).toBe(true);
    });

    it('say what is wrong with a load', async () => {
      const running = shared();
      const [good, bad] = loadsOf(own, running, { pace: 20, seconds: 0.2, parts: [own.getUser, own.listUsers] });
      const target = {
        address: running.loadAddress,
        requests: [{ call: 'nonsense', body: undefined }],
      };
      const broken = {
        tool: bad?.tool ?? 'ghz',
        load: { kind: 'saturate', target, workers: 1, seconds: 1, timeoutSeconds: 1 },
      } as const;

      const ends = await running.play(good === undefined ? [] : [good, broken], never);

      expect(ends[0]?.complaint).toContain('another load of the block could not be prepared');
      expect(ends[1]?.complaint).toMatch(/not an HTTP method and path|whether its calls are streams/);
    });
  });

  describe.runIf(isHere)('and the service core', () => {
    it('is timed by a loop of fixed length, also while services are up', async () => {
      await using _running = await standing.runtime.start(ownService('rest').service);

      const times = [await standing.runtime.control(never), await standing.runtime.control(never)];

      for (const milliseconds of times) {
        expect(milliseconds).toBeGreaterThan(10);
        expect(milliseconds).toBeLessThan(20_000);
      }
    });

    it('is left alone when the loop ends on request', async () => {
      const stop = new AbortController();
      const timing = standing.runtime.control(stop.signal);
      stop.abort(new Error('no more'));

      await expect(timing).rejects.toThrow('no more');
      await expect.poll(() => marked(standing.options.owner).filter((pid) => pid !== process.pid)).toEqual([]);
    });
  });

  it.runIf(isHere)('end with their service', async () => {
    const own = ownService('rest');
    const running = await standing.runtime.start(own.service);
    const sending = running.play(loadsOf(own, running, { pace: 20, seconds: 60 }), never);
    const refused = sending.catch((thrown: unknown) => thrown);
    await expect.poll(() => driversOf(name, standing.options.owner), { timeout: 20_000 }).toHaveLength(1);
    await sleep(50);

    await running[Symbol.asyncDispose]();

    expect(await refused).toBeInstanceOf(MeasurementError);
    expect(await driversOf(name, standing.options.owner)).toEqual([]);
    expect(ownedFolders(standing.options.owner)).toEqual([]);
  });
}
