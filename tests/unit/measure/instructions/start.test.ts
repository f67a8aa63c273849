import { spawn } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { MeasurementError } from '../../../../src/foundation/errors.ts';
import { countStart, Lockstep, type StartOptions } from '../../../../src/measure/instructions/start.ts';
import { firstSizing, MAX_LONG_WARM_UPS, MAX_WINDOWS } from '../../../../src/measure/instructions/windows.ts';
import type { RoundBench } from '../../../../src/measure/trial/versions.ts';
import type { BlockLoad } from '../../../../src/model/load.ts';
import { countedWindows, startOfMember } from '../../../../src/model/run/instructions.ts';
import type { Ended } from '../../../../src/runtime/ended.ts';
import type { CountDetail, CountingOptions } from '../../../../src/runtime/port.ts';
import { fakeRounds, type RoundsBehavior } from '../../../support/fake-rounds.ts';
import { KILLED, standingService } from '../../../support/fakes.ts';
import { recordFile } from '../../../support/record-file.ts';

/** A service under a counter. */
interface Counted {
  readonly msPerRequest?: number;
  /** Of the request with a number, from 0. */
  readonly instructions?: (request: number) => number;
  readonly idlePerSecond?: number;
  /** It ends when so many loads were played. */
  readonly endsAfter?: number;
  readonly recording?: string;
  /** How many programs began and ended before it was asked, by how often it was asked before in this start. */
  readonly uncounted?: (requested: number) => number;
  /** The first process of each of its programs. */
  readonly processes?: readonly number[];
  /** Of two members the share of the one, `back`. */
  readonly shareOfBack?: number;
}

/** The head of a service, on a clock that passes with its requests. */
function countedBench(service: Counted = {}, behavior: RoundsBehavior = {}) {
  const { bench, started } = fakeRounds(behavior);
  const { clock } = bench;
  const { msPerRequest = 10, instructions = () => 1000, idlePerSecond = 0, endsAfter, recording = 'ok' } = service;
  const { uncounted = () => 0, shareOfBack, processes } = service;
  const measured: BlockLoad[] = [];
  const starts: CountingOptions[] = [];
  const stops: string[] = [];
  const details: (CountDetail | undefined)[] = [];
  let requests = 0;
  let executed = 0;
  let requested = 0;
  let requestedMs = clock.steadyMs();
  let end: (end: Ended) => void = () => undefined;
  const ended = new Promise<Ended>((resolve) => {
    end = resolve;
  });
  const running = standingService({
    address: '127.0.0.1:5002',
    ended,
    ...(processes && { processes }),
    play: async (loads) => {
      measured.push(...loads);
      if (measured.length === endsAfter) {
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
          return {
            startedMs: 0,
            endedMs: 0,
            complaint: '',
            isOverTime: false,
            records: async () => recordsOf(recording, count),
          };
        }),
      );
    },
    counts: async (detail?: CountDetail) => {
      details.push(detail);
      const seconds = (clock.steadyMs() - requestedMs) / 1000;
      const isFromStart = starts.at(-1)?.isFromStart === true;
      const missed = isFromStart ? 0 : uncounted(requested);
      const all = executed + idlePerSecond * seconds;
      const counts = {
        ...{ instructions: all, syscalls: 0, allocations: 3, uncounted: missed },
        ...(shareOfBack !== undefined && {
          members: {
            front: { instructions: (1 - shareOfBack) * all, syscalls: 0 },
            back: { instructions: shareOfBack * all, syscalls: 0 },
          },
        }),
      };
      requestedMs = clock.steadyMs();
      requested += 1;
      executed = 0;
      return counts;
    },
    [Symbol.asyncDispose]: async () => void stops.push('stopped'),
  });
  const counting = {
    counter: () => Promise.reject(new Error('not asked here')),
    start: async (_service: unknown, options: CountingOptions = {}) => {
      starts.push(options);
      requested = 0;
      return running;
    },
  };
  const { head, base } = bench.versions;
  const versions = { base, head: { ...head, runtime: { ...head.runtime, counting } } };
  return { bench: { ...bench, versions }, measured, starts, stops, details, started };
}

function recordsOf(recording: string, requests: number): Uint8Array {
  const outcome = { status: recording === 'ok' ? '200' : '503' };
  return recordFile(Array.from({ length: requests }, (_, startMs) => ({ startMs, latencyMs: 1, outcome })));
}

const NAME = { service: 'first', side: 'head', start: 2 } as const;

const ALONE = { isFirst: false, startsToCome: 0 };

const count = (bench: RoundBench, options: Partial<StartOptions> = {}) =>
  countStart(bench, NAME, {
    ...ALONE,
    sizing: firstSizing(),
    exchangesCores: true,
    lockstep: new Lockstep(1),
    ...options,
  });

describe('countStart', () => {
  test('counts a service on a JVM that starts slowly only by itself', async () => {
    const java = spawn('sleep', ['60'], { argv0: 'java' });
    const unready = { head: { replies: () => ({ status: '503', body: {} }) } };
    const { bench, stops } = countedBench({ processes: [java.pid ?? 0] }, unready);
    const alone = { ...bench, profile: { ...bench.profile, name: 'instructions' } };

    await expect(count(bench)).rejects.toMatchObject({
      brief: 'it runs on a JVM, which starts too slowly under Valgrind',
    });
    await expect(count(alone)).rejects.toThrow('not ready');
    java.kill();
    expect(stops).toEqual(['stopped', 'stopped']);
  });

  test('warms the service up, runs windows until they agree, and takes what it does by itself out of them', async () => {
    const { bench, measured, starts, stops } = countedBench({
      instructions: (request) => (request < 600 ? 3000 : 1000),
      idlePerSecond: 5000,
    });
    const counted = await count(bench);

    expect(counted).toMatchObject({ ...NAME, idle: { seconds: 1, instructions: 5000 } });
    const windows = counted.operations.map((one) => countedWindows(counted, one).instructions);
    expect(counted.operations.map(({ requests }) => requests)).toEqual([75, 50]);
    expect(windows).toEqual([Array(4).fill(75_000), Array(4).fill(50_000)]);
    expect(measured).toHaveLength(2 * (2 + (counted.warmFrom ?? 0) + 5));
    expect(measured[0]?.load).toMatchObject({ kind: 'users', workers: 1, requestsPerUser: 75, timeoutSeconds: 60 });
    expect(starts).toEqual([
      { signal: expect.any(AbortSignal), exchangesCores: true, isFromStart: false, hasFunctions: false },
    ]);
    expect(stops).toEqual(['stopped']);
  });

  test('has the windows of each member next to those of the service, without what the member does by itself', async () => {
    const counted = await count(countedBench({ shareOfBack: 0.25, idlePerSecond: 4000 }).bench);

    expect(counted.idle?.members).toMatchObject({ front: { instructions: 3000 }, back: { instructions: 1000 } });
    expect(counted.operations[0]?.instructions).toEqual(Array(5).fill(75_000 + 75 * 40));
    expect(counted.operations[0]?.members?.['back']?.instructions).toEqual(Array(5).fill(0.25 * 75 * 1040));
    const back = startOfMember(counted, 'back');
    expect(back.operations.map((one) => countedWindows(back, one).instructions[0])).toEqual([18_750, 12_500]);
  });

  test('gives a service that answers fast longer windows, and the start after it the same', async () => {
    const sizing = firstSizing();
    const fast = await count(countedBench({ msPerRequest: 0.2 }).bench, { sizing });
    const later = await count(countedBench({ msPerRequest: 20 }).bench, { sizing });

    expect(fast.operations.map(({ requests }) => requests)).toEqual([600, 200]);
    expect(later.operations.map(({ requests }) => requests)).toEqual([600, 200]);
  });

  test('starts a plain process that was just built once without the counter', async () => {
    const inContainer = (bench: RoundBench) => {
      const { base, head } = bench.versions;
      return { ...bench, versions: { base, head: { ...head, runtime: { ...head.runtime, name: 'docker' as const } } } };
    };
    const [first, second, container] = [countedBench(), countedBench(), countedBench()];
    await count(first.bench, { isFirst: true });
    await count(second.bench, { isFirst: false });
    await count(inContainer(container.bench), { isFirst: true });

    expect([first, second, container].map(({ started }) => started)).toEqual([['head first'], [], []]);
    expect(first.starts).toHaveLength(1);
  });

  test('counts a service from its start on if it starts programs next to requests', async () => {
    const before = countedBench({ uncounted: (requested) => (requested === 0 ? 1 : 0) });
    const beside = countedBench({ uncounted: (requested) => (requested === 3 ? 1 : 0) });
    await count(before.bench);
    const counted = await count(beside.bench);

    expect(before.starts.map(({ isFromStart }) => isFromStart)).toEqual([false]);
    expect(beside.starts.map(({ isFromStart }) => isFromStart)).toEqual([false, true]);
    expect(beside.stops).toEqual(['stopped', 'stopped']);
    expect(counted.operations[0]?.instructions).toHaveLength(5);
  });

  test('warms a service up at length, uncounted, as long as its counts fall, and the start after it at once', async () => {
    const sizing = firstSizing();
    const compiling = (request: number) => (request < 7000 ? 8000 - request : 1000);
    const first = countedBench({ instructions: compiling, msPerRequest: 2 });
    const second = countedBench({ instructions: compiling, msPerRequest: 2 });
    const counted = await count(first.bench, { sizing });
    const later = await count(second.bench, { sizing });

    expect(counted).toMatchObject({ longWarmUps: 2, warmFrom: 14 });
    expect(counted.operations[0]?.instructions.slice(14)).toEqual(Array(5).fill(75_000));
    expect(first.details.filter((detail) => detail === 'pause')).toHaveLength(2);
    expect(first.measured.filter(({ load }) => load.kind === 'users' && load.requestsPerUser === 375)).toHaveLength(
      2 * 8,
    );
    expect(later).toMatchObject({ longWarmUps: 2, warmFrom: 0 });
    expect(second.details).not.toContain('pause');
  });

  test('leaves a service that counts from its start on counting while it is warmed up at length', async () => {
    const compiling = (request: number) => (request < 2000 ? 3000 - request : 1000);
    const uncounted = (requested: number) => (requested === 1 ? 1 : 0);
    const { bench, details } = countedBench({ instructions: compiling, msPerRequest: 2, uncounted });
    const counted = await count(bench);

    expect(counted).toMatchObject({ longWarmUps: 1, warmFrom: 7 });
    expect(details).not.toContain('pause');
  });

  test('does not warm up longer for a service whose functions are reported', async () => {
    const falling = countedBench({ instructions: (request) => 1_000_000 * 0.9995 ** request });
    const counted = await count(falling.bench, { hasFunctions: true });

    expect(counted.longWarmUps).toBeUndefined();
    expect(counted.operations[0]?.instructions).toHaveLength(MAX_WINDOWS);
    expect(falling.details.at(-2)).toBe('functions');
  });

  test('ends a long warm-up of a slow service after a minute', async () => {
    const sizing = { ...firstSizing(), longWarmUps: 1 };
    const { bench, measured } = countedBench({ msPerRequest: 50 });
    await count(bench, { sizing });

    expect(measured.filter(({ load }) => load.kind === 'users' && load.requestsPerUser === 375)).toHaveLength(3);
  });

  test('gives a service up that falls after many long warm-ups', async () => {
    const counted = await count(countedBench({ instructions: (request) => 1_000_000 * 0.9995 ** request }).bench);

    expect(counted.longWarmUps).toBe(MAX_LONG_WARM_UPS);
    expect(counted.warmFrom).toBeUndefined();
    expect(counted.operations[0]?.instructions).toHaveLength(3 * 7 + MAX_WINDOWS);
  });

  test('says of a service that never settles that it does not', async () => {
    const restless = (request: number) => 1000 + 100 * (Math.floor(request / (75 + 50)) % 3);
    const counted = await count(countedBench({ instructions: restless }).bench);

    expect(counted.warmFrom).toBeUndefined();
    expect(counted.operations[0]?.instructions).toHaveLength(MAX_WINDOWS);
  });

  test('runs windows that count until the start next to it has enough of them', async () => {
    const lockstep = new Lockstep(2);
    const settling = (request: number) => (request < 800 ? 3000 - request : 1000);
    const options = { ...ALONE, sizing: firstSizing(), exchangesCores: false, lockstep };

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

    await expect(count(bench, { isFirst: false })).rejects.toThrow(/first: not ready after 1000 s/);
    const soon = count({ ...bench, countingSeconds: 30 }, { isFirst: false });
    await expect(soon).rejects.toThrow(/first: not ready after 30 s/);
    expect(stops).toEqual(['stopped', 'stopped']);
  });

  test.each([
    ['the windows of its starts', 17, 1],
    ['those of this start', 11, 0],
  ])('ends after its first window if %s would take longer than is left', async (_, countingSeconds, startsToCome) => {
    const { bench, measured, stops } = countedBench();
    const counting = count({ ...bench, countingSeconds: countingSeconds - 5 }, { startsToCome });

    await expect(counting).rejects.toThrow(/^first: counting takes about \d+ s more, and the budget leaves \d+ s$/);
    expect(measured).toHaveLength(2 * 3);
    expect(stops).toEqual(['stopped']);
    await expect(count({ ...bench, countingSeconds }, { startsToCome })).resolves.toMatchObject({ warmFrom: 0 });
  });

  test.each([
    ['ends', { endsAfter: 3 }, /first exited while its instructions were counted/],
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
