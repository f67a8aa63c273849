import { readFileSync } from 'node:fs';
import { type GobCursor, readInt, readUint } from '../../src/load/index.ts';

interface Call {
  readonly sequence: number;
  /** Unix time of the start and length, in nanoseconds. */
  readonly startNs: bigint;
  readonly latencyNs: number;
}

/** Raw records as ghz writes them: one JSON object. */
export function* ghzRecords(count: number, rate: number): Iterable<Uint8Array> {
  yield Buffer.from(`{"date":"2026-11-21T00:00:00Z","endReason":"timeout","options":{},"count":${count},"details":[`);
  for (const { sequence, startNs, latencyNs } of calls(count, rate)) {
    const end = startNs + BigInt(latencyNs);
    const second = new Date(Number(end / 1_000_000_000n) * 1000).toISOString().slice(0, 19);
    const fraction = String(end % 1_000_000_000n).padStart(9, '0');
    const separator = sequence === 0 ? '' : ',';
    yield Buffer.from(
      `${separator}{"timestamp":"${second}.${fraction}Z","latency":${latencyNs},"error":"","status":"OK"}`,
    );
  }
  yield Buffer.from(']}');
}

/** Raw records as vegeta writes them: the type definitions of a real recording, then a message per request. */
export function* vegetaRecords(count: number, rate: number): Iterable<Uint8Array> {
  yield definitions(readFileSync(new URL('../tests/fixtures/vegeta/ok.gob', import.meta.url)));
  for (const call of calls(count, rate)) {
    const body = Buffer.concat([RESULT_TYPE, resultFields(call)]);
    yield Buffer.concat([gobUint(body.length), body]);
  }
}

/** A steady load whose latencies spread over three decades; out of order by up to the latency, as tools write it. */
function* calls(count: number, rate: number): Iterable<Call> {
  const firstNs = 1_795_219_200_000_000_000n;
  let state = 1;
  for (let sequence = 0; sequence < count; sequence += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const swapped = sequence ^ 1;
    yield {
      sequence,
      startNs: firstNs + BigInt(Math.round((swapped * 1e9) / rate)),
      latencyNs: Math.round(100_000 * 1000 ** (state / 2 ** 32)),
    };
  }
}

function definitions(recording: Uint8Array): Uint8Array {
  const cursor: GobCursor = { bytes: recording, at: 0, end: recording.length };
  for (;;) {
    const from = cursor.at;
    const length = readUint(cursor);
    const body = cursor.at;
    if (readInt(cursor) >= 0) {
      return recording.subarray(0, from);
    }
    cursor.at = body + length;
  }
}

const RESULT_TYPE = Buffer.from([0xff, 0x80]);
const SECONDS_FROM_YEAR_1_TO_1970 = 62_135_596_800n;

function resultFields({ sequence, startNs, latencyNs }: Call): Buffer {
  const time = Buffer.alloc(15);
  time[0] = 1;
  time.writeBigInt64BE(startNs / 1_000_000_000n + SECONDS_FROM_YEAR_1_TO_1970, 1);
  time.writeUInt32BE(Number(startNs % 1_000_000_000n), 9);
  time.writeInt16BE(-1, 13);
  const toCode = sequence === 0 ? [gobUint(3)] : [gobUint(2), gobUint(sequence), gobUint(1)];
  const pieces = [gobUint(200), gobUint(1), gobUint(time.length), time, gobUint(1), gobUint(latencyNs * 2)];
  return Buffer.concat([...toCode, ...pieces, ANSWER]);
}

/** Method, address and headers as of a small JSON answer; the reader passes over them. */
const ANSWER = Buffer.concat([
  gobUint(5),
  gobText('GET'),
  gobUint(1),
  gobText('http://127.0.0.1:15000/user/1'),
  gobUint(1),
  gobUint(3),
  ...['Server', 'gunicorn', 'Content-Type', 'application/json', 'Date', 'Sat, 21 Nov 2026 00:00:00 GMT'].map(
    (text, index) => Buffer.concat(index % 2 === 0 ? [gobText(text)] : [gobUint(1), gobText(text)]),
  ),
  gobUint(0),
]);

function gobText(text: string): Buffer {
  return Buffer.concat([gobUint(Buffer.byteLength(text)), Buffer.from(text)]);
}

function gobUint(value: number): Buffer {
  if (value < 0x80) {
    return Buffer.from([value]);
  }
  const bytes: number[] = [];
  for (let left = value; left > 0; left = Math.floor(left / 0x100)) {
    bytes.unshift(left % 0x100);
  }
  return Buffer.from([0x100 - bytes.length, ...bytes]);
}
