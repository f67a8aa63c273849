/** Meaning of each mark, as a clause that follows "marked so because". */
export const MARK_MEANINGS = {
  saturated: 'the service answered less than 99% of the offered rate',
  // It used over 80% of its core, or sent late while it had free workers.
  'generator-limited':
    'the load tool was at its limit: rates are a lower bound for the service, and latencies are not meaningful',
  'not-saturated': "the closed loop left over 5% of the service's core idle, so this is not its capacity",
  failing: 'over 1% of the requests failed',
  dropped: 'planned requests were never sent',
  stalled: 'for over 0.5 s, requests were due but none was answered',
  'socket-limited': 'a full listen queue refused connections, or sockets ran out',
  disturbed: 'other programs or the hypervisor took over 10% of a core',
  growing: 'answers were over 10% longer after the load than before it, so the figures depend on how long it lasted',
  leaking: 'memory grew steadily, by over 20% and 32 MiB, for as long as the load lasted',
  escaped: 'a program of the service became a daemon, so its CPU time and memory are not in the figures',
} as const;

export type Mark = keyof typeof MARK_MEANINGS;
