import { expect, test } from 'vitest';
import {
  type ExecutedCall,
  executedCallsSchema,
  MAX_CALLS,
  unitedCalls,
} from '../../../../../src/model/run/functions.ts';

const call = (name: string, inclusive: number, parent = -1): ExecutedCall => ({
  name,
  object: 'shop',
  inclusive,
  parent,
});

/** Each call with those that led to it. */
const drawn = (calls: readonly ExecutedCall[]): readonly string[] =>
  calls.map((one) => {
    const names: string[] = [];
    for (let next: ExecutedCall | undefined = one; next !== undefined; next = calls[next.parent]) {
      names.unshift(next.name);
    }
    return `${names.join(' > ')} ${one.inclusive}`;
  });

test('what was called in the same way is added up, by its weight', () => {
  const get = [call('main', 100), call('get', 60, 0), call('encode', 50, 1)];
  const list = [call('main', 300), call('list', 200, 0), call('get', 90, 0), call('encode', 150, 1)];

  const united = unitedCalls([
    { weight: 0.5, calls: get },
    { weight: 0.1, calls: list },
  ]);

  expect(drawn(united)).toEqual([
    'main 80',
    'main > get 39',
    'main > get > encode 25',
    'main > list 20',
    'main > list > encode 15',
  ]);
});

test('programs stand below their names', () => {
  const united = unitedCalls([
    { weight: 1, calls: [call('main', 100), call('other', 20)], below: 'gateway' },
    { weight: 1, calls: [call('main', 70)], below: 'orders' },
  ]);

  expect(drawn(united)).toEqual([
    'gateway 120',
    'gateway > main 100',
    'orders 70',
    'orders > main 70',
    'gateway > other 20',
  ]);
});

test('only those that executed most are kept, each after its caller', () => {
  const deep = Array.from({ length: MAX_CALLS }, (_, place) => call(`f${place}`, 7, place - 1));
  const wide = Array.from({ length: 50 }, (_, place) => call(`g${place}`, 5));

  const united = unitedCalls([
    { weight: 1, calls: deep },
    { weight: 1, calls: wide },
    { weight: 0.01, calls: [call('little', 40)] },
  ]);

  expect(united.map(({ name }) => name)).toEqual(deep.map(({ name }) => name));
  expect(executedCallsSchema.safeParse(united).success).toBe(true);
  expect(unitedCalls([{ weight: 0.01, calls: [call('little', 40)] }])).toEqual([]);
});

test('a list in which a call stands before its caller is refused, and so is one that is too long', () => {
  const problems = (calls: readonly ExecutedCall[]) =>
    executedCallsSchema.safeParse(calls).error?.issues.map(({ message }) => message);

  expect(problems([call('main', 7, 1), call('get', 7)])).toEqual(['a call before its caller']);
  expect(problems([call('main', 7, 0)])).toEqual(['a call before its caller']);
  expect(problems(Array.from({ length: MAX_CALLS + 1 }, () => call('main', 7)))).toEqual([
    `more than ${MAX_CALLS} calls`,
  ]);
});
