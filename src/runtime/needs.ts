import { EnvironmentError } from '../foundation/errors.ts';
import { counted } from '../foundation/numbers.ts';
import { allCores, type Cores } from '../host/machine/machine.ts';
import type { Need, NeedPlace, Program, Service } from '../model/service.ts';
import { Cleanups, startWhole } from './cleanups.ts';
import type { Relay } from './driver/relay.ts';
import type { NeedEnd } from './ended.ts';
import { metricsPages } from './metrics-page.ts';
import type { RunningService } from './port.ts';
import { ailmentAmong, type RunningNeed, untilNeedReady } from './ready.ts';

/** Needs that are kept over a run: each is started at its first use, and again after it has ended unexpectedly. */
export class KeptNeeds<Started extends RunningNeed> implements AsyncDisposable {
  readonly #running = new Map<string, Promise<Started>>();

  async get(key: string, start: () => Promise<Started>): Promise<Started> {
    const known = this.#running.get(key) ?? this.#begin(key, start());
    return await known;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const running = await Promise.allSettled(this.#running.values());
    this.#running.clear();
    const cleanups = new Cleanups();
    for (const one of running) {
      if (one.status === 'fulfilled') {
        cleanups.use(one.value);
      }
    }
    await cleanups[Symbol.asyncDispose]();
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

/** Starter of the programs around a service in a runtime: its needs, and its other members. */
export interface AroundStarter<Started extends RunningNeed> {
  readonly kept: KeptNeeds<Started>;
  readonly log: (line: string) => void;
  /** Starts a program that can reach the places. */
  start(need: Need, places: readonly NeedPlace[], family: NeedPlace['family']): Promise<Started>;
  /** Makes a kept program reachable for the service that is about to start. */
  join?(running: Started): Promise<void>;
  /** Starts a relay that counts calls to the service's needs and members; undefined: these are reached directly. */
  readonly relay?: (() => Promise<Relay>) | undefined;
}

/** Programs around one start of a service, ready. Disposing of them removes all that are not kept. */
export interface Around<Started extends RunningNeed = RunningNeed> extends AsyncDisposable {
  readonly members: readonly Started[];
  /** Addresses at which the service reaches them. */
  readonly places: readonly NeedPlace[];
  /** CPU time of the needs so far; undefined without needs. */
  needsCpuSeconds(): Promise<number | undefined>;
  /** Their part of the running service, from its own address and CPU time. */
  face(
    address: string,
    ownCpuSeconds: () => number | Promise<number>,
  ): Pick<RunningService, 'needEnded' | 'ailing' | 'cpuSeconds' | 'calls' | 'pages'>;
}

/** Starts needs, then members, in the order of the lists, each when the previous one is ready. A failure removes them. */
export async function startAround<Started extends RunningNeed>(
  service: Service,
  starter: AroundStarter<Started>,
  signal?: AbortSignal,
): Promise<Around<Started>> {
  const { name } = service;
  const startAll = async (
    list: readonly Need[],
    { cleanups, family, reached, relay }: Reached,
  ): Promise<Pick<Around<Started>, 'places'> & { readonly running: readonly Started[] }> => {
    const running: Started[] = [];
    const places: NeedPlace[] = [];
    for (const need of list) {
      const start = async (): Promise<Started> => {
        signal?.throwIfAborted();
        const own = places.filter((place) => need.needs.includes(place.name));
        const started = await starter.start(need, [...reached, ...own], family);
        await untilNeedReady(started, name, signal).catch(async (thrown: unknown) => {
          await Promise.allSettled([started[Symbol.asyncDispose]()]);
          throw thrown;
        });
        return started;
      };
      const isKept = need.fresh === 'run';
      const started = isKept ? await starter.kept.get(`${name}/${need.name}`, start) : cleanups.use(await start());
      if (isKept) {
        await starter.join?.(started);
      }
      running.push(started);
      places.push(...((await relay?.relayed([started.place])) ?? [started.place]));
    }
    return { running, places };
  };
  return await startWhole({ name, log: starter.log }, async (cleanups) => {
    const needs = await startAll(service.needs ?? [], { cleanups, reached: [] });
    const relay = starter.relay && cleanups.use(await starter.relay());
    const reached = (await relay?.relayed(needs.places)) ?? needs.places;
    const members = await startAll(service.members ?? [], { cleanups, family: 'members', reached, relay });
    const all = [...needs.running, ...members.running];
    return {
      members: members.running,
      places: [...reached, ...members.places],
      needsCpuSeconds: async () => (needs.running.length === 0 ? undefined : await cpuSecondsOf(needs.running)),
      face: (address, ownCpuSeconds) => ({
        needEnded: all.length === 0 ? undefined : Promise.race(all.map(endOf)),
        ailing: () => ailmentAmong(members.running, name),
        cpuSeconds: async () => {
          const [own, others] = await Promise.all([ownCpuSeconds(), cpuSecondsOf(all)]);
          return own + others;
        },
        calls: relay?.take,
        pages: metricsPages(service, address, members.running),
      }),
      [Symbol.asyncDispose]: () => cleanups[Symbol.asyncDispose](),
    };
  });
}

interface Reached extends Pick<NeedPlace, 'family'> {
  readonly cleanups: Cleanups;
  /** Places that each one can reach, in addition to its needs among the earlier ones. */
  readonly reached: readonly NeedPlace[];
  readonly relay?: Relay | undefined;
}

async function endOf({ need, place: { family }, ended }: RunningNeed): Promise<NeedEnd> {
  return { name: need.name, end: await ended, ...(family !== undefined && { family }) };
}

async function cpuSecondsOf(running: readonly RunningNeed[]): Promise<number> {
  const used = await Promise.all(running.map((one) => one.used()));
  return used.reduce((total, { cpuSeconds }) => total + cpuSeconds, 0);
}

/** Core of a member other than the entry: that of the service, or a separate one by its position in the start order. */
export function memberCore(cores: Cores, { members = [], cores: requested }: Service, member: string): number {
  const place = members.findIndex(({ name }) => name === member);
  return requested === 'each' ? (cores.further?.[place] ?? cores.service) : cores.service;
}

/** Cores of a service, or of the entry if it has several programs: as many as it requires, the service's own first. */
export function serviceCores(cores: Cores, { cores: requested }: Pick<Service, 'cores'>): readonly number[] {
  const more = typeof requested === 'number' ? requested - 1 : 0;
  return [cores.service, ...(cores.further ?? []).slice(0, more)];
}

/** Throws EnvironmentError if this program may use fewer cores than a service requires. */
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
    // The entry and the load tool also have one each.
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

/** Wiregauge's options for a JVM, after those of the service itself. */
export function javaOptions(ours: string, own: string | undefined): string {
  return own === undefined ? ours : `${ours} ${own}`;
}

/** Variables of a program with those that set the number of cores for a JVM and .NET, if they may use more, and the compiler of a JVM. */
export function managedEnvironment(
  own: Readonly<Record<string, string>>,
  { cores, compiler }: { readonly cores?: number | undefined } & Pick<Program, 'compiler'>,
): Readonly<Record<string, string>> {
  const options = [
    ...(cores === undefined ? [] : [`-XX:ActiveProcessorCount=${cores}`]),
    ...(compiler === undefined ? [] : ['-XX:TieredStopAtLevel=1']),
  ];
  return {
    // Hexadecimal.
    ...(cores !== undefined && { DOTNET_PROCESSOR_COUNT: cores.toString(16) }),
    ...own,
    ...(options.length > 0 && { JAVA_TOOL_OPTIONS: javaOptions(options.join(' '), own['JAVA_TOOL_OPTIONS']) }),
  };
}
