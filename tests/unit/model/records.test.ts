import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ascendingOrder, recordColumns } from '../../../src/load/records.ts';

describe('ascendingOrder', () => {
  it('is the order that a stable sort gives', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 70 }), (keys) => {
        const expected = keys.map((_, index) => index).sort((left, right) => (keys[left] ?? 0) - (keys[right] ?? 0));
        expect([...ascendingOrder(Float64Array.from(keys))]).toEqual(expected);
      }),
    );
  });
});

describe('columns of records', () => {
  it('come in order of start, with latency and failure beside', () => {
    const columns = recordColumns();
    columns.add({ seconds: 1_000, nanoseconds: 2_500_000 }, 7_000_000, 0);
    columns.add({ seconds: 1_000, nanoseconds: -1_000_000 }, 1_500_000, 2);
    columns.add({ seconds: 1_001, nanoseconds: 0 }, 0, 1);

    const records = columns.finish(['timeout', 'HTTP 503']);

    expect(records).toEqual({
      originMs: 1_000_000,
      startMs: Float64Array.of(-1, 2.5, 1000),
      latencyMs: Float64Array.of(1.5, 7, 0),
      failure: Uint16Array.of(2, 0, 1),
      failureKinds: ['timeout', 'HTTP 503'],
    });
  });

  it('keep every record while they grow', () => {
    const columns = recordColumns();
    for (let index = 0; index < 5000; index += 1) {
      columns.add({ seconds: 50, nanoseconds: index }, index, 0);
    }

    const { startMs, latencyMs, failure } = columns.finish([]);

    expect([startMs.length, latencyMs.length, failure.length, columns.count()]).toEqual([5000, 5000, 5000, 5000]);
    expect(latencyMs[4999]).toBeCloseTo(0.004999, 9);
  });

  it('keep nanoseconds of today apart', () => {
    const columns = recordColumns();
    columns.add({ seconds: 1_795_219_200, nanoseconds: 0 }, 1, 0);
    columns.add({ seconds: 1_795_219_260, nanoseconds: 1 }, 1, 0);

    const { startMs } = columns.finish([]);

    expect(startMs[1]).toBe(60_000.000001);
  });

  it('of no records are empty', () => {
    expect(recordColumns().finish([]).startMs).toHaveLength(0);
  });
});
