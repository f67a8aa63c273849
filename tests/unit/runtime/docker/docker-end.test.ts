import type { Container } from 'dockerode';
import { expect, test } from 'vitest';
import { endOfContainer, lastLogLines, textOfFrames } from '../../../../src/runtime/docker/container.ts';
import { containerEnd, type Ended, lostContainer } from '../../../../src/runtime/ended.ts';

interface Reported {
  /** How often it is asked before it knows of the memory. */
  readonly lateLooks?: number;
  readonly state?: { readonly OOMKilled: boolean; readonly ExitCode: number };
  readonly log?: string;
  /** The engine cannot be asked. */
  readonly refusal?: string;
}

function endOf({ state, lateLooks = 0, log = '', refusal }: Reported, isStopping = () => false): Promise<Ended> {
  let looks = 0;
  const reported = {
    wait: async () => {
      if (refusal !== undefined) {
        throw new Error(refusal);
      }
    },
    inspect: async () => {
      looks += 1;
      return { State: looks > lateLooks ? state : { ...state, OOMKilled: false } };
    },
    logs: async () => framed(log),
  };
  const container = reported as unknown as Container;
  return endOfContainer({ name: 'db', container, memoryMiB: 48, isStopping });
}

test('lastLogLines keeps 20 characters for each of many lines', async () => {
  const container = { logs: async () => framed('a line\n'.repeat(40_000)) } as unknown as Container;

  expect((await lastLogLines(container, 400)).length).toBeLessThanOrEqual(8000);
  expect((await lastLogLines(container, 10_000)).length).toBeGreaterThan(199_000);
});

function framed(text: string, stream = 1): Buffer {
  const payload = Buffer.from(text);
  const header = Buffer.alloc(8);
  header.writeUInt8(stream, 0);
  header.writeUInt32BE(payload.length, 4);
  return Buffer.concat([header, payload]);
}

test.each([
  [
    'both streams, in their order',
    Buffer.concat([framed('Listening on 0.0.0.0:5000\n'), framed('Traceback: zu groß\n', 2), framed('')]),
    'Listening on 0.0.0.0:5000\nTraceback: zu groß\n',
  ],
  ['a log that was cut off', Buffer.concat([framed('one\n'), framed('two\n').subarray(0, 10)]), 'one\ntw'],
  ['an empty log', Buffer.alloc(0), ''],
])('textOfFrames returns the text of %s', (_what, raw, text) => {
  expect(textOfFrames(raw)).toBe(text);
});

const seen = { name: 'db', limitMiB: 48, log: '' };

test.each<[string, Reported, Ended]>([
  [
    'its exit code and its last lines',
    { state: { OOMKilled: false, ExitCode: 3 }, log: 'serving\nleaving\n' },
    containerEnd({ ...seen, exitCode: 3, log: 'serving\nleaving' }),
  ],
  [
    'its limit, where the engine killed it over that',
    { state: { OOMKilled: true, ExitCode: 137 }, log: 'eating\n' },
    containerEnd({ ...seen, exitCode: 'out-of-memory', log: 'eating' }),
  ],
  [
    'its limit, if the engine hears of that after the end',
    { state: { OOMKilled: true, ExitCode: 137 }, lateLooks: 3 },
    containerEnd({ ...seen, exitCode: 'out-of-memory' }),
  ],
  [
    'its exit code, if something else killed it',
    { state: { OOMKilled: false, ExitCode: 137 } },
    containerEnd({ ...seen, exitCode: 137 }),
  ],
  ['no more than why the engine is silent', { refusal: 'socket hang up' }, lostContainer('db', 'socket hang up')],
])('the end of a container has %s', async (_what, reported, end) => {
  expect(await endOf(reported)).toEqual(end);
});

test.each<[string, Reported]>([
  ['in order', { state: { OOMKilled: false, ExitCode: 0 } }],
  ['while the engine goes away', { refusal: 'socket hang up' }],
])('a container that is stopped from here %s has no end by itself', async (_how, reported) => {
  const later = new Promise((resolve) => setTimeout(resolve, 50, 'open'));

  expect(await Promise.race([endOf(reported, () => true), later])).toBe('open');
});
