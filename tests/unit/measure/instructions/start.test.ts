import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { MeasurementError } from '../../../../src/foundation/errors.ts';
import { Lockstep } from '../../../../src/measure/instructions/lockstep.ts';
import { countStart } from '../../../../src/measure/instructions/start.ts';
import { firstSizing, MOST_WINDOWS } from '../../../../src/measure/instructions/windows.ts';
import type { RoundBench } from '../../../../src/measure/rounds/bench.ts';
import type { BlockLoad } from '../../../../src/model/load.ts';
import { countedWindows } from '../../../../src/model/run/instructions.ts';
import type { Ended } from '../../../../src/runtime/ended.ts';
import type { CountingOptions } from '../../../../src/runtime/port.ts';
import { fakeRounds, type RoundsBehaviour } from '../../../support/fake-rounds.ts';
import { KILLED, standingService } from '../../../support/fakes.ts';

/** Requests in a recording. */
const RECORDED = 200;

/** A service under a counter. */
interface Counted {
  readonly msPerRequest?: number;
  /** Of the request with a number, from 0. */
  readonly instructions?: (request: number) => number;
  readonly idlePerSecond?: number;
  /** It ends when so many loads were played. */
  readonly endsAfter?: number;
  readonly recording?: string;
}

/** The head of a service, on a clock that passes with its requests. */
function countedBench(service: Counted = {}, behaviour: RoundsBehaviour = {}) {
  const { bench, started } = fakeRounds(behaviour);
  const { clock } = bench;
  const { msPerRequest = 10, instructions = () => 1000, idlePerSecond = 0, endsAfter, recording = 'ok' } = service;
  const played: BlockLoad[] = [];
  const starts: CountingOptions[] = [];
  const stops: string[] = [];
  let requests = 0;
  let executed = 0;
  let askedMs = clock.steadyMs();
  let end: (end: Ended) => void = () => undefined;
  const ended = new Promise<Ended>((resolve) => {
    end = resolve;
  });
  const running = standingService({
    address: '127.0.0.1:5002',
    ended,
    play: async (loads) => {
      played.push(...loads);
      if (played.length === endsAfter) {
        end(KILLED);
        return await new Promise(() => undefined);
      }
      return await Promise.all(
        loads.map(async ({ load }) => {
          const count = 'requestsPerUser' in load ? (load.requestsPerUser ?? 0) : 0;
          for (let request = 0; request < count; request += 1) {
            executed += instructions(requests);
            requests += 1;
          }
          await clock.sleep(count * msPerRequest);
          return { startedMs: 0, endedMs: 0, exitCode: 0, complaint: '', records: () => recordsOf(recording, count) };
        }),
      );
    },
    counts: async () => {
      const seconds = (clock.steadyMs() - askedMs) / 1000;
      const counts = { instructions: executed + idlePerSecond * seconds, syscalls: 0 };
      askedMs = clock.steadyMs();
      executed = 0;
      return counts;
    },
    [Symbol.asyncDispose]: async () => void stops.push('stopped'),
  });
  const counting = {
    counter: () => Promise.reject(new Error('not asked here')),
    start: async (_service: unknown, options: CountingOptions = {}) => {
      starts.push(options);
      return running;
    },
  };
  const { head, base } = bench.versions;
  const versions = { base, head: { ...head, runtime: { ...head.runtime, counting } } };
  return { bench: { ...bench, versions }, played, starts, stops, started };
}

async function* recordsOf(recording: string, requests: number) {
  for (let read = 0; read < requests; read += RECORDED) {
    yield new Uint8Array(readFileSync(`tests/fixtures/vegeta/${recording}.gob`));
  }
}

const NAME = { service: 'first', side: 'head', start: 2 } as const;

const count = (bench: RoundBench, { sizing = firstSizing(), start = 2 } = {}) =>
  countStart(bench, { ...NAME, start }, { sizing, exchangesCores: true });

describe('countStart', () => {
  test('warms the service up, plays windows until they agree, and takes what it does by itself out of them', async () => {
    const { bench, played, starts, stops } = countedBench({
      instructions: (request) => (request < 600 ? 3000 : 1000),
      idlePerSecond: 5000,
    });
    const counted = await count(bench);

    expect(counted).toMatchObject({ ...NAME, idle: { seconds: 2, instructions: 10_000 } });
    const windows = counted.operations.map((one) => countedWindows(counted, one).instructions);
    expect(counted.operations.map(({ requests }) => requests)).toEqual([113, 50]);
    expect(windows).toEqual([Array(4).fill(113_000), Array(4).fill(50_000)]);
    expect(played).toHaveLength(2 * (1 + (counted.warmFrom ?? 0) + 5));
    expect(played[0]?.load).toMatchObject({ kind: 'users', workers: 1, requestsPerUser: 113, timeoutSeconds: 60 });
    expect(starts).toEqual([{ signal: bench.signal, exchangesCores: true }]);
    expect(stops).toEqual(['stopped']);
  });

  test('gives a service that answers fast longer windows, and the start after it the same', async () => {
    const sizing = firstSizing();
    const fast = await count(countedBench({ msPerRequest: 1 }).bench, { sizing });
    const later = await count(countedBench({ msPerRequest: 20 }).bench, { sizing });

    expect(fast.operations.map(({ requests }) => requests)).toEqual([675, 225]);
    expect(later.operations.map(({ requests }) => requests)).toEqual([675, 225]);
  });

  test('starts a plain process that was just built once without the counter', async () => {
    const inContainer = (bench: RoundBench) => {
      const { base, head } = bench.versions;
      return { ...bench, versions: { base, head: { ...head, runtime: { ...head.runtime, name: 'docker' as const } } } };
    };
    const [first, second, container] = [countedBench(), countedBench(), countedBench()];
    await count(first.bench, { start: 1 });
    await count(second.bench, { start: 2 });
    await count(inContainer(container.bench), { start: 1 });

    expect([first, second, container].map(({ started }) => started)).toEqual([['head first'], [], []]);
    expect(first.starts).toHaveLength(1);
  });

  test('says of a service that never settles that it does not', async () => {
    const restless = (request: number) => 1000 + 100 * (Math.floor(request / (113 + 50)) % 4);
    const counted = await count(countedBench({ instructions: restless }).bench);

    expect(counted.warmFrom).toBeUndefined();
    expect(counted.operations[0]?.instructions).toHaveLength(MOST_WINDOWS);
  });

  test('plays windows that count until the start beside it has enough of them', async () => {
    const lockstep = new Lockstep(2);
    const settling = (request: number) => (request < 800 ? 3000 - request : 1000);
    const options = { sizing: firstSizing(), exchangesCores: false, lockstep };

    const [early, late] = await Promise.all([
      countStart(countedBench().bench, NAME, options),
      countStart(countedBench({ instructions: settling }).bench, NAME, options),
    ]);

    expect(early.warmFrom).toBe(0);
    expect(late.warmFrom).toBeGreaterThan(1);
    const windows = [early, late].map(({ operations }) => operations.map(({ instructions }) => instructions.length));
    expect(windows[0]).toEqual(windows[1]);
    expect(windows[0]?.[0]).toBe((late.warmFrom ?? 0) + 5);
  });

  test('gives a service fifty times as long to get ready, if there is as much time', async () => {
    const unready = { head: { replies: () => ({ status: '503', body: {} }) } };
    const { bench, stops } = countedBench({}, unready);

    await expect(count(bench)).rejects.toThrow(/first: not ready after 1000 s/);
    await expect(count({ ...bench, countingSeconds: 30 })).rejects.toThrow(/first: not ready after 30 s/);
    expect(stops).toEqual(['stopped', 'stopped']);
  });

  test.each([
    ['ends', { endsAfter: 3 }, /first ended by itself while its instructions were counted/],
    [
      'answers with errors',
      { recording: 'statuses' },
      /first: .* requests of GetUser failed while instructions were counted/,
    ],
  ])('fails if the service %s, and stops it', async (_, service, message) => {
    const { bench, stops } = countedBench(service);

    const failing = count(bench);

    await expect(failing).rejects.toThrow(message);
    await expect(failing).rejects.toBeInstanceOf(MeasurementError);
    expect(stops).toEqual(['stopped']);
  });
});
