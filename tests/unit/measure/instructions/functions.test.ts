import { expect, test } from 'vitest';
import { countedPerRequest } from '../../../../src/measure/instructions/functions.ts';
import { type ExecutedFunction, MAX_FUNCTIONS } from '../../../../src/model/run/functions.ts';

type Measured = Parameters<typeof countedPerRequest>[0];

const functionsPerRequest = (measured: Measured) => countedPerRequest(measured).functions ?? [];

const callsPerRequest = (measured: Measured) => countedPerRequest(measured).calls ?? [];

const executed = (name: string, self: number, inclusive: number) => ({
  name,
  object: 'shop',
  self,
  inclusive,
});

const inOneWindow = (...functions: readonly ExecutedFunction[]) => ({ windows: [{ instructions: 1, functions }] });

test('functions are reported for a request of the service, by the shares of its operations', () => {
  const reported = [
    {
      share: 0.75,
      requests: 300,
      ...inOneWindow(executed('serve', 3000, 90_000), executed('read', 60_000, 60_000), executed('init', 10, 10)),
    },
    {
      share: 0.25,
      requests: 100,
      ...inOneWindow(executed('serve', 1000, 50_000), { ...executed('read', 400, 400), object: 'libc.so.6' }),
    },
  ];

  expect(functionsPerRequest(reported)).toEqual([
    executed('serve', 10, 350),
    executed('read', 150, 150),
    { ...executed('read', 1, 1), object: 'libc.so.6' },
  ]);
});

test('operations that both versions have count as the whole', () => {
  const reported = [{ share: 0.5, requests: 10, ...inOneWindow(executed('serve', 100, 1000)) }];

  expect(functionsPerRequest(reported)).toEqual([executed('serve', 10, 100)]);
});

test('functions of only some operations say nothing of the service', () => {
  const reported = [
    { share: 0.5, requests: 10, ...inOneWindow(executed('serve', 100, 1000)) },
    { share: 0.5, requests: 10, ...inOneWindow() },
  ];

  expect(functionsPerRequest(reported)).toEqual([]);
  expect(functionsPerRequest([])).toEqual([]);
});

test('only the functions that execute most are kept', () => {
  const functions = (from: number) =>
    Array.from({ length: MAX_FUNCTIONS }, (_, index) => executed(`f${from + index}`, 10, 10 * (from + index + 1)));
  const reported = [0, MAX_FUNCTIONS].map((from) => ({ share: 0.5, requests: 1, ...inOneWindow(...functions(from)) }));

  const kept = functionsPerRequest(reported);

  expect(kept).toHaveLength(MAX_FUNCTIONS);
  expect(kept[0]?.name).toBe(`f${2 * MAX_FUNCTIONS - 1}`);
  expect(kept.at(-1)?.name).toBe(`f${MAX_FUNCTIONS}`);
});

test('the median of the last windows provides the functions', () => {
  const instructions = [5000, 1300, 1000, 1100];
  const windows = instructions.map((count) => ({ instructions: count, functions: [executed('serve', 10, count)] }));

  expect(functionsPerRequest([{ share: 1, requests: 1, windows }])).toEqual([executed('serve', 10, 1100)]);
});

test('calls are reported for a request of the service, of the same windows and by the same shares', () => {
  const called = (name: string, inclusive: number, parent = -1) => ({ name, object: 'shop', inclusive, parent });
  const calls = [called('serve', 3000), called('get', 600, 0)];
  const getWindows = [{ instructions: 9000 }, { instructions: 3000, calls }, { instructions: 2000 }];
  const get = { share: 0.75, requests: 30, windows: getWindows };
  const list = { share: 0.25, requests: 10 };
  const listCalls = [called('serve', 800), called('list', 400, 0)];

  expect(callsPerRequest([get, { ...list, windows: [{ instructions: 800, calls: listCalls }] }])).toEqual([
    called('serve', 95),
    called('get', 15, 0),
    called('list', 10, 0),
  ]);
  expect(callsPerRequest([get, { ...list, windows: [{ instructions: 800 }] }])).toEqual([]);
});
