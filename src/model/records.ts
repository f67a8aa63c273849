/**
 * Raw records of one load tool run, as columns of equal length, ordered by start.
 * Times are in milliseconds; starts count from `originMs`, which is Unix time.
 */
export interface Records {
  readonly originMs: number;
  readonly startMs: Float64Array;
  /** As the tool recorded it: from the moment of sending to the end of the answer. */
  readonly latencyMs: Float64Array;
  /** 0 for an answer as it should be, else 1 + index into `failureKinds`. */
  readonly failure: Uint16Array;
  /** For example "HTTP 503", "Unavailable", "timeout"; never a raw error text of unbounded length. */
  readonly failureKinds: readonly string[];
}
