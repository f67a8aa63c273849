import { describe, expect, test } from 'vitest';
import { ConfigError, EnvironmentError, MeasurementError } from '../../../../src/foundation/errors.ts';
import type { countStart } from '../../../../src/measure/instructions/start.ts';
import { countFunctions, countInstructions } from '../../../../src/measure/plans/count.ts';
import type { RoundBench, StartName } from '../../../../src/measure/trial/versions.ts';
import type { CountedStart, InstructionsRecord } from '../../../../src/model/run/instructions.ts';
import type { CountingRuntime } from '../../../../src/runtime/port.ts';
import { fakeRounds } from '../../../support/fake-rounds.ts';
import { NOISY_STARTS, REST_STARTS, SLOWER_STARTS, sampleCounts, WINDOW } from '../../../support/sample-counts.ts';

const COUNTER = { name: 'valgrind' as const, version: '3.19.0', architecture: 'x64' };

const COUNTING: CountingRuntime = {
  counter: async () => COUNTER,
  start: () => Promise.reject(new Error('nothing is started here')),
};

function countingBench() {
  const rounds = fakeRounds();
  const { base, head } = rounds.bench.versions;
  const counting = (version: typeof base) => ({ ...version, runtime: { ...version.runtime, counting: COUNTING } });
  const versions = { base: counting(base), head: counting(head) };
  return {
    ...rounds,
    bench: { ...rounds.bench, versions, suite: { ...rounds.bench.suite, services: ['rest', 'grpc'] } },
  };
}

const runOf = (instructions: InstructionsRecord) => ({ ...sampleCounts(), instructions });

/** A start whose windows count so many instructions for a request. */
const startOf = (name: StartName, windows: readonly number[]): CountedStart => ({
  ...name,
  warmFrom: 0,
  operations: [
    {
      operation: 'GetUser',
      requests: WINDOW,
      instructions: windows.map((one) => one * WINDOW),
      syscalls: windows.map(() => 10 * WINDOW),
    },
  ],
});

async function counted(windowsOf: (name: StartName) => readonly number[], change: Partial<RoundBench> = {}) {
  const { bench, lines } = countingBench();
  const names: string[] = [];
  const record = await countInstructions({ ...bench, ...change }, runOf, async (_bench, name, { exchangesCores }) => {
    names.push(`${name.service} ${name.side} ${name.start}${exchangesCores ? ', exchanged' : ''}`);
    return startOf(name, windowsOf(name));
  });
  return { record, names, lines };
}

const steady = ({ start }: StartName) => REST_STARTS[start - 1] ?? REST_STARTS[0];

describe('countInstructions', () => {
  test('starts both versions of each service at once, twice, on cores that they exchange', async () => {
    const { names, record } = await counted(steady);

    expect(names).toEqual([
      ...['rest head 1', 'rest base 1, exchanged', 'rest head 2, exchanged', 'rest base 2'],
      ...['grpc head 1', 'grpc base 1, exchanged', 'grpc head 2, exchanged', 'grpc base 2'],
    ]);
    expect(record).toMatchObject({ counter: COUNTER, failures: [] });
    expect(record.starts.map(({ side, start }) => `${side} ${start}`).slice(0, 4)).toEqual([
      'head 1',
      'base 1',
      'head 2',
      'base 2',
    ]);
  });

  test('starts versions that cannot run side by side in turns, on the same core', async () => {
    const { names } = await counted(steady, { interleave: 'slots' });

    expect(names.slice(0, 4)).toEqual(['rest head 1', 'rest base 1', 'rest base 2', 'rest head 2']);
  });

  test('has as many requests in the windows of both versions, and of all starts', async () => {
    const { bench } = countingBench();
    const sizes: number[] = [];
    await countInstructions(bench, runOf, async (_bench, name, { sizing }) => {
      const requests = sizing.requests({ GetUser: name.start === 1 && name.side === 'head' ? 0.1 : 5 });
      sizes.push(requests({ name: 'GetUser', share: 1 }));
      return startOf(name, steady(name));
    });

    expect(sizes).toEqual(Array(8).fill(200));
  });

  test('starts a service that varies four times', async () => {
    const noisy = ({ service, start }: StartName) =>
      service === 'rest' ? (NOISY_STARTS[start % 2] ?? NOISY_STARTS[0]) : REST_STARTS[0];
    const { names } = await counted(noisy);

    expect(names.filter((name) => name.startsWith('rest'))).toHaveLength(8);
    expect(names.filter((name) => name.startsWith('grpc'))).toHaveLength(4);
  });

  test('notes a version that cannot be counted, and goes on with the next service', async () => {
    const { names, record, lines } = await counted((name) => {
      if (name.service === 'rest' && name.side === 'head') {
        throw new MeasurementError('rest: ended before it was ready', { next: 'Look.' });
      }
      return steady(name);
    });

    expect(names.filter((name) => name.startsWith('rest'))).toEqual(['rest head 1', 'rest base 1, exchanged']);
    expect(names.filter((name) => name.startsWith('grpc'))).toHaveLength(4);
    expect(record.starts.filter(({ service }) => service === 'rest')).toMatchObject([{ side: 'base', start: 1 }]);
    expect(record.failures).toEqual([
      { service: 'rest', side: 'head', message: 'rest: ended before it was ready', code: 'WG-400', next: 'Look.' },
    ]);
    expect(lines.join('\n')).toContain(
      'rest, head: instructions could not be counted: rest: ended before it was ready',
    );
  });

  test('has the failures of both versions with the head first, whichever ended first', async () => {
    const { bench } = countingBench();
    const { failures } = await countInstructions(bench, runOf, async ({ clock }, { service, side }) => {
      for (let turn = 0; turn < (side === 'head' ? 5 : 0); turn += 1) {
        await clock.sleep(1);
      }
      throw new MeasurementError(`${service}: ${side} ended`, { next: 'Look.' });
    });

    expect(failures.map(({ message }) => message)).toEqual([
      ...['rest: head ended', 'rest: base ended'],
      ...['grpc: head ended', 'grpc: base ended'],
    ]);
  });

  test('ends with what it has if it is aborted', async () => {
    const { bench, stop } = countingBench();
    const begun: string[] = [];
    const record = await countInstructions(bench, runOf, async ({ signal }, name) => {
      begun.push(name.side);
      if (name.side === 'base') {
        return startOf(name, steady(name));
      }
      stop.abort();
      signal.throwIfAborted();
      throw new Error('it was not told');
    });

    expect(begun).toEqual(['head', 'base']);
    expect(record).toMatchObject({ starts: [{ service: 'rest', side: 'base', start: 1 }], failures: [] });
  });

  test('ends the other version at once if it cannot go on', async () => {
    const { bench } = countingBench();
    let base: AbortSignal | undefined;
    const counting = countInstructions(bench, runOf, async ({ signal }, { side }) => {
      if (side === 'head') {
        throw new RangeError('a mistake of this program');
      }
      base = signal;
      return await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });

    await expect(counting).rejects.toThrow('a mistake of this program');
    expect(base?.aborted).toBe(true);
  });

  test('says what the counts of a service show as soon as they are there', async () => {
    const { lines } = await counted(({ side, start }) =>
      side === 'head' ? (SLOWER_STARTS[start - 1] ?? SLOWER_STARTS[0]) : steady({ start } as StartName),
    );

    const place = lines.findIndex((line) =>
      /^rest: instructions\/request 889k → 901k \(\+1\.4%\): regressed$/.test(line),
    );
    expect(place).toBeGreaterThan(0);
    expect(lines.slice(0, place).some((line) => line.startsWith('grpc'))).toBe(false);
  });

  describe('of a service that regressed', () => {
    const executed = { name: 'serve', object: 'shop', self: 10, inclusive: 20 };
    const slower = ({ service, side, start }: StartName) =>
      (service === 'rest' && side === 'head' ? SLOWER_STARTS : REST_STARTS)[start % 2] ?? REST_STARTS[0];

    async function profiled(
      change: Partial<RoundBench>,
      functionsOf: (name: StartName) => (typeof executed)[],
      leftSeconds = 60,
    ) {
      const { bench } = countingBench();
      const requested: string[] = [];
      const changed = { ...bench, ...change };
      const starts = await countInstructions(changed, runOf, async (_, name) => startOf(name, slower(name)));
      const count: typeof countStart = async (_, name) => {
        requested.push(`${name.service} ${name.side}`);
        return { ...startOf(name, slower(name)), functions: functionsOf(name) };
      };
      const record = (await countFunctions(changed, runOf(starts), { leftSeconds, count })) as InstructionsRecord;
      return { record, requested };
    }

    test('both versions are started once more for their functions, which counts for nothing else', async () => {
      const { record, requested } = await profiled({}, () => [executed]);

      expect(requested).toEqual(['rest head', 'rest base']);
      expect(record.profiles).toEqual([
        { service: 'rest', side: 'head', functions: [executed] },
        { service: 'rest', side: 'base', functions: [executed] },
      ]);
      expect(record.starts.filter(({ service }) => service === 'rest')).toHaveLength(4);
    });

    test('no service is started for functions that are not requested', async () => {
      const { requested } = await profiled({ profiler: 'none' }, () => [executed]);

      expect(requested).toEqual([]);
    });

    test('another service than the reference is not: they have no functions in common', async () => {
      const { requested } = await profiled({ versus: { reference: 'soap' } }, () => [executed]);

      expect(requested).toEqual([]);
    });

    test('a start that fails then leaves what was counted, and one without functions reports none', async () => {
      const { record } = await profiled({}, ({ side }) => {
        if (side === 'head') {
          throw new MeasurementError('rest: ended', { next: 'Look.' });
        }
        return [];
      });

      expect(record).toMatchObject({ profiles: [], failures: [] });
      expect(record.starts.filter(({ service }) => service === 'rest')).toHaveLength(4);
    });

    test('they are not asked for without the time for it', async () => {
      const { requested } = await profiled({}, () => [executed], 0);

      expect(requested).toEqual([]);
    });
  });

  test('begins no start that would not end in its time, and says so', async () => {
    const { bench, lines } = countingBench();
    const names: string[] = [];
    await countInstructions({ ...bench, countingSeconds: 50 }, runOf, async (within, name) => {
      names.push(`${name.side} ${name.start} of ${within.countingSeconds} s`);
      await within.clock.sleep(20_000);
      return startOf(name, steady(name));
    });

    expect(names).toEqual(['head 1 of 50 s', 'base 1 of 50 s']);
    expect(lines.join('\n')).toMatch(
      /^rest: instructions are not counted: \d+ s left, and the longest start took \d+ s; count them alone: --profile instructions$/m,
    );
  });

  test('ends a start that goes on beyond its time, and notes no failure', async () => {
    const { bench } = countingBench();
    const record = await countInstructions({ ...bench, countingSeconds: 0.05 }, runOf, async ({ signal }) => {
      return await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    });

    expect(record).toMatchObject({ starts: [], failures: [] });
  });

  test('says of each start how many are to come', async () => {
    const { bench } = countingBench();
    const reported: string[] = [];
    await countInstructions(bench, runOf, async (_within, name, { startsToCome }) => {
      reported.push(`${name.side} ${name.start}: ${startsToCome}`);
      return startOf(name, steady(name));
    });

    expect(reported.slice(0, 4)).toEqual(['head 1: 1', 'base 1: 1', 'head 2: 0', 'base 2: 0']);
  });

  test('goes on to the rounds if a service cannot be counted, and fails without rounds', async () => {
    const { bench } = countingBench();
    const refuse = () => Promise.reject(new ConfigError('rest: has no command', { next: 'Give it one.' }));
    const alone = { ...bench, profile: sampleCounts().rounds.profile };

    expect((await countInstructions(bench, runOf, refuse)).failures).toMatchObject([
      { service: 'rest', side: 'head', message: 'rest: has no command' },
      { service: 'rest', side: 'base' },
      { service: 'grpc', side: 'head' },
      { service: 'grpc', side: 'base' },
    ]);
    await expect(countInstructions(alone, runOf, refuse)).rejects.toThrow(ConfigError);
  });

  test('refuses a runtime in which nothing is counted', async () => {
    const { bench } = fakeRounds();

    await expect(countInstructions(bench, () => sampleCounts())).rejects.toThrow(EnvironmentError);
  });
});
