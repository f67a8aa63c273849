import { describe, expect, test } from 'vitest';
import { untilReady } from '../../../../../src/measure/trial/ready.ts';
import type { Reply } from '../../../../../src/model/load.ts';
import type { Readiness, Service } from '../../../../../src/model/service.ts';
import { fakeBench, fakeClock, standingService } from '../../../../support/fakes.ts';
import { restService } from '../../../../support/suite.ts';

const MISSING: Reply = { status: '404', body: undefined };
const BUSY: Reply = { status: '503', body: undefined };

/** Waits for a service whose replies follow from the seconds since the start; gives those seconds. */
async function waited(replyAfter: (seconds: number) => Reply, ready?: Readiness): Promise<number> {
  const bench = fakeBench();
  const [operation] = bench.plan.suite.operations;
  if (operation === undefined) {
    throw new Error('the suite has no operation');
  }
  const clock = fakeClock();
  const startedMs = clock.steadyMs();
  const seconds = () => (clock.steadyMs() - startedMs) / 1000;
  const service: Service = { ...restService('shop'), ...(ready && { ready }) };
  const client = { ...bench.client, call: async () => replyAfter(seconds()) };
  const { signal } = bench;
  await untilReady(standingService(), { client, clock, signal, service, operation });
  return seconds();
}

describe('a service that answers 404', () => {
  test('is up after three seconds of nothing else, and the operation has the wrong path', async () => {
    let requested = 0;
    const refused = waited((seconds) => {
      requested = seconds;
      return MISSING;
    });

    await expect(refused).rejects.toMatchObject({
      code: 'WG-307',
      message: 'shop: is up at 127.0.0.1:5000, and answers 404 to GET /user/1 (GetUser)',
      next: expect.stringContaining('`wiregauge init --dry-run` prints the routes in the sources'),
    });
    expect(requested).toBeGreaterThanOrEqual(3);
    expect(requested).toBeLessThan(4);
  });

  test('now and then while it starts gets ready', async () => {
    const replyAfter = (seconds: number): Reply => {
      const starting = Math.floor(seconds) % 2 === 0 ? MISSING : BUSY;
      return seconds < 7 ? starting : { status: '200', body: {} };
    };

    expect(await waited(replyAfter)).toBeGreaterThanOrEqual(7);
  });

  test('to the path of its `ready` has all of its time', async () => {
    const refused = waited(() => MISSING, { check: { kind: 'path', path: '/health' }, timeoutSeconds: 10 });

    await expect(refused).rejects.toThrow(/^shop: not ready after 10 s: GET \/health at .*: answered 404/);
  });
});
