import type { z } from 'zod';
import { ConfigError } from '../core/errors.ts';
import type { Service } from '../core/service.ts';
import type { Suite } from '../core/suite.ts';
import { connectionOf } from './connection.ts';
import { contractOf, type ProtoTexts } from './contract.ts';
import { NO_FILES, type ReadFile } from './files.ts';
import { type OperationsPlace, operationsOf } from './operations.ts';
import { serviceSchema } from './service-schema.ts';
import { projectSchema, suiteSchema } from './suite-schema.ts';
import { type Path, type Placed, parsePlaced, type SourceText } from './yaml.ts';

/** The suite in a `suites/<name>.yml`; throws ConfigError with file, line and path of what is wrong. */
export function parseSuite(source: SourceText, readFile: ReadFile = NO_FILES): Suite {
  const { value, placeOf } = parsePlaced(source, suiteSchema);
  return suiteOf(value, { placeOf, readFile });
}

/** A suite and its services, the reference first. */
export interface Project {
  readonly suite: Suite;
  readonly services: ReadonlyMap<string, Service>;
}

/** What a `wiregauge.yml` describes; throws ConfigError with file, line and path of what is wrong. */
export function parseProject(source: SourceText, protoTexts: ProtoTexts, readFile: ReadFile = NO_FILES): Project {
  const { value, placeOf } = parsePlaced(source, projectSchema);
  const { services: entries, ...found } = value;
  const place = { file: source.file, placeOf, protoTexts, readFile };
  const services = new Map(
    Object.entries(entries).map(([name, entry]) => [
      name,
      serviceOf({ name, ...entry }, { ...place, steps: ['services', name] }),
    ]),
  );
  const suite = suiteOf({ ...found, title: found.title ?? found.name, services: [...services.keys()] }, place);
  return { suite, services };
}

/** The service in a `service.yml`; throws ConfigError with file, line and path of what is wrong. */
export function parseService(source: SourceText, protoTexts: ProtoTexts, readFile: ReadFile = NO_FILES): Service {
  const { value, placeOf } = parsePlaced(source, serviceSchema);
  return serviceOf(value, { file: source.file, placeOf, protoTexts, readFile, steps: [] });
}

function suiteOf(found: z.output<typeof suiteSchema>, place: OperationsPlace): Suite {
  return { ...found, operations: operationsOf(found.operations, place), published: found.published };
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
  if (found.protocol === 'grpc' && proto === undefined) {
    throw new ConfigError(`${file}: ${at}proto: is missing, and a gRPC service cannot be called without its contract`, {
      next: 'Add `proto: { root: proto, file: user/v1/user.proto }` with the paths of your contract, or `proto: reflection`.',
    });
  }
  const connection = connectionOf({ http, tls }, { at: (...keys) => placeOf([...steps, ...keys]), readFile });
  const { title = found.name, image, process } = found;
  return { ...found, title, image, process, proto, connection };
}
