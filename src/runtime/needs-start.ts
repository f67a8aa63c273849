import type { NeedPlace } from '../model/needs.ts';
import type { Need, Service } from '../model/service.ts';
import { type StandingNeed, untilNeedReady } from './need-ready.ts';
import type { KeptNeeds } from './needs-kept.ts';
import type { NeedEnd } from './ports.ts';

/** How a runtime starts what a service needs. */
export interface NeedStarter<Standing extends StandingNeed> {
  readonly kept: KeptNeeds<Standing>;
  /** Starts one that can reach the places. */
  start(need: Need, places: readonly NeedPlace[]): Promise<Standing>;
  /** Lets one that is kept be reached by the service that is about to be started. */
  join(standing: Standing): Promise<void>;
}

/** All that one start of a service needs, ready. Disposing of it removes what is not kept. */
export interface StandingNeeds extends AsyncDisposable {
  readonly places: readonly NeedPlace[];
  /** Settles when one of them ends by itself; undefined where there is none. */
  readonly ended: Promise<NeedEnd> | undefined;
  /** CPU time of all of them so far; undefined where there is none. */
  cpuSeconds(): Promise<number | undefined>;
}

/**
 * Starts what a service needs, one after the other in the order of the list, each when the one before is ready. Throws as
 * untilNeedReady does; what was started is removed then.
 */
export async function startNeeds<Standing extends StandingNeed>(
  { name, needs = [] }: Pick<Service, 'name' | 'needs'>,
  starter: NeedStarter<Standing>,
  signal?: AbortSignal,
): Promise<StandingNeeds> {
  const standing: Standing[] = [];
  const own: Standing[] = [];
  try {
    for (const need of needs) {
      const start = (): Promise<Standing> => startReady({ name, need, standing }, starter, signal);
      const isKept = need.fresh === 'run';
      const started = isKept ? await starter.kept.get(`${name}/${need.name}`, start) : await start();
      standing.push(started);
      if (isKept) {
        await starter.join(started);
      } else {
        own.push(started);
      }
    }
  } catch (thrown) {
    await removeAll(own).catch(() => undefined);
    throw thrown;
  }
  return {
    places: standing.map(({ place }) => place),
    ended: standing.length === 0 ? undefined : Promise.race(standing.map(endOf)),
    cpuSeconds: () => cpuSecondsOf(standing),
    [Symbol.asyncDispose]: () => removeAll(own),
  };
}

interface NeedStart {
  /** The service's. */
  readonly name: string;
  readonly need: Need;
  readonly standing: readonly StandingNeed[];
}

async function startReady<Standing extends StandingNeed>(
  { name, need, standing }: NeedStart,
  starter: NeedStarter<Standing>,
  signal: AbortSignal | undefined,
): Promise<Standing> {
  signal?.throwIfAborted();
  const places = standing.map(({ place }) => place).filter((place) => need.needs.includes(place.name));
  const started = await starter.start(need, places);
  try {
    await untilNeedReady(started, name, signal);
    return started;
  } catch (thrown) {
    await Promise.allSettled([started[Symbol.asyncDispose]()]);
    throw thrown;
  }
}

async function endOf({ need, ended }: StandingNeed): Promise<NeedEnd> {
  return { name: need.name, sentence: await ended };
}

async function cpuSecondsOf(standing: readonly StandingNeed[]): Promise<number | undefined> {
  const seconds = await Promise.all(standing.map((one) => one.cpuSeconds()));
  return standing.length === 0 ? undefined : seconds.reduce((total, one) => total + one, 0);
}

/** Against the order of their start; what cannot be removed does not keep the rest from it. */
async function removeAll(standing: readonly StandingNeed[]): Promise<void> {
  const ends: PromiseSettledResult<void>[] = [];
  for (const one of standing.toReversed()) {
    ends.push(...(await Promise.allSettled([one[Symbol.asyncDispose]()])));
  }
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) {
    throw failed.reason;
  }
}
