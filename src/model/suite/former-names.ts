/** Former names by the present one, the newest former name first. */
type Renamed = Readonly<Record<string, readonly string[]>>;

export interface FormerNames {
  readonly services: Renamed;
  readonly operations: Renamed;
}

/** Names in an earlier version of renamed services and operations, by their current names. */
export interface OwnNames {
  readonly services: ReadonlyMap<string, string>;
  readonly operations: ReadonlyMap<string, string>;
}

interface NamedPlace {
  readonly service: string;
  readonly operation: string;
}

/** Present names of places of one run: a former name is renamed only in a run without the present one. */
export function presentNames(names: FormerNames | undefined, places: readonly NamedPlace[]) {
  const { services, operations } = names ?? NOTHING;
  const ofService = renamings(services, new Set(places.map(({ service }) => service)));
  const requested = new Map<string, Set<string>>();
  for (const { service, operation } of places) {
    requested.set(service, (requested.get(service) ?? new Set()).add(operation));
  }
  const ofOperation = new Map([...requested].map(([service, known]) => [service, renamings(operations, known)]));
  return <Place extends NamedPlace>(place: Place): Place => {
    const service = ofService.get(place.service) ?? place.service;
    const operation = ofOperation.get(place.service)?.get(place.operation) ?? place.operation;
    return service === place.service && operation === place.operation ? place : { ...place, service, operation };
  };
}

const NOTHING: FormerNames = { services: {}, operations: {} };

function renamings(renamed: Renamed, known: ReadonlySet<string>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(renamed).flatMap(([now, former]) => {
      const was = known.has(now) ? undefined : former.find((one) => known.has(one));
      return was === undefined ? [] : [[was, now]];
    }),
  );
}

export function renamesNothing({ services, operations }: FormerNames): boolean {
  return Object.keys(services).length + Object.keys(operations).length === 0;
}
