import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/host/machine/clock.ts';
import type { MeasuredBlock } from '../../src/measure/samples/machine.ts';
import { runBlock } from '../../src/measure/trial/loads.ts';
import type { UsersPace } from '../../src/model/plan.ts';
import type { RunningService } from '../../src/runtime/port.ts';
import { NO_SECRETS } from '../support/secrets.ts';
import { usersSuite } from '../support/suite.ts';
import { driversOf, ownService, RUNTIMES, sharedService, standingRuntime } from './blocks-bench.ts';

const never = new AbortController().signal;

describe.each(Object.values(RUNTIMES))('users without think time in the $name runtime', (tried) => {
  const { name, isHere, services } = tried;
  const standing = standingRuntime(tried);

  describe.runIf(isHere).each(services)('of %s', (serviceName) => {
    const own = ownService(serviceName);
    const shared = sharedService(tried, standing, own);
    const { operations } = usersSuite();

    const measured = async (
      running: RunningService,
      pace: Omit<UsersPace, 'kind'>,
      { seconds, signal = never }: { readonly seconds: number; readonly signal?: AbortSignal },
    ): Promise<MeasuredBlock> => {
      const bench = { secrets: NO_SECRETS, clock: systemClock };
      const subject = { service: own.service, running, operations, signal };
      return await (
        await runBlock(bench, subject, { pace: { kind: 'users', ...pace }, seconds }, { isWatched: true })
      )();
    };

    it('send all their requests, and the CPU time of service and driver is read', async () => {
      const running = shared();

      const {
        parts,
        before: first,
        between = [],
        after: last,
      } = await measured(running, { workers: 20, requestsPerUser: 10, rampSeconds: 1 }, { seconds: 60 });

      expect(parts.map(({ records }) => records.failureKinds)).toEqual([[], []]);
      // 15 and 5 of the users.
      expect(parts.map(({ records, planned }) => [records.startMs.length, planned])).toEqual([
        [150, 150],
        [50, 50],
      ]);
      expect(last.loadCpuSeconds - first.loadCpuSeconds).toBeGreaterThan(0);
      expect((last.service.cpuSeconds ?? 0) - (first.service.cpuSeconds ?? 0)).toBeGreaterThan(0);
      for (const { records } of parts) {
        expect(first.atMs).toBeLessThanOrEqual(records.originMs + (records.startMs[0] ?? Number.NaN) + 1);
        const ends = records.startMs.map((start, index) => start + (records.latencyMs[index] ?? 0));
        expect(last.atMs).toBeGreaterThanOrEqual(records.originMs + Math.max(...ends) - 1);
      }
      // The users begin over a second, and the readings go on to the end and no further.
      expect(between.length).toBeLessThan(58);
    });

    it('wait for the way to a service that is far away', async () => {
      const running = shared();
      const network = { rttMs: 40, by: 'driver' } as const;

      const { parts } = await measured(
        running,
        { workers: 4, requestsPerUser: 5, rampSeconds: 0, network },
        { seconds: 60 },
      );

      expect(parts.map(({ records }) => records.failureKinds)).toEqual([[], []]);
      const latencies = parts.flatMap(({ records }) => [...records.latencyMs]);
      expect(latencies).toHaveLength(20);
      expect(Math.min(...latencies)).toBeGreaterThanOrEqual(network.rttMs);
    });

    it('end with an abort, and so does their driver', async () => {
      const running = shared();
      const used = async () => (await running.reading()).service.cpuSeconds ?? 0;
      const before = await used();
      const stop = new AbortController();
      const sending = measured(
        running,
        { workers: 4, requestsPerUser: undefined, rampSeconds: 0 },
        { seconds: 60, signal: stop.signal },
      );
      const refused = sending.catch((thrown: unknown) => thrown);
      await expect.poll(used, { timeout: 20_000 }).toBeGreaterThan(before + 0.2);
      const drivers = await driversOf(name, standing.options.owner);

      stop.abort(new Error('stopped by hand'));

      expect(await refused).toMatchObject({ message: 'stopped by hand' });
      expect(drivers).toHaveLength(1);
      // A reading that was under way may have started another one.
      expect(await driversOf(name, standing.options.owner)).not.toEqual(drivers);
    });
  });
});
