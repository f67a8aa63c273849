import { describe, expect, test } from 'vitest';
import { connectionBytesOf } from '../../../../src/measure/plans/run.ts';
import type { ReadySubject } from '../../../../src/measure/trial/runner.ts';
import type { BlockLoad } from '../../../../src/model/load.ts';
import { fakeBench, standingService } from '../../../support/fakes.ts';
import { restService } from '../../../support/suite.ts';

/** A service whose network saw so many bytes of each request, in turn. */
function measured(bytesOf: readonly number[] | undefined) {
  const bench = fakeBench();
  const sent: BlockLoad[] = [];
  let wireBytes = 1000;
  const running = standingService({
    reading: async () => ({
      atMs: bench.clock.nowMs(),
      service: {
        cpuSeconds: 0,
        memoryMiB: 0,
        peakMemoryMiB: 0,
        wireBytes: bytesOf === undefined ? undefined : wireBytes,
      },
      loadCpuSeconds: 0,
      host: { busySeconds: 0, stealSeconds: 0, cpuPressureSeconds: undefined, listenOverflows: 0, timeWaitSockets: 0 },
    }),
    play: async (loads) => {
      wireBytes += bytesOf?.[sent.length % bytesOf.length] ?? 0;
      sent.push(...loads);
      return [];
    },
  });
  const ready: ReadySubject = {
    ...{ side: 'head', service: restService('first'), runtime: bench.runtime, running },
    ...{ operations: bench.plan.suite.operations, startUpMs: undefined, wasSlow: false, signal: bench.signal },
  };
  return { sent, measure: () => connectionBytesOf(bench, ready) };
}

describe('the bytes of one request with its connection', () => {
  test('are the middle of three, each over a connection of its own', async () => {
    const { sent, measure } = measured([1234, 1288, 1234]);

    expect([...((await measure()) ?? [])]).toEqual([
      ['GetUser', 1234],
      ['ListUsers', 1234],
    ]);
    expect(sent).toHaveLength(6);
    expect(sent.map(({ load }) => load)).toEqual(
      sent.map(() => expect.objectContaining({ kind: 'users', workers: 1, requestsPerUser: 1, fresh: true })),
    );
  });

  test('are not measured if the bytes cannot be seen', async () => {
    const { sent, measure } = measured(undefined);

    expect(await measure()).toBeUndefined();
    expect(sent).toEqual([]);
  });
});
