import * as z from 'zod';

export const networkSchema = z.object({
  /** To the service and back. */
  rttMs: z.number().nonnegative(),
  /** Largest deviation from that, earlier or later, evenly distributed; undefined: none. */
  jitterMs: z.number().positive().optional(),
  /** Bandwidth in each direction, for all connections of a load together; undefined: unlimited. */
  bandwidthMbit: z.number().positive().optional(),
  /** Reading speed of each connection; undefined: unlimited. */
  readMbit: z.number().positive().optional(),
  /** Component that emulates it: the driver, as it sends and receives. */
  by: z.literal('driver'),
});

export type Network = Readonly<z.infer<typeof networkSchema>>;

/** Objects with a network distance: a suite (for its closed loop), a tier, and a pace. */
export interface OverNetwork {
  /** Undefined: no added distance, with any load tool. */
  readonly network?: Network | undefined;
}

/** Distance of a suite or a tier, for its load; empty without one. */
export function overNetwork({ network }: OverNetwork): OverNetwork {
  return network === undefined ? {} : { network };
}

export function isSameNetwork({ network: one }: OverNetwork, { network: other }: OverNetwork): boolean {
  return networkText(one) === networkText(other);
}

function networkText(network: Network | undefined): string | undefined {
  return network && networkWords(network);
}

/** "rtt 20 ms", "rtt 20 ms ± 2 ms at 100 Mbit/s", "rtt 0 ms, read at 4 Mbit/s" */
export function networkWords({ rttMs, jitterMs, bandwidthMbit, readMbit }: Network): string {
  const jitter = jitterMs === undefined ? '' : ` ± ${jitterMs} ms`;
  const rate = bandwidthMbit === undefined ? '' : ` at ${bandwidthMbit} Mbit/s`;
  const reading = readMbit === undefined ? '' : `, read at ${readMbit} Mbit/s`;
  return `rtt ${rttMs} ms${jitter}${rate}${reading}`;
}
