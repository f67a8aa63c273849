import { describe, expect, it } from 'vitest';
import { ghzReader } from '../../../src/load/ghz/records.ts';
import { recordColumns, timedParts } from '../../../src/load/records.ts';
import { vegetaReader } from '../../../src/load/vegeta/records.ts';
import { kindsOf, readAll, recording } from './recordings.ts';
import { partOf } from './synthetic-records.ts';

describe('the time to the first message', () => {
  it('is read of records over HTTP, where the driver has it in the place of the name of an attack', () => {
    const named = Buffer.from(recording('vegeta/bodies.gob'));
    for (let at = named.indexOf('soak'); at >= 0; at = named.indexOf('soak', at + 4)) {
      named.write('1500', at);
    }

    const { records } = readAll(vegetaReader(), named);

    expect(records.startMs.length).toBeGreaterThan(10);
    expect([...new Set(records.firstMs)]).toEqual([0.0015]);
    expect(records.firstMs).toHaveLength(records.startMs.length);
    expect(readAll(vegetaReader(), recording('vegeta/bodies.gob')).records).not.toHaveProperty('firstMs');
  });

  it('is read of records over gRPC', () => {
    const call = (first: string) =>
      `{"timestamp":"2026-11-21T00:00:01.5Z","latency":500000000${first},"error":"","status":"OK"}`;
    const text = (details: string) => Buffer.from(`{"count":2,"details":[${details}]}`);

    const { records } = readAll(ghzReader(), text(`${call(',"first":2500000')},${call(',"first":3000000')}`));

    expect([...(records.firstMs ?? [])]).toEqual([2.5, 3]);
    expect(readAll(ghzReader(), text(`${call('')},${call('')}`)).records).not.toHaveProperty('firstMs');
    expect(() => readAll(ghzReader(), text(`${call(',"first":"2"')},${call('')}`))).toThrow('of a call is not valid');
  });

  it('goes with its record into the order of the starts, however many there are', () => {
    const columns = recordColumns();
    const count = 3000;
    for (let index = count; index > 0; index -= 1) {
      columns.add({ seconds: 1, nanoseconds: index * 1000 }, 5e6, 0);
      if (index % 2 === 0) {
        columns.noteFirst(index * 1e6);
      }
    }

    const { firstMs = [] } = columns.finish([]);

    expect([...firstMs].map((first, index) => (Number.isNaN(first) ? index % 2 === 0 : first === index + 1))).toEqual(
      new Array(count).fill(true),
    );
  });

  it('counts from when the request was due, as the latency does', () => {
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
});

describe('a stream that was not as it is to be', () => {
  it.each([
    ['stream: it ended before its last message', 'stream ended early'],
    ['stream: it has more messages than it is to have', 'stream too long'],
    ['stream: its last message is another one', 'another last message'],
  ])('is a failure of its own kind: %s', (error, kind) => {
    const detail = `{"timestamp":"2026-11-21T00:00:01.5Z","latency":5,"first":1,"error":"${error}","status":""}`;

    const { records } = readAll(ghzReader(), Buffer.from(`{"count":1,"details":[${detail}]}`));

    expect(kindsOf(records)).toEqual({ [kind]: 1 });
  });
});
