import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { collectMistakes } from '../config/mistakes.ts';
import { parseProject, parseService, parseSuite } from '../config/parse.ts';
import type { ConfigReader } from '../config/reader.ts';
import { formerTexts, withoutFormerNames } from '../config/schema/former-names.ts';
import { parseSuiteEnvironment, parseVariants } from '../config/schema/suite.ts';
import { parseVariantNames } from '../config/schema/variants.ts';
import { refuseUncaptured, secretUsesIn } from '../config/secret-uses.ts';
import type { SourceText } from '../config/yaml/frame.ts';
import { ConfigError } from '../foundation/errors.ts';
import { once } from '../foundation/once.ts';
import { packageNameIn } from '../host/files/package-name.ts';
import { readInside } from '../host/files/reader.ts';
import { hashOf, namesIn, readProtos } from '../host/files/repository.ts';
import { type Service, variantName } from '../model/service.ts';
import { operationsFor, suiteOfServices } from '../model/suite/groups.ts';
import type { Suite } from '../model/suite/suite.ts';
import { PROTOCOLS } from '../protocols/protocols.ts';
import { type SuiteFiles, sourceIn } from './files.ts';
import { manifestOf, manifestsIn } from './manifests.ts';
import { OWN_ROOT } from './own-root.ts';
import { withServicesFor } from './replaced.ts';
import { unknownName } from './selected.ts';

/** File that describes a whole repository: its services and their suite. */
export const PROJECT_FILE = 'wiregauge.yml';

/**
 * Reads a suite and its services from `wiregauge.yml`, or from `suites/<name>.yml` and its manifests. The default is `wiregauge.yml`, the
 * only suite in `suites/`, or `users`. `serviceNames` replaces the services of the suite. Throws ConfigError with the known names for an
 * unknown suite or service.
 */
export function readSuite(root: string, name: string | undefined, serviceNames?: readonly string[]): SuiteFiles {
  const project = readProject(root);
  if (project !== undefined && (name === undefined || name === project.suite.name)) {
    return withServices(project, serviceNames);
  }
  const known = suiteFilesIn(root);
  return readSuiteFile(root, chosenSuite(name, known, project?.suite.name), serviceNames);
}

/** All suites of a repository, that of `wiregauge.yml` first. Throws ConfigError if one is invalid. */
export function suitesIn(root: string): readonly SuiteFiles[] {
  const project = readProject(root);
  const others = suiteFilesIn(root).filter((name) => name !== project?.suite.name);
  const manifests = once(() => manifestsIn(root));
  return [
    ...(project === undefined ? [] : [project]),
    ...others.map((name) => readSuiteFile(root, name, undefined, manifests())),
  ];
}

function suiteFilesIn(root: string): readonly string[] {
  return namesIn(join(root, 'suites'), '*.yml');
}

const DEFAULT_SUITE = 'users';

function chosenSuite(name: string | undefined, known: readonly string[], project: string | undefined): string {
  const chosen = name ?? (known.length === 1 ? known[0] : DEFAULT_SUITE);
  if (chosen !== undefined && known.includes(chosen)) {
    return chosen;
  }
  const all = project === undefined ? known : [project, ...known];
  if (all.length === 0) {
    throw new ConfigError('there is nothing to measure here', {
      code: 'WG-102',
      next: `There is no ${PROJECT_FILE} or suites/*.yml. Run \`wiregauge init\` to create one, or \`wiregauge demo\` to see a regression of a service that comes with Wiregauge.`,
    });
  }
  throw new ConfigError(name === undefined ? 'there are several suites' : `there is no suite "${name}"`, {
    code: 'WG-106',
    next: `Available suites: ${all.join(', ')}.${name === undefined ? ' Select one with --suite.' : ''}`,
  });
}

function readSuiteFile(
  root: string,
  name: string,
  serviceNames?: readonly string[],
  manifests = manifestsIn(root),
): SuiteFiles {
  const source = sourceIn(root, join('suites', `${name}.yml`), 'Use the name of a suite.');
  const { reading, contents, leftOut } = readingIn(root, manifests.known);
  const servicesOf = (names: readonly string[]): readonly Service[] => {
    const sources = names.map((service) => manifestOf(root, manifests, service));
    return collectMistakes(sources, (one) => parseService(one, reading));
  };
  const selected = serviceNames && [
    ...new Set(serviceNames.map((service) => serviceOfVariant(service, manifests.names) ?? service)),
  ];
  const found = parseSuite(source, reading, (names) => servicesOf([...new Set([...names, ...(selected ?? [])])]));
  const suite = selected === undefined ? found : { ...found, services: selected };
  const sources = suite.services.map((service) => manifestOf(root, manifests, service));
  // Only its own part counts for each of several services.
  const texts = sources.map(({ text: all, placed }) => (placed === undefined ? all : JSON.stringify(placed.content)));
  const services = servicesOf(suite.services).map(parseSuiteEnvironment(source));
  refuseUncaptured(source, services);
  for (const [place, one] of sources.entries()) {
    refuseUncaptured(one, services.slice(place, place + 1));
  }
  const files = {
    root,
    suite,
    ownServices: found.services,
    services: new Map(services.map((service, place) => [suite.services[place] ?? service.name, service])),
    ...hashesOf(source.text, found, [...texts, ...protoTexts(services), ...contents]),
    secrets: [source, ...sources].flatMap(secretUsesIn),
    leftOut,
  };
  return withServices(withVariants(files, source), serviceNames);
}

function readProject(root: string): SuiteFiles | undefined {
  if (!existsSync(join(root, PROJECT_FILE))) {
    return undefined;
  }
  const source = sourceIn(root, PROJECT_FILE, `Fix or remove ${PROJECT_FILE}.`);
  const { reading, contents, leftOut } = readingIn(root);
  const { suite, services } = parseProject(source, reading);
  const hashes = hashesOf(source.text, suite, [...protoTexts([...services.values()]), ...contents]);
  const ownServices = suite.services;
  const secrets = secretUsesIn(source);
  refuseUncaptured(source, [...services.values()]);
  return withVariants({ root, suite, ownServices, services, ...hashes, secrets, leftOut }, source);
}

/** Former names do not affect measurements, so they are excluded from the hash. */
function hashesOf(
  text: string,
  { wasNamed }: Suite,
  others: readonly string[],
): Pick<SuiteFiles, 'configHash' | 'formerHashes'> {
  const configHash = hashOf([withoutFormerNames(text), ...others]);
  return wasNamed === undefined
    ? { configHash }
    : { configHash, formerHashes: formerTexts(text, wasNamed).map((former) => hashOf([former, ...others])) };
}

function readingIn(root: string, known: ConfigReader['known'] = []) {
  const contents: string[] = [];
  const leftOut: string[] = [];
  const reading: ConfigReader = {
    readFile(path) {
      const found = readInside(root, path);
      contents.push('base64' in found ? found.base64 : '');
      return found;
    },
    protoTexts: (folder) => readProtos(root, folder),
    packageName: () => packageNameIn(root),
    known,
    remark: (line) => void leftOut.push(line),
  };
  return { reading, contents, leftOut };
}

/** Selected services in this order; the name of a service with variants selects all of them. */
function withServices(files: SuiteFiles, selected: readonly string[] | undefined): SuiteFiles {
  if (selected === undefined) {
    return files;
  }
  const found = selected.flatMap((name) => {
    const own = files.services.get(name);
    const services =
      own === undefined ? [...files.services.values()].filter(({ variant }) => variant?.of === name) : [own];
    if (services.length === 0) {
      throw unknownName('service', name, files.ownServices);
    }
    return services;
  });
  const services = new Map(found.map((service) => [service.name, service]));
  const names = [...services.keys()];
  const secrets = files.secrets.filter(({ service }) => service === undefined || services.has(service));
  return { ...files, suite: suiteOfServices(files.suite, names), services, secrets };
}

function protoTexts(services: readonly Service[]): readonly string[] {
  return services.flatMap(({ proto }) => (proto !== undefined && 'texts' in proto ? Object.values(proto.texts) : []));
}

/** Names of the services of a repository, including variants in a suite of `suites/`. */
export function servicesIn(root: string, suite?: string): readonly string[] {
  const own = readProject(root)?.ownServices ?? [];
  return [...new Set([...own, ...manifestsIn(root).names, ...variantsInSuite(root, suite)])];
}

function variantsInSuite(root: string, suite: string | undefined): readonly string[] {
  if (suite === undefined || !suiteFilesIn(root).includes(suite)) {
    return [];
  }
  return parseVariantNames(sourceIn(root, join('suites', `${suite}.yml`), 'Use the name of a suite.'));
}

/** Folder whose suites are run: the current one if it has any, otherwise Wiregauge's own. */
export function suiteRoot(current: string, own: string): string {
  return existsSync(join(current, PROJECT_FILE)) || existsSync(join(current, 'suites')) ? current : own;
}

/** Folder that is measured. Bundled suites are available anywhere, but only by name. */
export function measuredRoot(suite: string | undefined): string {
  return suite === undefined ? process.cwd() : suiteRoot(process.cwd(), OWN_ROOT);
}

/**
 * Returns the files after checking all gRPC calls and messages against the contracts, and that declared response messages of REST services
 * exist. Throws ConfigError if a check fails. Contracts from reflection are checked at run time.
 */
export function withCheckedContracts(files: SuiteFiles): SuiteFiles {
  for (const service of files.services.values()) {
    PROTOCOLS[service.protocol].check?.(service, operationsFor(files.suite, service.name));
  }
  return files;
}

/**
 * Files with each variant as a service of its own, in place of the service that has them. `source` is the file that defines them. Throws
 * ConfigError with file and line for a service that cannot have variants.
 */
function withVariants(files: SuiteFiles, source: SourceText): SuiteFiles {
  const { variants } = files.suite;
  if (variants === undefined) {
    return files;
  }
  const services = [...files.services.values()].flatMap(parseVariants(source));
  const found = withServicesFor(
    files,
    services,
    (name, as = name) => variants[name]?.map((variant) => variantName(as, variant.name)) ?? [as],
  );
  return { ...found, suite: { ...found.suite, variants: undefined } };
}

function serviceOfVariant(name: string, known: readonly string[]): string | undefined {
  return known.includes(name) ? name : known.find((one) => name.startsWith(variantName(one, '')));
}
