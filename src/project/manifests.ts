import { join } from 'node:path';
import { type FamilyService, parseFamily } from '../config/families/family.ts';
import { collectMistakes } from '../config/mistakes.ts';
import type { KnownService } from '../config/reader.ts';
import type { SourceText } from '../config/yaml/frame.ts';
import { ConfigError } from '../foundation/errors.ts';
import { namesIn } from '../host/files/repository.ts';
import { sourceIn } from './files.ts';
import { unknownName } from './selected.ts';

/** Manifests of the services in `services/`: `service.yml` for a single one, `services.yml` for several. */
interface Manifests {
  readonly names: readonly string[];
  /** Services of files that describe several. */
  readonly families: readonly FamilyService[];
  /** All services, in the order of their files. */
  readonly known: readonly KnownService[];
}

/** Finds all services in `services/`. Throws ConfigError for an invalid `services.yml` and a service in several files. */
export function manifestsIn(root: string): Manifests {
  const folder = join(root, 'services');
  const single = namesIn(folder, 'service.yml');
  const families = collectMistakes(namesIn(folder, 'services.yml'), (family) =>
    parseFamily(sourceIn(root, join('services', family, 'services.yml'), 'Use the name of a service.')),
  ).flat();
  const names = [...single, ...families.map(({ name }) => name)];
  const twice = families.find(({ name }) => names.indexOf(name) !== names.lastIndexOf(name));
  if (twice !== undefined) {
    const others = [
      ...(single.includes(twice.name) ? [join('services', twice.name, 'service.yml')] : []),
      ...families.filter(({ name }) => name === twice.name).map(({ source }) => source.file),
    ];
    throw new ConfigError(`services: there are two services ${twice.name}: in ${others.join(' and ')}`, {
      code: 'WG-105',
      next: 'Rename one of them.',
    });
  }
  const known = [...families, ...single.map((name) => ({ name, levels: {} }))];
  return { names: names.toSorted(), families, known };
}

/** Manifest of a service. Throws ConfigError with all names for an unknown one. */
export function manifestOf(root: string, { names, families }: Manifests, service: string): SourceText {
  if (!names.includes(service)) {
    throw unknownName('service', service, names);
  }
  const family = families.find(({ name }) => name === service);
  return family?.source ?? sourceIn(root, join('services', service, 'service.yml'), 'Use the name of a service.');
}
