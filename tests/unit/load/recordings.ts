import { readFileSync } from 'node:fs';
import type { RecordReader, Records } from '../../../src/model/load.ts';

/** The bytes of a recorded output of a load tool. */
export function recording(path: string): Buffer {
  return readFileSync(new URL(`../../fixtures/${path}`, import.meta.url));
}

/** Feeds a reader in pieces of a given length and finishes it. */
export function readAll(reader: RecordReader, bytes: Uint8Array, pieceLength = bytes.length || 1) {
  for (let at = 0; at < bytes.length; at += pieceLength) {
    reader.push(bytes.subarray(at, at + pieceLength));
  }
  return reader.finish();
}

/** One record as a row: nanoseconds of Unix time, too many digits for a number, and the kind of failure. */
export interface Row {
  readonly startNs: bigint;
  readonly latencyNs: number;
  readonly failure: string | undefined;
}

export function rowsOf(records: Records): Row[] {
  return Array.from(records.startMs, (start, index) => ({
    startNs: BigInt(records.originMs) * 1_000_000n + BigInt(Math.round(start * 1e6)),
    latencyNs: Math.round((records.latencyMs[index] ?? Number.NaN) * 1e6),
    failure: records.failureKinds[(records.failure[index] ?? 0) - 1],
  }));
}

/** How often each kind of failure occurs; "ok" for none. */
export function kindsOf(records: Records): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { failure = 'ok' } of rowsOf(records)) {
    counts[failure] = (counts[failure] ?? 0) + 1;
  }
  return counts;
}

/** By their start; for sort(). */
export function byStart(left: { startNs: bigint }, right: { startNs: bigint }): number {
  return left.startNs < right.startNs ? -1 : 1;
}
