import { describe, expect, it } from 'vitest';
import { perMessage } from '../../../../src/measure/samples/machine.ts';
import { summarise } from '../../../../src/measure/samples/summary.ts';
import type { ScheduledRecords } from '../../../../src/model/load.ts';
import { type Call, partOf } from './synthetic-records.ts';

const SECOND = { fromMs: 0, toMs: 1000 };

/** A closed loop in which every tenth answer is a failure; the first message of each is there after a quarter of its time. */
function streams(count: number, changes: Partial<ScheduledRecords> = {}): ScheduledRecords {
  const calls = Array.from(
    { length: count },
    (_, index): Call => ({ startMs: index, latencyMs: 4, ...(index % 10 === 0 && { failure: 'stream ended early' }) }),
  );
  const part = partOf(calls, { ratePerSecond: undefined, messages: 100, ...changes });
  const firstMs = Float64Array.from(calls, ({ failure }) => (failure === undefined ? 1 : Number.NaN));
  return { ...part, records: { ...part.records, firstMs } };
}

describe('a load of streams', () => {
  it('has the time to the first message and the messages per second of those that are whole', () => {
    const { values } = summarise([streams(200)], SECOND);

    expect(values).toMatchObject({
      firstMessageP50Ms: 1,
      firstMessageP99Ms: 1,
      achievedRps: 180,
      messagesPerSecond: 18_000,
      errorRate: 0.1,
    });
  });

  it('has no p99 of a few, and nothing of answers without a first message', () => {
    expect(summarise([streams(50)], SECOND).values).not.toHaveProperty('firstMessageP99Ms');
    const { records, ...part } = streams(200);
    const none = { ...part, records: { ...records, firstMs: records.firstMs?.map(() => Number.NaN) } };
    expect(summarise([none], SECOND).values).not.toHaveProperty('firstMessageP50Ms');
  });

  it('has its messages added up over its operations, and none if one of them has no streams', () => {
    const other = streams(100, { operation: 'Other', messages: 1 });

    expect(summarise([streams(200), other], SECOND).values.messagesPerSecond).toBe(18_090);
    expect(summarise([streams(200), { ...other, messages: undefined }], SECOND).values).not.toHaveProperty(
      'messagesPerSecond',
    );
  });

  it('has the CPU time of a request shared by the messages of those that are whole', () => {
    expect(perMessage({ cpuMicrosPerRequest: 900 }, [streams(200)])).toEqual({ cpuMicrosPerMessage: 10 });
    expect(perMessage({ cpuMicrosPerRequest: 900 }, [streams(200), streams(9, { messages: undefined })])).toEqual({});
    expect(perMessage({}, [streams(200)])).toEqual({});
    expect(perMessage({ cpuMicrosPerRequest: 900 }, [])).toEqual({});
  });
});

it('a response that is not a stream has none of it', () => {
  const { values } = summarise([partOf([{ startMs: 0, latencyMs: 2 }], { ratePerSecond: undefined })], SECOND);

  expect(Object.keys(values).filter((name) => /message/i.test(name))).toEqual([]);
});
