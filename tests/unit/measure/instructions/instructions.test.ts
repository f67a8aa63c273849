import { describe, expect, test } from 'vitest';
import { EnvironmentError, MeasurementError } from '../../../../src/foundation/errors.ts';
import { countInstructions } from '../../../../src/measure/instructions/instructions.ts';
import type { StartName } from '../../../../src/measure/instructions/start.ts';
import type { CountedStart } from '../../../../src/model/run/instructions.ts';
import type { CountingRuntime } from '../../../../src/runtime/port.ts';
import { fakeRounds } from '../../../support/fake-rounds.ts';
import { NOISY_STARTS, REST_STARTS, sampleCounts, WINDOW } from '../../../support/sample-counts.ts';

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

async function counted(windowsOf: (name: StartName) => readonly number[], stop?: (name: StartName) => void) {
  const { bench, stop: controller, lines } = countingBench();
  const names: string[] = [];
  const record = await countInstructions(
    bench,
    (instructions) => ({ ...sampleCounts(), instructions }),
    async (_bench, name) => {
      names.push(`${name.service} ${name.side} ${name.start}`);
      const windows = windowsOf(name);
      if (stop !== undefined) {
        stop(name);
        controller.abort();
        throw new Error('aborted');
      }
      return startOf(name, windows);
    },
  );
  return { record, names, lines };
}

const steady = ({ start }: StartName) => REST_STARTS[start - 1] ?? REST_STARTS[0];

describe('countInstructions', () => {
  test('starts both versions of each service twice, in turns', async () => {
    const { names, record } = await counted(steady);

    expect(names).toEqual([
      ...['rest base 1', 'rest head 1', 'rest head 2', 'rest base 2'],
      ...['grpc base 1', 'grpc head 1', 'grpc head 2', 'grpc base 2'],
    ]);
    expect(record).toMatchObject({ counter: COUNTER, failures: [] });
    expect(record.starts).toHaveLength(8);
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

    expect(names.filter((name) => name.startsWith('rest'))).toEqual(['rest base 1', 'rest head 1']);
    expect(names.filter((name) => name.startsWith('grpc'))).toHaveLength(4);
    expect(record.failures).toEqual([
      { service: 'rest', side: 'head', message: 'rest: ended before it was ready', next: 'Look.' },
    ]);
    expect(lines.join('\n')).toContain('rest, head: instructions cannot be counted: rest: ended before it was ready');
  });

  test('ends with what it has if it is aborted', async () => {
    const { names, record } = await counted(steady, () => undefined);

    expect(names).toEqual(['rest base 1']);
    expect(record).toEqual({ counter: COUNTER, starts: [], failures: [] });
  });

  test('refuses a runtime in which nothing is counted', async () => {
    const { bench } = fakeRounds();

    await expect(countInstructions(bench, () => sampleCounts())).rejects.toThrow(EnvironmentError);
  });
});
