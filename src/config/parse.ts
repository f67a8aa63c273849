import type { z } from 'zod';
import { ConfigError } from '../foundation/index.ts';
import type { PolicyChange, Service, Suite } from '../model/index.ts';
import { PROTOCOLS } from '../protocols/index.ts';
import type { OperationsPlace } from './operations/draft.ts';
import { operationsOf } from './operations/operations.ts';
import { type ConfigReader, NO_FILES, NO_READING, type ReadFile } from './reader.ts';
import { connectionOf } from './schema/connection.ts';
import { contractOf, type ProtoTexts } from './schema/proto.ts';
import { serviceSchema } from './schema/service.ts';
import { projectSchema, refuseUnknownNames, suiteSchema, withEnvironment } from './schema/suite.ts';
import { type Path, type Placed, parsePlaced, parseYaml, type SourceText } from './yaml/yaml.ts';

/** Gives the services that a suite names. */
type ServicesNamed = (names: readonly string[]) => readonly Service[];

/**
 * The suite in a `suites/<name>.yml`. Its services are read where an operation comes out of their contract, or out of a document that
 * wants credentials. Throws ConfigError with file, line and path of what is wrong.
 */
export function parseSuite(
  source: SourceText,
  reading: Partial<ConfigReader> = {},
  servicesNamed: ServicesNamed = () => [],
): Suite {
  const { value, placeOf } = parsePlaced(source, suiteSchema);
  let read: readonly Service[] | undefined;
  const services = (): readonly Service[] => {
    read ??= servicesNamed(value.services);
    return read;
  };
  return suiteOf(value, { placeOf, reading: { ...NO_READING, ...reading }, services });
}

/** How comparisons are judged by a `suites/<name>.yml`, without a look at the files that it names. Throws ConfigError as above. */
export function parseSuitePolicy(source: SourceText): PolicyChange {
  return parseYaml(source, suiteSchema).policy;
}

/** A suite and its services, the reference first. */
export interface Project {
  readonly suite: Suite;
  readonly services: ReadonlyMap<string, Service>;
}

/** What a `wiregauge.yml` describes; throws ConfigError with file, line and path of what is wrong. */
export function parseProject(source: SourceText, protoTexts: ProtoTexts, given: Partial<ConfigReader> = {}): Project {
  const { value, placeOf } = parsePlaced(source, projectSchema);
  const { services: entries, ...found } = value;
  const reading = { ...NO_READING, ...given };
  const place = { file: source.file, placeOf, protoTexts, readFile: reading.readFile };
  const services = new Map(
    Object.entries(entries).map(([name, entry]) => {
      const service = serviceOf({ name, ...entry }, { ...place, steps: ['services', name] });
      return [name, withEnvironment(service, { environment: value.environment, placeOf })];
    }),
  );
  const named = { ...found, title: found.title ?? found.name, services: [...services.keys()] };
  const suite = suiteOf(named, { placeOf, reading, services: () => [...services.values()] });
  return { suite, services };
}

/** The service in a `service.yml`; throws ConfigError with file, line and path of what is wrong. */
export function parseService(source: SourceText, protoTexts: ProtoTexts, readFile: ReadFile = NO_FILES): Service {
  const { value, placeOf } = parsePlaced(source, serviceSchema);
  return serviceOf(value, { file: source.file, placeOf, protoTexts, readFile, steps: [] });
}

function suiteOf({ environment: _own, ...found }: z.output<typeof suiteSchema>, place: OperationsPlace): Suite {
  const suite = { ...found, operations: operationsOf(found.operations, place), published: found.published };
  refuseUnknownNames(suite, place.placeOf);
  return suite;
}

/** The file that a service stands in, what leads to its keys there, and what reads the files that it names. */
interface ServicePlace {
  readonly file: string;
  readonly steps: Path;
  readonly placeOf: Placed<unknown>['placeOf'];
  readonly protoTexts: ProtoTexts;
  readonly readFile: ReadFile;
}

function serviceOf({ http, tls, ...found }: z.output<typeof serviceSchema>, place: ServicePlace): Service {
  const { file, steps, placeOf, protoTexts, readFile } = place;
  const at = steps.map((step) => `${step}.`).join('');
  const atProto = (...keys: readonly string[]): string => placeOf([...steps, 'proto', ...keys]);
  const proto = found.proto && contractOf(found.proto, { at: atProto, protoTexts, readFile });
  if (PROTOCOLS[found.protocol].transport === 'grpc' && proto === undefined) {
    throw new ConfigError(`${file}: ${at}proto: is missing, and a gRPC service cannot be called without its contract`, {
      next: 'Add `proto: { root: proto, file: user/v1/user.proto }` with the paths of your contract, or `proto: reflection`.',
    });
  }
  const connection = connectionOf({ http, tls }, { at: (...keys) => placeOf([...steps, ...keys]), readFile });
  const { title = found.name, image, process } = found;
  return { ...found, title, image, process, proto, connection };
}

/** Where editors find the schema of a `wiregauge.yml`. */
export const SCHEMA_ADDRESS = 'https://raw.githubusercontent.com/wiregauge/wiregauge/v1/schema/wiregauge.schema.json';
