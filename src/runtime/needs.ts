import { EnvironmentError } from '../foundation/errors.ts';
import { counted } from '../foundation/numbers.ts';
import { allCores, type Cores } from '../host/machine/machine.ts';
import type { Need, NeedPlace, Service } from '../model/service.ts';
import type { Relay } from './driver/relay.ts';
import type { NeedEnd } from './ended.ts';
import { type RunningNeed, untilNeedReady } from './ready.ts';

/** Needs that stay over a run: each is started at its first use, and again after it has ended unexpectedly. */
export class KeptNeeds<Started extends RunningNeed> implements AsyncDisposable {
  readonly #running = new Map<string, Promise<Started>>();

  async get(key: string, start: () => Promise<Started>): Promise<Started> {
    const known = this.#running.get(key) ?? this.#begin(key, start());
    return await known;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const running = await Promise.allSettled(this.#running.values());
    this.#running.clear();
    const kept = running.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    // Against the order of their start, as they may need each other.
    for (const one of kept.toReversed()) {
      await one[Symbol.asyncDispose]();
    }
  }

  #begin(key: string, starting: Promise<Started>): Promise<Started> {
    const forget = (): void => {
      if (this.#running.get(key) === starting) {
        this.#running.delete(key);
      }
    };
    this.#running.set(key, starting);
    starting
      .then(async (running) => {
        await running.ended;
        forget();
        await running[Symbol.asyncDispose]();
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
  join(running: Started): Promise<void>;
}

/** All that one start of a service needs, or its members, ready. Disposing of it removes what is not kept. */
export interface RunningNeeds<Started extends RunningNeed = RunningNeed> extends AsyncDisposable {
  readonly running: readonly Started[];
  readonly places: readonly NeedPlace[];
  /** Settles when one of them ends unexpectedly; undefined without one. */
  readonly ended: Promise<NeedEnd> | undefined;
  /** CPU time of all of them so far; undefined without one. */
  cpuSeconds(): Promise<number | undefined>;
}

/** Programs started with a service. */
export interface Companions extends Pick<Service, 'name' | 'needs'> {
  /** Places that each can reach, in addition to its own needs. */
  readonly reached?: readonly NeedPlace[];
  /** Counts the calls of each to those before it, and of the service to all; undefined: they are reached directly. */
  readonly relay?: Relay | undefined;
}

/** Starts needs, or members, in the order of the list, each when the one before is ready. A failure removes them. */
export async function startNeeds<Started extends RunningNeed>(
  { name, needs = [], reached = [], relay }: Companions,
  starter: NeedStarter<Started>,
  signal?: AbortSignal,
): Promise<RunningNeeds<Started>> {
  const running: Started[] = [];
  const own: Started[] = [];
  const places: NeedPlace[] = [];
  try {
    for (const need of needs) {
      const start = (): Promise<Started> => startReady({ name, need, places, reached }, starter, signal);
      const isKept = need.fresh === 'run';
      const started = isKept ? await starter.kept.get(`${name}/${need.name}`, start) : await start();
      running.push(started);
      if (isKept) {
        await starter.join(started);
      } else {
        own.push(started);
      }
      places.push(...((await relay?.relayed([started.place])) ?? [started.place]));
    }
  } catch (thrown) {
    await removeAll(own).catch(() => undefined);
    throw thrown;
  }
  return {
    running,
    places,
    ended: running.length === 0 ? undefined : Promise.race(running.map(endOf)),
    cpuSeconds: () => cpuSecondsOf(running),
    [Symbol.asyncDispose]: () => removeAll(own),
  };
}

interface NeedStart {
  /** The service's. */
  readonly name: string;
  readonly need: Need;
  readonly places: readonly NeedPlace[];
  readonly reached: readonly NeedPlace[];
}

async function startReady<Started extends RunningNeed>(
  { name, need, places, reached }: NeedStart,
  starter: NeedStarter<Started>,
  signal: AbortSignal | undefined,
): Promise<Started> {
  signal?.throwIfAborted();
  const own = places.filter((place) => need.needs.includes(place.name));
  const started = await starter.start(need, [...reached, ...own]);
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

/** Settles when the first of a service's needs and members ends unexpectedly; undefined without any. */
export function firstEnd(all: readonly Pick<RunningNeeds, 'ended'>[]): Promise<NeedEnd> | undefined {
  const ends = all.flatMap(({ ended }) => ended ?? []);
  return ends.length === 0 ? undefined : Promise.race(ends);
}

async function cpuSecondsOf(running: readonly RunningNeed[]): Promise<number | undefined> {
  const seconds = await Promise.all(running.map((one) => one.cpuSeconds()));
  return running.length === 0 ? undefined : seconds.reduce((total, one) => total + one, 0);
}

/** Against the order of their start; what cannot be removed does not keep the rest from it. */
async function removeAll(running: readonly RunningNeed[]): Promise<void> {
  const ends: PromiseSettledResult<void>[] = [];
  for (const one of running.toReversed()) {
    ends.push(...(await Promise.allSettled([one[Symbol.asyncDispose]()])));
  }
  const failed = ends.find((end) => end.status === 'rejected');
  if (failed !== undefined) {
    throw failed.reason;
  }
}

/** Core of a member other than the entry: that of the service, or one of its own by its place in the start order. */
export function memberCore(cores: Cores, { members = [], cores: requested }: Service, member: string): number {
  const place = members.findIndex(({ name }) => name === member);
  return requested === 'each' ? (cores.further?.[place] ?? cores.service) : cores.service;
}

/** Cores of a service, or of the entry of one of several programs: as many as it requires, the service's own first. */
export function serviceCores(cores: Cores, { cores: requested }: Pick<Service, 'cores'>): readonly number[] {
  const more = typeof requested === 'number' ? requested - 1 : 0;
  return [cores.service, ...(cores.further ?? []).slice(0, more)];
}

/** Throws EnvironmentError if this program may not use as many cores as a service requires. */
export function refuseTooFewCores(services: readonly Service[], cores: Cores): void {
  const available = allCores(cores).length;
  for (const service of services) {
    const { required, what, less } = requiredCores(service);
    if (available < required) {
      throw new EnvironmentError(
        `${service.name}: \`cores: ${service.cores}\` needs ${required} cores, ${what} and one for the load tool, but Wiregauge may use only ${counted(available, 'core')}`,
        { code: 'WG-213', next: `${less}, or measure on a machine with ${required} cores.` },
      );
    }
  }
}

function requiredCores({ name, variant, members = [], cores: requested }: Service) {
  const described = variant?.of ?? name;
  if (requested === 'each') {
    const what = `one for each of its ${members.length + 1} members`;
    // The entry and the load tool have one each, too.
    return {
      required: members.length + 2,
      what,
      less: `Remove \`cores\` from ${described}, so that its members share a core`,
    };
  }
  return {
    required: requested === undefined ? 0 : requested + 1,
    what: `${requested ?? 1} for the service`,
    less: `Set \`cores\` of ${described} to a smaller number`,
  };
}

/** Options of ours for a JVM; those of the service itself go before. */
export function javaOptions(ours: string, own: string | undefined): string {
  return own === undefined ? ours : `${ours} ${own}`;
}

/** Variables of a program with those that set the number of cores for a JVM and .NET, whatever they may use. */
export function withMeasuredCores(
  own: Readonly<Record<string, string>>,
  cores: number,
): Readonly<Record<string, string>> {
  return {
    // In hexadecimal.
    DOTNET_PROCESSOR_COUNT: cores.toString(16),
    ...own,
    JAVA_TOOL_OPTIONS: javaOptions(`-XX:ActiveProcessorCount=${cores}`, own['JAVA_TOOL_OPTIONS']),
  };
}
