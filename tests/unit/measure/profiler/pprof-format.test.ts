import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { EnvironmentError } from '../../../../src/foundation/errors.ts';
import { pprofStacks } from '../../../../src/measure/profiler/pprof-format.ts';
import { foldStacks } from '../../../../src/measure/profiler/stacks.ts';
import { samplePprof } from '../../../support/sample-pprof.ts';

const GO = gunzipSync(readFileSync(new URL('../../../fixtures/profiler/go.pprof.gz', import.meta.url)));

const names = (bytes: Buffer) =>
  pprofStacks(bytes).map(({ frames, count }) => `${frames.map(({ name }) => name).join(' ')} ${count}`);

/** One field of bytes: its number, and what is in it, below 128 bytes. */
const piece = (field: number, ...bytes: readonly number[]) => Buffer.from([field * 8 + 2, bytes.length, ...bytes]);

const refusalOf = (bytes: Buffer): string => {
  try {
    pprofStacks(bytes);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(EnvironmentError);
    return (thrown as EnvironmentError).message;
  }
  throw new Error('nothing was refused');
};

describe('a profile of pprof', () => {
  test('that Go wrote has the functions that take the time, with their files', () => {
    const { functions, calls, stacks } = foldStacks(pprofStacks(GO));
    expect(stacks).toBeGreaterThan(100);
    const [slow = 0, fast = 0] = ['main.slow', 'main.fast'].map(
      (name) => functions.find((one) => one.name === name && one.object === 'main.go')?.inclusive,
    );
    expect(slow).toBeGreaterThan(2 * fast);
    expect(fast).toBeGreaterThan(0);
    expect(calls[0]).toMatchObject({ name: 'runtime.main', object: 'proc.go', parent: -1 });
  });

  test('has the outermost call first, and each function that the compiler put into another one', () => {
    const samples = [
      { calls: ['sum<add', 'work', 'main'], values: [3, 3e7] },
      { calls: ['work', 'main'], values: [2, 2e7] },
      { calls: [], values: [1, 1e7] },
    ];
    expect(names(samplePprof({ samples }))).toEqual(['main work add sum 3', 'main work 2', ' 1']);
  });

  test('without a number of stacks has those of its duration', () => {
    const samples = [{ calls: ['work'], values: [29_000_000] }];
    expect(names(samplePprof({ kinds: ['cpu in nanoseconds'], samples }))).toEqual(['work 3']);
    expect(refusalOf(samplePprof({ kinds: ['cpu in nanoseconds'], samples, period: 0 }))).toMatch(
      /must contain CPU time/,
    );
  });

  test('names a place without symbols by its file', () => {
    const [stack] = pprofStacks(samplePprof({ samples: [{ calls: ['', 'main'], values: [1, 1e7] }] }));
    expect(stack?.frames).toEqual([
      { name: 'main', object: 'main.go' },
      { name: '???', object: 'app' },
    ]);
  });

  test('that is not of CPU time is refused with what it has', () => {
    expect(refusalOf(samplePprof({ kinds: ['inuse_objects in count', 'inuse_space in bytes'] }))).toBe(
      'the pprof profile cannot be read: it must contain CPU time (cpu in nanoseconds), but contains inuse_objects in count and inuse_space in bytes',
    );
    // The time by the clock, of fgprof.
    expect(refusalOf(samplePprof({ kinds: ['samples in count', 'time in nanoseconds'] }))).toMatch(
      /must contain CPU time/,
    );
    expect(refusalOf(Buffer.alloc(0))).toMatch(/but contains no values$/);
  });

  test.each([
    ['text', Buffer.from('<!doctype html><title>Not found</title>')],
    ['half of one', GO.subarray(0, Math.floor(GO.length / 2) + 1)],
    ['a number in the place of a message', Buffer.from([2 * 8, 1])],
    ['a field of no type', Buffer.from([2 * 8 + 7, 1])],
    ['a number without an end', piece(12, ...Array(12).fill(0xff))],
  ])('%s is none', (_what, bytes) => {
    expect(refusalOf(bytes)).toMatch(/^the pprof profile cannot be read: it is in another format$/);
  });

  test.each([-1, 2e9])('a stack that was seen %d times is refused', (count) => {
    expect(refusalOf(samplePprof({ samples: [{ calls: ['work'], values: [count, 1e7] }] }))).toMatch(/was seen/);
  });

  test('what it refers to and does not have is unknown', () => {
    const cpu = samplePprof({});
    // A sample at place 9, seen twice.
    const strange = Buffer.concat([cpu, piece(2, 1 * 8, 9, 2 * 8 + 2, 2, 2, 0)]);
    expect(pprofStacks(strange)).toEqual([{ frames: [{ name: '???', object: '' }], count: 2 }]);
  });

  test('that is made to take memory and time is refused', () => {
    expect(refusalOf(Buffer.alloc(1_000_002, piece(2)))).toMatch(/it has more than 500,000 entries$/);
    // A sample of 1,000 calls, whose lengths have two bytes each.
    const deep = Buffer.concat([Buffer.from([2 * 8 + 2, 0xeb, 0x07, 1 * 8 + 2, 0xe8, 0x07]), Buffer.alloc(1000, 1)]);
    expect(refusalOf(Buffer.concat([samplePprof({}), ...Array(2001).fill(deep)]))).toMatch(
      /more than 2,000,000 calls in its stacks$/,
    );
  });

  test('of a recursion keeps its innermost thousand calls, and of a long name the beginning', () => {
    const long = 'x'.repeat(5000);
    const calls = [long, ...Array(5000).fill('again')];
    const [stack] = pprofStacks(
      samplePprof({ samples: [{ calls, values: [1, 1e7] }], files: { [long]: `/${long}/a.go` } }),
    );
    expect(stack?.frames).toHaveLength(1000);
    expect(stack?.frames.at(-1)).toEqual({ name: 'x'.repeat(200), object: 'a.go' });
  });
});
