import type { RecordReader } from '../../model/load.ts';
import { type FailureKinds, failureKinds, knownFailure, type Mask, otherFailure } from '../failure-kinds.ts';
import { type RecordColumns, recordColumns } from '../records-columns.ts';
import { type ReadTime, timeReader } from '../rfc3339.ts';
import { ghzHeader, JSON_STRING, LONGEST_PIECE, malformedGhz } from './ghz-header.ts';

const BOUNDARY = '},{"timestamp":"';

/**
 * Reads what `ghz -O json` wrote: one JSON object, whose `details` have a record per call. They are cut at the
 * boundaries of records and parsed piece by piece. Inside a string every quote is escaped, so that the text of a
 * boundary can be nothing else. ghz keeps no more than a million details: then `count` says that there were more.
 */
export function ghzReader(_expected?: unknown, mask: Mask = String): RecordReader {
  const collector = { columns: recordColumns(), failures: failureKinds(), readTime: timeReader(), mask };
  const header = ghzHeader();
  const decoder = new TextDecoder();
  let text = '';
  return {
    push(chunk) {
      const decoded = decoder.decode(chunk, { stream: true });
      // Of a boundary there can be a part before what is new, and no more.
      const from = Math.max(0, text.length - BOUNDARY.length);
      text += header.found() ? decoded : header.push(decoded);
      const found = text.slice(from).lastIndexOf(BOUNDARY);
      const boundary = found < 0 ? found : from + found;
      if (boundary >= 0) {
        addAll(`[${text.slice(0, boundary + 1)}]`, collector);
        text = text.slice(boundary + 2);
      }
      if (text.length > LONGEST_PIECE) {
        throw malformedGhz(`a call is recorded in over ${LONGEST_PIECE} characters`);
      }
    },
    finish() {
      text += header.end();
      const isWhole = header.found() && addLast(text, collector);
      const records = collector.columns.finish(collector.failures.all());
      return { records, cutOff: !isWhole || records.startMs.length < header.calls() };
    },
  };
}

interface Collector {
  readonly columns: RecordColumns;
  readonly failures: FailureKinds;
  readonly readTime: ReadTime;
  readonly mask: Mask;
}

const RECORD = new RegExp(String.raw`^\{[^"{}]*(?:${JSON_STRING}[^"{}]*)*\}`);

/** Adds the record that is left when everything was read; false where it, or the list after it, is cut off. */
function addLast(text: string, collector: Collector): boolean {
  if (text.startsWith(']')) {
    return true;
  }
  const [record] = RECORD.exec(text) ?? [];
  if (record === undefined) {
    return false;
  }
  addAll(`[${record}]`, collector);
  return text[record.length] === ']';
}

function addAll(json: string, { columns, failures, readTime, mask }: Collector): void {
  for (const detail of parsed(json)) {
    const { timestamp, latency, status, error } = checked(detail);
    const end = readTime(timestamp);
    // ghz notes the end of a call. The nanoseconds may become negative, which counts down from the second.
    const start = { seconds: end.seconds, nanoseconds: end.nanoseconds - latency };
    columns.add(start, latency, status === 'OK' ? 0 : failures.code(kindOf(status, error, mask)));
  }
}

function parsed(json: string): readonly unknown[] {
  try {
    const found: unknown = JSON.parse(json);
    return Array.isArray(found) ? found : [];
  } catch (cause) {
    throw malformedGhz('its list of calls is not JSON', cause);
  }
}

interface Detail {
  readonly timestamp: string;
  readonly latency: number;
  readonly status: string;
  readonly error: string;
}

function checked(detail: unknown): Detail {
  const { timestamp, latency, status, error } = (detail ?? {}) as Partial<Record<keyof Detail, unknown>>;
  if (
    typeof timestamp === 'string' &&
    typeof latency === 'number' &&
    Number.isFinite(latency) &&
    typeof status === 'string' &&
    typeof error === 'string'
  ) {
    return { timestamp, latency, status, error };
  }
  throw malformedGhz(`a call is recorded as ${JSON.stringify(detail).slice(0, 80)}`);
}

/** A gRPC status says little where no connection came about: then the cause is the kind. */
function kindOf(status: string, error: string, mask: Mask): string {
  const cause = status === 'Unavailable' ? knownFailure(error) : undefined;
  return cause ?? (/^[A-Za-z]{2,20}$/.test(status) ? status : otherFailure(mask(error)));
}
