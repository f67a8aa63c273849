import { describe, expect, it } from 'vitest';
import { MeasurementError } from '../../../../src/foundation/errors.ts';
import { readRecords } from '../../../../src/measure/samples/record-file.ts';
import { recordedFile, recordFile } from '../../../support/record-file.ts';

const CALLS = [
  { startMs: 1.000001, latencyMs: 2, firstMs: 0.5 },
  { startMs: 5, latencyMs: 7.000003, outcome: { status: '503' } },
  { startMs: 9, latencyMs: 1, outcome: { status: '', text: 'connection refused' } },
];

describe('a record file', () => {
  it('is read to the nanosecond, with what failed', () => {
    const records = readRecords(recordFile(CALLS, { originMs: 1_795_219_200_000, rate: 100 }));

    expect(records).toMatchObject({ originMs: 1_795_219_200_000, failureKinds: ['HTTP 503', 'connection refused'] });
    expect([...(records?.startMs ?? [])]).toEqual([1.000001, 5, 9]);
    expect([...(records?.latencyMs ?? [])].map((ms) => ms.toFixed(6))).toEqual(['2.000000', '7.000003', '1.000000']);
    expect([...(records?.failure ?? [])]).toEqual([0, 1, 2]);
    expect([...(records?.dueMs ?? [])]).toEqual([1.000001, 11.000001, 21.000001]);
    expect([...(records?.firstMs ?? [])].map((ms) => ms.toFixed(6))).toEqual(['0.500000', 'NaN', 'NaN']);
  });

  it('has no schedule and no first messages if they are not in it', () => {
    const records = readRecords(recordFile([{ startMs: 1, latencyMs: 1 }]));

    expect(records).not.toHaveProperty('dueMs');
    expect(records).not.toHaveProperty('firstMs');
  });

  it('may be a part of a larger buffer', () => {
    const bytes = Buffer.concat([Buffer.from('x'), recordedFile('ok')]);

    expect(readRecords(bytes.subarray(1))).toEqual(readRecords(recordedFile('ok')));
  });

  it('takes the statuses that are expected for no failure', () => {
    const expected = [{ from: 503, to: 503 }];

    expect(readRecords(recordFile(CALLS), { expected })?.failureKinds).toEqual(['HTTP 200', 'connection refused']);
  });

  it('is cut off wherever it ends before its end', () => {
    const whole = recordFile(CALLS, { rate: 100 });

    for (let length = 0; length < whole.length; length += 1) {
      expect(readRecords(whole.subarray(0, length)), `${length} bytes`).toBeUndefined();
    }
  });

  it('may be without a request', () => {
    expect(readRecords(recordFile([]))?.startMs).toHaveLength(0);
  });

  it.each(['no records\n', '{}\n', '{"records":-1,"originMs":0,"columns":[],"outcomes":null}\n', '[]\n'])(
    'is refused if it begins with %j',
    (text) => {
      expect(() => readRecords(Buffer.from(text))).toThrow(MeasurementError);
    },
  );
});
