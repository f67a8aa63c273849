import { expect, test } from 'vitest';
import { summarise } from '../../../../src/measure/samples/summary.ts';
import type { Records } from '../../../../src/model/load.ts';
import { type Call, partOf } from './synthetic-records.ts';

const COUNT = 3000;

const calls: Call[] = Array.from({ length: COUNT }, (_, index) => ({
  startMs: index,
  latencyMs: 0.1 * 1000 ** (((index * 7919) % COUNT) / COUNT),
  ...(index % 97 === 0 && { failure: index % 2 === 0 ? 'HTTP 503' : 'timeout' }),
}));

/** Every nth request of all, as a generator has them. */
function dealt(of: number) {
  const { records } = partOf(calls, { ratePerSecond: 1000 });
  return Array.from({ length: of }, (_, index) => {
    const own = <Column extends Float64Array | Uint16Array>(column: Column) =>
      column.filter((_value, at) => at % of === index) as Column;
    const { dueMs = new Float64Array(), startMs, latencyMs, failure } = records;
    const share: Records = {
      ...records,
      ...{ dueMs: own(dueMs), startMs: own(startMs), latencyMs: own(latencyMs), failure: own(failure) },
    };
    const planned = share.startMs.length;
    return { operation: 'GetUser', records: share, ratePerSecond: 1000 / of, planned, workers: 1 };
  });
}

test.each([2, 3, 8, 1000])('records of %i generators have the summary of all requests', (of) => {
  const window = { fromMs: 100, toMs: 2500 };
  const { offeredRps, ...whole } = summarise(dealt(1), window);

  const { offeredRps: offered, ...merged } = summarise(dealt(of), window);

  expect(merged).toEqual(whole);
  expect(offered).toBeCloseTo(offeredRps ?? 0);
});

test('the requests of a generator that is lost are missing', () => {
  const [{ records, ...lost } = { records: undefined }, ...others] = dealt(3);
  const none = new Float64Array();
  const empty = {
    originMs: 0,
    dueMs: none,
    startMs: none,
    latencyMs: none,
    failure: new Uint16Array(),
    failureKinds: [],
  };

  const summary = summarise([{ ...lost, records: empty } as never, ...others], { fromMs: 0, toMs: COUNT });

  expect([records?.startMs.length, summary.requests, summary.droppedRequests]).toEqual([1000, 2000, 1000]);
});
