import * as z from 'zod';
import type { Network } from '../../../model/suite/network.ts';

const LONGEST_RTT_MS = 1000;

const MS_OF: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000 };

const MBIT_OF: Readonly<Record<string, number>> = { kbit: 0.001, Mbit: 1, Gbit: 1000 };

const SLOWEST_MBIT = 0.01;

const FASTEST_MBIT = 100_000;

/** Number with a unit, as in `tc` and `ping`. */
const QUANTITY = /^(\d{1,9}(?:\.\d{1,6})?)([A-Za-z]+)$/;

function rate(example: string) {
  return quantity(MBIT_OF, example).refine(
    (mbit) => mbit >= SLOWEST_MBIT && mbit <= FASTEST_MBIT,
    `must be from ${SLOWEST_MBIT * 1000}kbit to ${FASTEST_MBIT / 1000}Gbit`,
  );
}

function quantity(units: Readonly<Record<string, number>>, example: string) {
  const names = Object.keys(units);
  const error = `must be a number with a unit (${names.join(', ')}), like ${example}`;
  return z
    .string({ error })
    .regex(new RegExp(`^\\d{1,9}(\\.\\d{1,6})?(${names.join('|')})$`), error)
    .transform((text) => {
      const [, count, unit = ''] = QUANTITY.exec(text) ?? [];
      // Rounds away floating-point noise such as that of 0.1 + 0.2.
      return Number((Number(count) * (units[unit] ?? 0)).toFixed(6));
    });
}

const keys = z.strictObject({
  rtt: quantity(MS_OF, '20ms')
    .refine((ms) => ms <= LONGEST_RTT_MS, 'must be at most 1s')
    .optional()
    .describe('The round trip: `20ms`, `500us`. `0ms`: no delay, but the same load tool.'),
  jitter: quantity(MS_OF, '2ms')
    .optional()
    .describe('Largest shift of an answer, earlier or later, in order on its connection; at most half of `rtt`.'),
  bandwidth: rate('100Mbit')
    .optional()
    .describe('Bits per second in each direction, for all connections together: `100Mbit`, `512kbit`.'),
  readRate: rate('4Mbit')
    .optional()
    .describe('Slow clients: bits per second that each connection reads, like `4Mbit`.'),
  loss: z
    .literal('0%', {
      error: 'must not be set: the load tool delays TCP traffic but cannot drop packets; use jitter for varying delays',
    })
    .optional()
    .describe('Only `0%`: packets cannot be dropped.'),
});

/** Emulated network between the load and the services. */
export const network = keys.transform(networkOf);

function networkOf({ rtt, jitter = 0, bandwidth, readRate }: z.output<typeof keys>, context: z.RefinementCtx): Network {
  const refuse = (path: readonly string[], message: string): never => {
    context.addIssue({ code: 'custom', path: [...path], message });
    return z.NEVER;
  };
  if (rtt === undefined && bandwidth === undefined && readRate === undefined) {
    return refuse([], 'needs at least one of rtt, bandwidth and readRate');
  }
  const rttMs = rtt ?? 0;
  if (jitter > rttMs / 2) {
    return refuse(['jitter'], `must be at most half of rtt, ${rttMs / 2}ms: no answer arrives before it is sent`);
  }
  return {
    rttMs,
    ...(jitter > 0 && { jitterMs: jitter }),
    ...(bandwidth !== undefined && { bandwidthMbit: bandwidth }),
    ...(readRate !== undefined && { readMbit: readRate }),
    by: 'driver',
  };
}
