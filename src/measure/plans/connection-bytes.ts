import { median } from '../../foundation/statistics.ts';
import type { Operation } from '../../model/suite/suite.ts';
import type { RunningService } from '../../runtime/port.ts';
import type { TrialBench } from '../trial/bench.ts';
import { preparedLoads } from '../trial/load/loads.ts';
import type { ReadySubject } from '../trial/runner.ts';

/** The connection of each is a new one. The middle of them is taken: an acknowledgment may come with data, or in a packet of its own. */
const REQUESTS = 3;

/** By then a service has closed its side, and a late acknowledgment is there. */
const SETTLED_MS = 150;

/**
 * The bytes that one request takes on the wire together with a connection of its own, both ways: every packet from its handshake to its
 * close, with the headers of IP and TCP and the frame's, as the counters of the service's network have them.
 */
export class ConnectionBytes {
  readonly #bench: Pick<TrialBench, 'secrets' | 'clock' | 'signal'>;
  readonly #found = new Map<string, ReadonlyMap<string, number>>();

  constructor(bench: Pick<TrialBench, 'secrets' | 'clock' | 'signal'>) {
    this.#bench = bench;
  }

  /** By operation; undefined for a service of which it is not known. */
  of(service: string): ReadonlyMap<string, number> | undefined {
    return this.#found.get(service);
  }

  /** Measures each operation of a service that is ready and is asked for nothing else. */
  readonly measure = async (ready: ReadySubject): Promise<void> => {
    const { service, running, operations } = ready;
    if ((await wireBytes(running)) === undefined) {
      return;
    }
    const found = new Map<string, number>();
    for (const operation of operations) {
      const bytes = await this.#bytesOf(ready, operation);
      if (bytes !== undefined) {
        found.set(operation.name, bytes);
      }
    }
    this.#found.set(service.name, found);
  };

  async #bytesOf({ service, running }: ReadySubject, operation: Operation): Promise<number | undefined> {
    const { secrets, clock, signal } = this.#bench;
    const pace = { mode: 'users', workers: 1, requestsPerUser: 1, rampSeconds: 0 } as const;
    const loaded = { service, secrets, running, operations: [operation], pace, seconds: 1 };
    const send = preparedLoads({ ...loaded, settings: { fresh: true } });
    const seen: number[] = [];
    for (let request = 0; request < REQUESTS; request += 1) {
      const before = await wireBytes(running);
      await send(signal);
      await clock.sleep(SETTLED_MS, signal);
      const after = await wireBytes(running);
      if (before !== undefined && after !== undefined) {
        seen.push(after - before);
      }
    }
    return median(seen);
  }
}

async function wireBytes(running: RunningService): Promise<number | undefined> {
  return (await running.reading()).service.wireBytes;
}
