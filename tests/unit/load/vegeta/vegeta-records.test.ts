import { describe, expect, it } from 'vitest';
import { MeasurementError } from '../../../../src/foundation/errors.ts';
import { vegetaReader } from '../../../../src/load/vegeta/records.ts';
import { byStart, kindsOf, readAll, recording, rowsOf } from '../recordings.ts';

const NAMES = ['ok', 'statuses', 'refused', 'timeout', 'broken', 'closed-loop', 'bodies', 'killed'];

/** Rows of vegeta's own reading of a recording: time, status, latency, bytes out, bytes in, error. */
function vegetasRows(name: string) {
  return recording(`vegeta/${name}.csv`)
    .toString()
    .trim()
    .split('\n')
    .map((line) => line.split(','))
    .map(([time = '', , latency = '']) => ({
      startNs: BigInt(time),
      latencyNs: Number(latency),
    }));
}

describe('the reader of vegeta records', () => {
  it.each(NAMES)('reads of the recording "%s" what vegeta itself reads of it, in order of start', (name) => {
    const { records, cutOff } = readAll(vegetaReader(), recording(`vegeta/${name}.gob`));

    const expected = vegetasRows(name).sort(byStart);
    expect(rowsOf(records).map(({ startNs }) => startNs)).toEqual(expected.map((row) => row.startNs));
    expect(rowsOf(records).map(({ latencyNs }) => latencyNs)).toEqual(expected.map((row) => row.latencyNs));
    expect(cutOff).toBe(false);
  });

  it.each([
    ['ok', { ok: 200 }],
    ['statuses', { ok: 10, 'HTTP 404': 10, 'HTTP 503': 10, 'HTTP 302': 10 }],
    ['refused', { 'connection refused': 20 }],
    ['timeout', { ok: 5, timeout: 5 }],
    ['broken', { ok: 10, 'connection closed': 10, 'connection reset': 10 }],
  ])('names the kinds of failure in the recording "%s"', (name, kinds) => {
    const { records } = readAll(vegetaReader(), recording(`vegeta/${name}.gob`));

    expect(kindsOf(records)).toEqual(kinds);
  });

  it.each([1, 7, 64, 4096])('reads the same in pieces of %i bytes', (length) => {
    const bytes = recording('vegeta/broken.gob');

    expect(readAll(vegetaReader(), bytes, length)).toEqual(readAll(vegetaReader(), bytes));
  });

  it('gives the whole records before a cut at any byte, and says that the output was cut off', () => {
    const bytes = recording('vegeta/timeout.gob');
    const whole = rowsOf(readAll(vegetaReader(), bytes).records);
    const inFileOrder = vegetasRows('timeout').map(({ startNs }) => startNs);
    let before = 0;

    for (let length = 0; length < bytes.length; length += 1) {
      const { records, cutOff } = readAll(vegetaReader(), bytes.subarray(0, length));
      const count = records.startMs.length;
      const expected = whole.filter(({ startNs }) => inFileOrder.indexOf(startNs) < count);
      expect(rowsOf(records)).toEqual(expected);
      // Right behind a record nothing tells that more was to come.
      expect(cutOff).toBe(count === before);
      before = count;
    }
    expect(before).toBe(whole.length - 1);
  });

  it('finds no records in no output, which was cut off before it began', () => {
    const { records, cutOff } = vegetaReader().finish();

    expect({ length: records.startMs.length, cutOff }).toEqual({ length: 0, cutOff: true });
  });

  it.each([
    ['text', Buffer.from('flag provided but not defined: -redirects\nUsage: vegeta')],
    ['JSON', Buffer.from('{"attack":"","seq":0,"code":200}')],
    ['zeros', Buffer.alloc(64)],
    ['a number of ten bytes', Buffer.from([0xf6, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])],
    ['a field of another name', renamed('Latency', 'Latenzy')],
    ['a result of another order', renamed('Seq', 'Sec')],
  ])('refuses %s', (_, bytes) => {
    expect(() => readAll(vegetaReader(), bytes)).toThrow(MeasurementError);
  });

  it.each([
    ['a status of its own', [{ from: 404, to: 404 }], { ok: 10, 'HTTP 200': 10, 'HTTP 302': 10, 'HTTP 503': 10 }],
    [
      'classes',
      [
        { from: 200, to: 299 },
        { from: 300, to: 399 },
      ],
      { ok: 20, 'HTTP 404': 10, 'HTTP 503': 10 },
    ],
  ])('takes for success what is expected: %s', (_, expected, kinds) => {
    const { records } = readAll(vegetaReader(expected), recording('vegeta/statuses.gob'));

    expect(kindsOf(records)).toEqual(kinds);
  });

  it('refuses a message that is damaged in the middle of the output', () => {
    const bytes = recording('vegeta/ok.gob');
    bytes.fill(0xff, 2000, 2400);

    expect(() => readAll(vegetaReader(), bytes)).toThrow(/vegeta's records cannot be read/);
  });
});

function renamed(field: string, other: string): Buffer {
  const bytes = recording('vegeta/ok.gob');
  bytes.write(other, bytes.indexOf(field));
  return bytes;
}
