import { describe, expect, it } from 'vitest';
import { MeasurementError } from '../../../../src/foundation/errors.ts';
import { ghzReader } from '../../../../src/load/ghz/records.ts';
import { byStart, kindsOf, readAll, recording, rowsOf } from '../recordings.ts';

const NAMES = ['ok', 'statuses', 'refused', 'deadline', 'closed-loop', 'other-zone', 'other-zone-west'];

interface Report {
  readonly date: string;
  readonly details: readonly { readonly timestamp: string; readonly latency: number }[];
}

/** The same by JSON.parse of the whole file. */
function parsedRows(name: string) {
  const report: Report = JSON.parse(recording(`ghz/${name}.json`).toString());
  return report.details.map(({ timestamp, latency }) => {
    const nanoseconds = BigInt((/\.(\d+)/.exec(timestamp)?.[1] ?? '').padEnd(9, '0'));
    const secondMs = BigInt(Date.parse(timestamp.replace(/\.\d+/, '')));
    return { startNs: secondMs * 1_000_000n + nanoseconds - BigInt(latency), latencyNs: latency };
  });
}

function text(details: string, header = '"count":1'): Buffer {
  return Buffer.from(`{"date":"2026-11-21T00:00:00Z",${header},"details":${details}}`);
}

const CALL = '{"timestamp":"2026-11-21T00:00:01.5Z","latency":500000000,"error":"","status":"OK"}';

describe('the reader of ghz records', () => {
  it('hides secrets in the text of an error before numbers are taken out of it', () => {
    const failed = CALL.replace('"error":"","status":"OK"', '"error":"no tok-en-12 here","status":"?"');
    const mask = (error: string): string => error.replaceAll('tok-en-12', '***');

    const { records } = readAll(ghzReader(undefined, mask), text(`[${failed}]`));

    expect(records.failureKinds).toEqual(['other: no *** here']);
  });

  it.each(NAMES)(
    'reads the calls of the recording "%s" with their start, which is the end less the latency',
    (name) => {
      const { records, cutOff } = readAll(ghzReader(), recording(`ghz/${name}.json`));

      const expected = parsedRows(name).sort(byStart);
      expect(rowsOf(records).map(({ startNs }) => startNs)).toEqual(expected.map((row) => row.startNs));
      expect(rowsOf(records).map(({ latencyNs }) => latencyNs)).toEqual(expected.map((row) => row.latencyNs));
      expect(cutOff).toBe(false);
    },
  );

  it.each([
    ['ok', { ok: 210 }],
    ['statuses', { ok: 13, NotFound: 13, Unavailable: 13 }],
    ['refused', { 'connection refused': 20 }],
    ['deadline', { ok: 6, DeadlineExceeded: 5 }],
    ['closed-loop', { ok: 40 }],
  ])('names the kinds of failure in the recording "%s"', (name, kinds) => {
    const { records } = readAll(ghzReader(), recording(`ghz/${name}.json`));

    expect(kindsOf(records)).toEqual(kinds);
  });

  it.each(['other-zone', 'other-zone-west'])(
    'reads times of any zone: "%s" ran in the second of its report',
    (name) => {
      const report: Report = JSON.parse(recording(`ghz/${name}.json`).toString());

      const { records } = readAll(ghzReader(), recording(`ghz/${name}.json`));

      const lastMs = records.originMs + (records.startMs.at(-1) ?? 0) + (records.latencyMs.at(-1) ?? 0);
      expect(Math.abs(lastMs - Date.parse(report.date))).toBeLessThan(1500);
    },
  );

  it.each([1, 7, 64, 4096])('reads the same in pieces of %i bytes', (length) => {
    const bytes = recording('ghz/refused.json');

    expect(readAll(ghzReader(), bytes, length)).toEqual(readAll(ghzReader(), bytes));
  });

  it('gives the whole records before a cut at any byte, and says that the output was cut off', () => {
    const bytes = recording('ghz/deadline.json');
    const expected = parsedRows('deadline');
    let most = 0;

    for (let length = 0; length <= bytes.length - 2; length += 1) {
      const { records, cutOff } = readAll(ghzReader(), bytes.subarray(0, length), 500);
      const inTheFile = expected.slice(0, records.startMs.length).sort(byStart);
      expect(rowsOf(records).map(({ startNs }) => startNs)).toEqual(inTheFile.map(({ startNs }) => startNs));
      expect(cutOff).toBe(true);
      most = Math.max(most, records.startMs.length);
    }
    expect(most).toBe(expected.length);
  });

  it('finds no records in no output, which was cut off before it began', () => {
    const { records, cutOff } = ghzReader().finish();

    expect({ length: records.startMs.length, cutOff }).toEqual({ length: 0, cutOff: true });
  });

  it.each(['null', '[]'])('finds no records in a report without calls (%s)', (details) => {
    const { records, cutOff } = readAll(ghzReader(), text(details, '"count":0'));

    expect({ length: records.startMs.length, cutOff }).toEqual({ length: 0, cutOff: false });
  });

  it('says so when ghz made more calls than it kept', () => {
    expect(readAll(ghzReader(), text(`[${CALL}]`, '"count":2')).cutOff).toBe(true);
    expect(readAll(ghzReader(), text(`[${CALL}]`, '"count":1')).cutOff).toBe(false);
  });

  it('is not misled by fields of the request that have the names of its own', () => {
    const header = '"options":{"data":[{"details":[{"count":7}],"timestamp":"},{"}]},"count":1';

    const { records, cutOff } = readAll(ghzReader(), text(`[${CALL}]`, header), 16);

    expect({ length: records.startMs.length, cutOff }).toEqual({ length: 1, cutOff: false });
  });

  it('is not misled by an error text that looks like records', () => {
    const odd = CALL.replace('"error":""', `"error":${JSON.stringify(`}]},${CALL},{"timestamp":"`)}`);

    const { records, cutOff } = readAll(ghzReader(), text(`[${odd},${odd}]`, '"count":2'), 16);

    expect({ length: records.startMs.length, cutOff }).toEqual({ length: 2, cutOff: false });
  });

  it.each([
    ['text', Buffer.from('ghz: error: required flag not given')],
    ['a list', Buffer.from('[1, 2]')],
    ['another object', Buffer.from('{"latencies":{"mean":1},"requests":3}')],
    ['a call without a status', text('[{"timestamp":"2026-11-21T00:00:01Z","latency":5,"error":""}]')],
    ['a call without a proper time', text(`[${CALL.replace('01.5Z', '01,5Z')}]`)],
    ['a call without an end', text(`[${CALL.replace('500000000', '1e400')}]`)],
    ['a call of no day', text(`[${CALL.replace('11-21', '13-41')}]`)],
    ['a list that is damaged in its middle', text(`[${CALL},{"timestamp":"broken,${CALL},${CALL}]`)],
  ])('refuses %s', (_, bytes) => {
    expect(() => readAll(ghzReader(), bytes)).toThrow(MeasurementError);
  });
});
