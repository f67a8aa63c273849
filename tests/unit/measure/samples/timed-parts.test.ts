import { expect, it } from 'vitest';
import { timedParts } from '../../../../src/measure/samples/records.ts';
import { partOf } from './synthetic-records.ts';

it('the time to the first message counts from when the request was due, as the latency does', () => {
  const part = partOf([
    { startMs: 0, latencyMs: 9 },
    { startMs: 14, latencyMs: 9 },
  ]);
  const records = { ...part.records, firstMs: Float64Array.of(2, 3) };

  const [timed] = timedParts([{ ...part, records }]);

  expect([...(timed?.timing.latencyMs ?? [])]).toEqual([9, 13]);
  expect([...(timed?.timing.firstMs ?? [])]).toEqual([2, 7]);
  expect(timedParts([part])[0]?.timing).not.toHaveProperty('firstMs');
});
