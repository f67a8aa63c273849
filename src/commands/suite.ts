import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf, namesIn, readProtos, readText } from '../adapters/config-files.ts';
import { parseService, parseSuite } from '../config/parse.ts';
import { ConfigError } from '../core/errors.ts';
import type { Service } from '../core/service.ts';
import type { Suite } from '../core/suite.ts';

/** A suite with its services, as their files describe them. */
export interface SuiteFiles {
  readonly root: string;
  readonly suite: Suite;
  /** The services that the suite's file names, whatever was asked for. */
  readonly ownServices: readonly string[];
  readonly services: ReadonlyMap<string, Service>;
  /** SHA-256 of all texts that were read: equal hashes mean equal configurations. */
  readonly configHash: string;
}

/**
 * Reads `suites/<name>.yml` and the manifests of its services; `serviceNames` replaces the suite's own services.
 * Throws ConfigError naming what there is where a suite or a service is unknown.
 */
export function readSuite(root: string, name: string, serviceNames?: readonly string[]): SuiteFiles {
  const file = join('suites', `${name}.yml`);
  const known = namesIn(join(root, 'suites'), '*.yml');
  if (!known.includes(name)) {
    throw new ConfigError(`there is no suite "${name}"`, { next: `Suites here: ${known.join(', ') || 'none'}.` });
  }
  const text = readText(join(root, file), 'Give the name of a suite.');
  const found = parseSuite({ file, text });
  const suite = serviceNames === undefined ? found : { ...found, services: serviceNames };
  const texts = [text];
  const services = new Map<string, Service>();
  for (const service of suite.services) {
    const source = readManifest(root, service);
    texts.push(source.text);
    services.set(
      service,
      parseService(source, (folder) => readProtos(join(root, folder))),
    );
  }
  for (const service of services.values()) {
    texts.push(...Object.values(service.proto?.texts ?? {}));
  }
  return { root, suite, ownServices: found.services, services, configHash: hashOf(texts) };
}

/** Names of the services that a repository has a manifest of. */
export function servicesIn(root: string): readonly string[] {
  return namesIn(join(root, 'services'), 'service.yml');
}

function readManifest(root: string, service: string): { file: string; text: string } {
  const known = servicesIn(root);
  if (!known.includes(service)) {
    throw new ConfigError(`there is no service "${service}"`, {
      next: `Services here: ${known.join(', ') || 'none'}.`,
    });
  }
  const file = join('services', service, 'service.yml');
  return { file, text: readText(join(root, file), 'Give the name of a service.') };
}

/** The folder whose suites are run: the current one where it has any, else the one that Wiregauge came in. */
export function suiteRoot(current: string, own: string): string {
  return existsSync(join(current, 'suites')) ? current : own;
}
