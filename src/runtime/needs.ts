import { EnvironmentError } from '../foundation/errors.ts';
import { counted } from '../foundation/numbers.ts';
import { allCores, type Cores } from '../host/machine/machine.ts';
import type { Need, NeedPlace, Service } from '../model/service.ts';
import type { NeedEnd } from './ended.ts';
import { type RunningNeed, untilNeedReady } from './ready.ts';

/** Needs that are kept over a run: each is started when it is first asked for, and anew after it has ended by itself. */
export class KeptNeeds<Started extends RunningNeed> implements AsyncDisposable {
  readonly #standing = new Map<string, Promise<Started>>();

  async get(key: string, start: () => Promise<Started>): Promise<Started> {
    const known = this.#standing.get(key) ?? this.#begin(key, start());
    return await known;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const standing = await Promise.allSettled(this.#standing.values());
    this.#standing.clear();
    const kept = standing.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    // Against the order of their start, as they may need each other.
    for (const one of kept.toReversed()) {
      await one[Symbol.asyncDispose]();
    }
  }

  #begin(key: string, starting: Promise<Started>): Promise<Started> {
    const forget = (): void => {
      if (this.#standing.get(key) === starting) {
        this.#standing.delete(key);
      }
    };
    this.#standing.set(key, starting);
    starting
      .then(async (standing) => {
        await standing.ended;
        forget();
        await standing[Symbol.asyncDispose]();
      })
      .catch(forget);
    return starting;
  }
}

/** How a runtime starts what a service needs. */
export interface NeedStarter<Started extends RunningNeed> {
  readonly kept: KeptNeeds<Started>;
  /** Starts one that can reach the places. */
  start(need: Need, places: readonly NeedPlace[]): Promise<Started>;
  /** Lets one that is kept be reached by the service that is about to be started. */
  join(standing: Started): Promise<void>;
}

/** All that one start of a service needs, or its members, ready. Disposing of it removes what is not kept. */
export interface RunningNeeds<Started extends RunningNeed = RunningNeed> extends AsyncDisposable {
  readonly standing: readonly Started[];
  readonly places: readonly NeedPlace[];
  /** Settles when one of them ends by itself; undefined if there is none. */
  readonly ended: Promise<NeedEnd> | undefined;
  /** CPU time of all of them so far; undefined if there is none. */
  cpuSeconds(): Promise<number | undefined>;
}

/** What is started beside a service. */
export interface Beside extends Pick<Service, 'name' | 'needs'> {
  /** What each of it can reach, besides what it waits for itself. */
  readonly reached?: readonly NeedPlace[];
}

/**
 * Starts what a service needs, or its members, one after the other in the order of the list, each when the one before is ready. Throws
 * as untilNeedReady does; what was started is removed then.
 */
export async function startNeeds<Started extends RunningNeed>(
  { name, needs = [], reached = [] }: Beside,
  starter: NeedStarter<Started>,
  signal?: AbortSignal,
): Promise<RunningNeeds<Started>> {
  const standing: Started[] = [];
  const own: Started[] = [];
  try {
    for (const need of needs) {
      const start = (): Promise<Started> => startReady({ name, need, standing, reached }, starter, signal);
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
    standing,
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
  readonly standing: readonly RunningNeed[];
  readonly reached: readonly NeedPlace[];
}

async function startReady<Started extends RunningNeed>(
  { name, need, standing, reached }: NeedStart,
  starter: NeedStarter<Started>,
  signal: AbortSignal | undefined,
): Promise<Started> {
  signal?.throwIfAborted();
  const places = standing.map(({ place }) => place).filter((place) => need.needs.includes(place.name));
  const started = await starter.start(need, [...reached, ...places]);
  try {
    await untilNeedReady(started, name, signal);
    return started;
  } catch (thrown) {
    await Promise.allSettled([started[Symbol.asyncDispose]()]);
    throw thrown;
  }
}

async function endOf({ need, place: { family }, ended }: RunningNeed): Promise<NeedEnd> {
  return { name: need.name, end: await ended, ...(family !== undefined && { family }) };
}

/** Settles when the first of what runs beside a service ends by itself; undefined if nothing does. */
export function firstEnd(all: readonly Pick<RunningNeeds, 'ended'>[]): Promise<NeedEnd> | undefined {
  const ends = all.flatMap(({ ended }) => ended ?? []);
  return ends.length === 0 ? undefined : Promise.race(ends);
}

async function cpuSecondsOf(standing: readonly RunningNeed[]): Promise<number | undefined> {
  const seconds = await Promise.all(standing.map((one) => one.cpuSeconds()));
  return standing.length === 0 ? undefined : seconds.reduce((total, one) => total + one, 0);
}

/** Against the order of their start; what cannot be removed does not keep the rest from it. */
async function removeAll(standing: readonly RunningNeed[]): Promise<void> {
  const ends: PromiseSettledResult<void>[] = [];
  for (const one of standing.toReversed()) {
    ends.push(...(await Promise.allSettled([one[Symbol.asyncDispose]()])));
  }
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) {
    throw failed.reason;
  }
}

/**
 * The core of a member besides the entry: that of the service, which the entry has, or one of its own, by its place in the order of the
 * start.
 */
export function memberCore(cores: Cores, { members = [], cores: asked }: Service, member: string): number {
  const place = members.findIndex(({ name }) => name === member);
  return asked === 'each' ? (cores.further?.[place] ?? cores.service) : cores.service;
}

/** The cores of a service, or of the entry of one of several programs: as many as it asks for, the service's own first. */
export function serviceCores(cores: Cores, { cores: asked }: Pick<Service, 'cores'>): readonly number[] {
  const more = typeof asked === 'number' ? asked - 1 : 0;
  return [cores.service, ...(cores.further ?? []).slice(0, more)];
}

/** Throws EnvironmentError if this program may not use as many cores as a service asks for. */
export function refuseTooFewCores(services: readonly Service[], cores: Cores): void {
  const available = allCores(cores).length;
  for (const service of services) {
    const { wanted, what, less } = wantedCores(service);
    if (available < wanted) {
      throw new EnvironmentError(
        `${service.name}: \`cores: ${service.cores}\` needs ${wanted} cores, ${what} and one for the load tool, but Wiregauge may use only ${counted(available, 'core')}`,
        { code: 'WG-213', next: `${less}, or measure on a machine with ${wanted} cores.` },
      );
    }
  }
}

/** How many cores a service and the load tool take, if the service asks for any; else 0. */
function wantedCores({ name, variant, members = [], cores: asked }: Service) {
  const described = variant?.of ?? name;
  if (asked === 'each') {
    const what = `one for each of its ${members.length + 1} members`;
    // The entry and the load tool have one each, too.
    return {
      wanted: members.length + 2,
      what,
      less: `Remove \`cores\` from ${described}, so that its members share a core`,
    };
  }
  return {
    wanted: asked === undefined ? 0 : asked + 1,
    what: `${asked ?? 1} for the service`,
    less: `Set \`cores\` of ${described} to a smaller number`,
  };
}
