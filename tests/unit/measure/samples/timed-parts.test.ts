import { expect, it } from 'vitest';
import { timedPart } from '../../../../src/measure/samples/summary.ts';
import { partOf } from './synthetic-records.ts';

it('the time to the first message counts from when the request was due, as the latency does', () => {
  const part = partOf([
    { startMs: 0, latencyMs: 9 },
    { startMs: 14, latencyMs: 9 },
  ]);
  const records = { ...part.records, firstMs: Float64Array.of(2, 3) };

  const timed = timedPart({ ...part, records });

  expect([...timed.latencyMs]).toEqual([9, 13]);
  expect([...(timed.firstMs ?? [])]).toEqual([2, 7]);
  expect(timedPart(part).firstMs).toBeUndefined();
});
