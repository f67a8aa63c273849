import type * as z from 'zod';
import { ConfigError } from '../foundation/errors.ts';
import { nameAdvice } from '../foundation/names.ts';
import { once } from '../foundation/once.ts';
import { wordList } from '../foundation/text.ts';
import type { PolicyChange } from '../model/policy.ts';
import type { Service } from '../model/service.ts';
import { type Grouped, groupedOperations } from '../model/suite/groups.ts';
import { overNetwork } from '../model/suite/network.ts';
import type { Operation, OperationGroup, Suite } from '../model/suite/suite.ts';
import { PROTOCOLS } from '../protocols/protocols.ts';
import { MATRIX_NAME } from './families/family.ts';
import { collectMistakes, leftOut, Mistakes } from './mistakes.ts';
import type { OperationsPlace } from './operations/draft.ts';
import { operationsOf } from './operations/operations.ts';
import { preparationsOf } from './operations/preparation.ts';
import { type ConfigReader, type KnownService, NO_READING, type ServicePlace } from './reader.ts';
import { formerNamesIn, type Renamables } from './schema/former-names.ts';
import { connectionOf } from './schema/load/connection.ts';
import { fitsParts } from './schema/policy.ts';
import { contractOf } from './schema/proto.ts';
import { type serviceEntry, serviceSchema } from './schema/service.ts';
import { designOf } from './schema/study/factorial.ts';
import {
  PROJECT_SUITE,
  projectParts,
  projectSchema,
  refuseLowRates,
  refuseUnknownNames,
  type SuiteParts,
  serviceNamesIn,
  suiteParts,
  suiteSchema,
  withEnvironment,
} from './schema/suite.ts';
import { refuseMisnamedVariants } from './schema/variants.ts';
import { framed, type Path, type PlaceOf, type SourceText } from './yaml/frame.ts';
import { fittedTo, parsePlaced, parseYaml, readYaml } from './yaml/yaml.ts';

type ServicesNamed = (names: readonly string[]) => readonly Service[];

/**
 * Suite in a `suites/<name>.yml`. Services are read only if an operation comes from their contract, or from a
 * document that requires credentials. Throws ConfigError with file, line and path of every mistake.
 */
export function parseSuite(
  source: SourceText,
  reading: Partial<ConfigReader> = {},
  servicesNamed: ServicesNamed = () => [],
): Suite {
  return framed(source, () => suiteIn(source, { ...NO_READING, ...reading }, servicesNamed));
}

function suiteIn(source: SourceText, reading: ConfigReader, servicesNamed: ServicesNamed): Suite {
  const file = readYaml(source);
  const mistakes = new Mistakes();
  const fitted = mistakes.attempt(() => fittedTo(file, suiteSchema));
  const found = fitted ?? suiteParts(file.content);
  const all = found.services && mistakes.attempt(() => servicesMeant(found.services ?? [], reading, file.placeOf));
  const value = fitted && all && { ...fitted, services: all };
  const services = once(() => (value === undefined ? leftOut() : servicesNamed(value.services)));
  const { placeOf } = file;
  const place = { placeOf, reading, services };
  const parts = { ...found, services: all };
  const { variants, services: named = [] } = parts;
  mistakes.attempt(() => refuseMisnamedVariants({ variants, services: named, placeOf }));
  const renamables = { services: [], operations: renamable(parts.operations, []) };
  return mistakes.without(suiteOf(value, { parts, place, own: [], renamables, mistakes }));
}

/** Names of the services that a suite selects by name, matrix or pattern. Throws ConfigError for an entry that matches none. */
function servicesMeant(named: readonly string[], { known = [] }: ConfigReader, placeOf: PlaceOf): string[] {
  const found = collectMistakes(named, (one, index) => {
    const isPattern = one.includes('*');
    const several = known.filter(({ name, matrix }) => (isPattern ? fitsParts(name, one.split('*')) : matrix === one));
    if (several.length > 0 || !(isPattern || MATRIX_NAME.test(one))) {
      return several.length === 0 ? [one] : several.map(({ name }) => name);
    }
    const names = known.flatMap(({ name, matrix = [] }) => (isPattern ? name : matrix));
    throw new ConfigError(`${placeOf(['services', index])}: there is no ${isPattern ? 'service' : 'matrix'} ${one}`, {
      code: 'WG-106',
      next: nameAdvice(one, [...new Set(names)], isPattern ? 'Available services' : 'Available matrices'),
    });
  });
  return [...new Set(found.flat())];
}

/** Policy of a `suites/<name>.yml`, without reading the files that it names. Throws ConfigError as `parseSuite` does. */
export function parseSuitePolicy(source: SourceText): PolicyChange {
  return parseYaml(source, suiteSchema).policy;
}

/** Suite in a `wiregauge.yml`, and its services, the reference first. Throws ConfigError with file, line and path of every mistake. */
export function parseProject(source: SourceText, reading: Partial<ConfigReader> = {}) {
  return framed(source, () => projectIn(source, { ...NO_READING, ...reading }));
}

function projectIn(source: SourceText, reading: ConfigReader) {
  const file = readYaml(source);
  const { content, placeOf } = file;
  const mistakes = new Mistakes();
  const value = mistakes.attempt(() => fittedTo(file, projectSchema));
  const parts = value ?? projectParts(content);
  const { variants } = parts;
  mistakes.attempt(() => refuseMisnamedVariants({ variants, services: serviceNamesIn(content), placeOf }));
  const entries = Object.entries(parts.services);
  const services = mistakes.each(entries, ([name, { operations: _own, wasNamed: _former, ...entry }]) => {
    const at = (...steps: Path): string => placeOf(['services', name, ...steps]);
    const service = serviceOf({ name, ...entry }, { at, reading });
    return withEnvironment(service, parts.environment, placeOf);
  });
  const own = mistakes.attempt(() => ownOperations(entries, { placeOf, reading, services: () => services }));
  const areAll = value !== undefined && services.length === Object.keys(value.services).length;
  const names = Object.keys(parts.services);
  const sharing = services.filter(({ name }) => parts.services[name]?.operations === undefined);
  const renamables = {
    services: entries.map(([name, { wasNamed }]) => ({ name, wasNamed, path: ['services', name] })),
    operations: [
      ...renamable(parts.operations, []),
      ...entries.flatMap(([name, { operations }]) => renamable(operations, ['services', name])),
    ],
  };
  const suite = suiteOf(
    value && { ...value, title: value.title ?? usualTitle(value.name, names, reading), services: names },
    {
      parts: { ...parts, services: value && names },
      place: { placeOf, reading, services: () => (areAll ? sharing : leftOut()) },
      own,
      renamables,
      mistakes,
    },
  );
  return { suite: mistakes.without(suite), services: new Map(services.map((service) => [service.name, service])) };
}

function usualTitle(name: string, services: readonly string[], { packageName }: ConfigReader): string {
  return name === PROJECT_SUITE ? (packageName?.() ?? services.join(', ').slice(0, MAX_TITLE)) : name;
}

const MAX_TITLE = 120;

function renamable(operations: SuiteParts['operations'], path: Path): Renamables['operations'] {
  return (operations ?? []).map(({ name, wasNamed }, index) => ({
    name,
    wasNamed,
    path: [...path, 'operations', index],
  }));
}

function ownOperations(
  entries: readonly (readonly [string, z.output<typeof serviceEntry>])[],
  { placeOf, reading, services }: OperationsPlace,
): readonly OwnOperations[] {
  const own = entries.flatMap(([service, { operations }]) => (operations === undefined ? [] : { service, operations }));
  return collectMistakes(own, ({ service, operations }) => {
    const itself = services().filter(({ name }) => name === service);
    const place = {
      placeOf: (steps: Path) => placeOf(['services', service, ...steps]),
      reading,
      services: () => (itself.length > 0 ? itself : leftOut()),
    };
    return { service, operations: operationsOf(operations, place) };
  });
}

/** Service in a `service.yml`; throws ConfigError with file, line and path of every mistake. */
export function parseService(source: SourceText, reading: Partial<ConfigReader> = {}): Service {
  return framed(source, () => {
    const { value, placeOf } = parsePlaced(source, serviceSchema);
    return serviceOf(value, { at: (...steps) => placeOf(steps), reading: { ...NO_READING, ...reading } });
  });
}

interface SuitePlace {
  /** All parts of the file, or only the valid ones. */
  readonly parts: SuiteParts;
  readonly place: OperationsPlace;
  /** Operations that only one service has; undefined if some could not be read. */
  readonly own: readonly OwnOperations[] | undefined;
  readonly renamables: Omit<Renamables, 'operationNames'>;
  readonly mistakes: Mistakes;
}

/** Suite of a file that fits the schema. Also validates the operations and names of one that does not. */
function suiteOf(
  value: Omit<z.output<typeof suiteSchema>, 'operations'> | undefined,
  { parts, place, own, renamables, mistakes }: SuitePlace,
): Suite | undefined {
  const { placeOf } = place;
  const { operations: found, services } = parts;
  const shared = found && mistakes.attempt(() => operationsOf(found, place));
  const { factorial: axes } = parts;
  const known = (services ?? []).map(
    (name): KnownService => place.reading.known?.find((one) => one.name === name) ?? { name, levels: {} },
  );
  const factorial =
    axes &&
    (services ?? axes.services) &&
    mistakes.attempt(() => designOf(axes, known, (path) => placeOf(['factorial', ...path])));
  const isRead = own !== undefined && (shared !== undefined || (found === undefined && value !== undefined));
  const grouped = isRead ? mistakes.attempt(() => groupsOfServices(services, shared, own, placeOf)) : undefined;
  if (grouped === undefined) {
    return undefined;
  }
  const { tiers = [], sweep } = parts;
  const named = {
    operations: grouped.operations,
    tiers,
    services: services ?? [],
    sweep: parts.tiers && services && sweep,
    factorial,
  };
  mistakes.attempt(() => refuseUnknownNames(named, placeOf));
  mistakes.attempt(() => refuseLowRates({ ...grouped, tiers }, placeOf));
  mistakes.attempt(() => refuseDesignsOfGroups({ ...grouped, sweep, factorial }, placeOf));
  const operationNames = grouped.operations.map(({ name }) => name);
  const wasNamed = mistakes.attempt(() => formerNamesIn({ ...renamables, operationNames }, placeOf));
  if (value === undefined) {
    return undefined;
  }
  const { environment: _own, factorial: _axes, ...rest } = value;
  const former = wasNamed && { wasNamed };
  const suite = {
    ...rest,
    ...grouped,
    tiers: rest.tiers.map((tier) => ({ ...overNetwork(rest), ...tier })),
    published: rest.published,
    ...former,
    ...(factorial && { factorial }),
  };
  skippedLines(suite).forEach(place.reading.remark);
  return suite;
}

function serviceOf(
  { http, tls, connections, keepAlive, ...found }: z.output<typeof serviceSchema>,
  place: ServicePlace,
): Service {
  const proto = found.proto && contractOf(found.proto, place);
  if (PROTOCOLS[found.protocol].transport === 'grpc' && proto === undefined) {
    throw new ConfigError(`${place.at('proto')}: is missing: a gRPC service needs a contract`, {
      code: 'WG-111',
      next: 'Add `proto: { root: proto, file: user/v1/user.proto }` with the paths of your contract, or `proto: reflection`.',
    });
  }
  const connection = connectionOf({ http, tls, connections, keepAlive }, place);
  const { title = found.name, image, process } = found;
  const prepare = found.prepare && preparationsOf(found.prepare, found.protocol, place);
  return { ...found, title, image, process, proto, connection, prepare };
}

/** Address of the JSON schema for editors. */
export const SCHEMA_ADDRESS = 'https://raw.githubusercontent.com/wiregauge/wiregauge/v1/schema/wiregauge.schema.json';

interface OwnOperations {
  readonly service: string;
  readonly operations: readonly Operation[];
}

/**
 * All operations, grouped by the services they are sent to. Throws ConfigError if a service has none, or if no
 * service uses the list of the file.
 */
function groupsOfServices(
  services: readonly string[] | undefined,
  shared: readonly Operation[] | undefined,
  own: readonly OwnOperations[],
  placeOf: PlaceOf,
): Grouped<Operation> {
  if (services === undefined) {
    return { operations: [...(shared ?? []), ...own.flatMap(({ operations }) => operations)] };
  }
  const sharing = services.filter((name) => !own.some(({ service }) => service === name));
  if (shared === undefined && sharing.length > 0) {
    throw new ConfigError(`${placeOf(['operations'])}: is missing, so nothing is sent to ${wordList(sharing)}`, {
      code: 'WG-105',
      next: 'Add `operations` to the file, or to each service.',
    });
  }
  if (shared !== undefined && sharing.length === 0) {
    throw new ConfigError(`${placeOf(['operations'])}: is unused, because every service has its own operations`, {
      code: 'WG-105',
      next: 'Remove it, or remove `operations` from the services that should use it.',
    });
  }
  const groups = services.flatMap((name): readonly OperationGroup<Operation>[] => {
    const operations = own.find(({ service }) => service === name)?.operations;
    if (operations !== undefined) {
      return [{ services: [name], operations }];
    }
    return name === sharing[0] ? [{ services: sharing, operations: shared ?? [] }] : [];
  });
  return groupedOperations(groups);
}

/** Throws ConfigError for a sweep or a factorial design if services have their own operations, since both compare services. */
function refuseDesignsOfGroups(
  { sweep, factorial, groups }: Pick<Suite, 'sweep' | 'factorial' | 'groups'>,
  placeOf: PlaceOf,
): void {
  const found = [
    { key: 'sweep', noun: 'sweep', isSet: sweep !== undefined },
    { key: 'factorial', noun: 'design', isSet: factorial !== undefined },
  ].filter(({ isSet }) => isSet && groups !== undefined);
  collectMistakes(found, ({ key, noun }) => {
    throw new ConfigError(`${placeOf([key])}: compares services, but these have their own operations`, {
      code: 'WG-105',
      next: `Use the \`operations\` of the file for all services, or move the ${noun} to its own suite.`,
    });
  });
}

/** Log lines about operations that a tier names and some services lack. */
function skippedLines({ groups = [], tiers }: Pick<Suite, 'groups' | 'tiers'>): readonly string[] {
  return tiers.flatMap(({ name, operations: named = [] }) =>
    groups.flatMap(({ services, operations }) => {
      const missing = named.filter((one) => operations.every((operation) => operation.name !== one));
      if (missing.length === 0) {
        return [];
      }
      return missing.length === named.length
        ? [`tier ${name}: skipped for ${wordList(services)} (no matching operations)`]
        : [`tier ${name}: ${wordList(missing)} skipped for ${wordList(services)} (no such operation)`];
    }),
  );
}
