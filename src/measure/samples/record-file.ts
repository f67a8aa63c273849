import { z } from 'zod';
import { MeasurementError } from '../../foundation/errors.ts';
import type { Records } from '../../model/load.ts';
import { type StatusRange, SUCCESS } from '../../model/suite/http.ts';
import { failureKinds, failureOf, type Mask } from './outcomes.ts';

const COLUMNS = ['due', 'sent', 'first', 'done', 'code'] as const;

const headerSchema = z.object({
  records: z.int().nonnegative(),
  originMs: z.int(),
  columns: z.array(z.enum(COLUMNS)),
  outcomes: z.array(z.object({ status: z.string(), text: z.string().optional() })).nullable(),
});

type Header = z.infer<typeof headerSchema>;

type Column = (typeof COLUMNS)[number];

/** Checks of a response, and a mask for secrets in the texts of failures. */
export interface Reading {
  /** Statuses of HTTP that are no failure; undefined for 2xx. */
  readonly expected?: readonly StatusRange[] | undefined;
  readonly mask?: Mask | undefined;
}

/**
 * The records in a file of the driver (tools/load/cmd/wiregauge-load/records.go); undefined if it is cut off. Throws MeasurementError if
 * it is none.
 */
export function readRecords(
  file: Uint8Array,
  { expected = SUCCESS, mask = String }: Reading = {},
): Records | undefined {
  const end = file.indexOf(NEWLINE);
  if (end < 0) {
    return undefined;
  }
  const header = headerOf(file.subarray(0, end));
  const columns = columnsOf(header, file.subarray(end + 1));
  if (columns === undefined) {
    return undefined;
  }
  const { due, sent = EMPTY, first, done = EMPTY } = columns.times;
  const failures = failureKinds();
  const codes = (header.outcomes ?? []).map((outcome) => {
    const kind = failureOf(outcome, expected, mask);
    return kind === undefined ? 0 : failures.code(kind);
  });
  return {
    originMs: header.originMs,
    ...(due !== undefined && { dueMs: due.map((ns) => ns / 1e6) }),
    startMs: sent.map((ns) => ns / 1e6),
    latencyMs: done.map((ns, index) => (ns - (sent[index] ?? 0)) / 1e6),
    failure: Uint16Array.from(columns.codes, (code) => codes[code] ?? failures.code('other: no text')),
    failureKinds: failures.all(),
    ...(first !== undefined && { firstMs: first.map((ns, index) => (ns - (sent[index] ?? 0)) / 1e6) }),
  };
}

const NEWLINE = 10;

const EMPTY = new Float64Array();

function headerOf(line: Uint8Array): Header {
  try {
    return headerSchema.parse(JSON.parse(new TextDecoder().decode(line)));
  } catch (cause) {
    throw new MeasurementError(
      'the records of the load cannot be read: the file does not begin with their description',
      {
        code: 'WG-401',
        cause,
        next: 'Measure again. Check that no other program writes to the temporary folder.',
      },
    );
  }
}

interface Columns {
  readonly times: Partial<Record<Column, Float64Array>>;
  readonly codes: Uint32Array;
}

function columnsOf({ records, columns }: Header, bytes: Uint8Array): Columns | undefined {
  const times: Partial<Record<Column, Float64Array>> = {};
  let codes = new Uint32Array();
  let at = 0;
  for (const name of columns) {
    const width = name === 'code' ? Uint32Array.BYTES_PER_ELEMENT : Float64Array.BYTES_PER_ELEMENT;
    // A copy, since a column begins anywhere in the file.
    const own = new Uint8Array(bytes.subarray(at, at + records * width));
    if (own.length < records * width) {
      return undefined;
    }
    at += own.length;
    if (name === 'code') {
      codes = new Uint32Array(own.buffer);
    } else {
      times[name] = new Float64Array(own.buffer);
    }
  }
  return codes.length === records && times.sent !== undefined && times.done !== undefined
    ? { times, codes }
    : undefined;
}
