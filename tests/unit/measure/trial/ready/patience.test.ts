import { describe, expect, test } from 'vitest';
import { patienceWith } from '../../../../../src/measure/trial/ready.ts';
import { standingService } from '../../../../support/fakes.ts';

interface Start {
  /** CPU seconds so far, by seconds since the start; undefined: they cannot be seen. */
  readonly cpu?: (seconds: number) => number;
  readonly logs?: (seconds: number) => string;
  readonly timeoutSeconds?: number;
}

async function endOf({ cpu, logs = () => '', timeoutSeconds }: Start): Promise<string> {
  let seconds = 0;
  const running = standingService({
    logs: async () => logs(seconds),
    ...(cpu !== undefined && { cpuSeconds: async () => cpu(seconds) }),
  });
  const patience = patienceWith(running, { check: { kind: 'usual' }, timeoutSeconds }, 0);
  for (; ; seconds += 0.5) {
    const end = await patience(seconds * 1000);
    if (end !== undefined) {
      return end;
    }
  }
}

const WORKING = (seconds: number) => 0.5 * seconds;

describe('a service is waited for', () => {
  test.each<[string, Start, string | RegExp]>([
    ['for 20 s if it does nothing', { cpu: () => 0.1 }, /^after 20 s$/],
    ['for 20 s if only our own checks keep it busy', { cpu: (seconds) => 0.05 * seconds }, 'after 20 s'],
    ['for 20 s if nothing of it can be seen', { logs: (seconds) => `line ${'x'.repeat(seconds)}` }, 'after 20 s'],
    ['for 180 s if it works', { cpu: WORKING }, 'after 180 s'],
    [
      'until it has done nothing for 20 s',
      { cpu: (seconds) => WORKING(Math.min(seconds, 60)) },
      'after 80 s, the last 20 s without progress',
    ],
    [
      'while it prints',
      { cpu: () => 0, logs: (seconds) => 'x'.repeat(Math.min(seconds, 50)) },
      /^after 7\d s, the last/,
    ],
    [
      'not for lines that differ in their numbers alone',
      { cpu: () => 0, logs: (s) => `try ${s}: refused` },
      /^after 2\d s/,
    ],
    ['as long as its configuration says, though it works', { cpu: WORKING, timeoutSeconds: 3 }, 'after 3 s'],
    ['as long as its configuration says, though it is idle', { cpu: () => 0, timeoutSeconds: 300 }, 'after 300 s'],
  ])('%s', async (_, start, end) => {
    expect(await endOf(start)).toMatch(end);
  });

  test('though its counters cannot be read any more', async () => {
    const running = standingService({ cpuSeconds: () => Promise.reject(new Error('no such container')) });

    expect(await patienceWith(running, undefined, 0)(5000)).toBeUndefined();
  });
});
