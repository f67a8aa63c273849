import { readFileSync } from 'node:fs';
import type { RequestOutcome } from '../../src/measure/samples/record-file.ts';

/** What a load left: 200 records that are fine (`ok`), 40 of which three quarters failed, or 20 of a service that nobody started. */
export function recordedFile(name: 'ok' | 'statuses' | 'refused'): Uint8Array {
  return new Uint8Array(readFileSync(new URL(`../fixtures/records/${name}.records`, import.meta.url)));
}

/** A request for a record file, with times in milliseconds. */
export interface FileCall {
  readonly startMs: number;
  readonly latencyMs: number;
  readonly firstMs?: number;
  readonly outcome?: RequestOutcome;
}

/** A record file as the driver writes it, of requests in the order of their starts; `rate` is that of their schedule. */
export function recordFile(calls: readonly FileCall[], { rate, originMs = 0 }: FileOptions = {}): Uint8Array {
  const outcomes: RequestOutcome[] = [];
  const codeOf = ({ outcome = { status: '200' } }: FileCall): number => {
    const known = outcomes.findIndex(({ status, text }) => status === outcome.status && text === outcome.text);
    return known >= 0 ? known : outcomes.push(outcome) - 1;
  };
  const codes = Uint32Array.from(calls, codeOf);
  const times = (of: (call: FileCall, index: number) => number) =>
    Float64Array.from(calls, (call, index) => of(call, index) * 1e6);
  const first = calls[0]?.startMs ?? 0;
  const columns = {
    ...(rate !== undefined && { due: times((_, index) => first + (index * 1000) / rate) }),
    sent: times(({ startMs }) => startMs),
    ...(calls.some(({ firstMs }) => firstMs !== undefined) && {
      first: times(({ startMs, firstMs = Number.NaN }) => startMs + firstMs),
    }),
    done: times(({ startMs, latencyMs }) => startMs + latencyMs),
    code: codes,
  };
  const header = { records: calls.length, originMs, columns: Object.keys(columns), outcomes };
  const bytes = Object.values(columns).map(({ buffer }) => Buffer.from(buffer));
  return new Uint8Array(Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), ...bytes]));
}

interface FileOptions {
  readonly rate?: number | undefined;
  readonly originMs?: number;
}
