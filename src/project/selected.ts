import { meantKey } from '../config/yaml/keys.ts';
import { ConfigError } from '../foundation/errors.ts';
import { hashOf } from '../host/files/repository.ts';
import { suiteOfOperations } from '../model/suite/groups.ts';
import type { SuiteFiles } from './files.ts';

/**
 * Files with selected operations, and the services that have any of them. They get another hash, since figures of all operations together
 * are of other requests. Throws ConfigError for a name that no service has.
 */
export function withOperations(files: SuiteFiles, selected: readonly string[] | undefined): SuiteFiles {
  const known = files.suite.operations.map(({ name }) => name);
  const strange = selected?.find((name) => !known.includes(name));
  if (strange !== undefined) {
    throw unknownName('operation', strange, known);
  }
  return selected === undefined ? files : onlyOperations(files, selected);
}

/** Like `withOperations`, for a version that may lack some of them. */
export function onlyOperations(files: SuiteFiles, selected: readonly string[]): SuiteFiles {
  const { formerHashes: _ofAll, ...kept } = files;
  const suite = suiteOfOperations(files.suite, selected);
  const services = new Map([...files.services].filter(([name]) => suite.services.includes(name)));
  return {
    ...kept,
    suite,
    ownServices: files.ownServices.filter((name) => !files.services.has(name) || services.has(name)),
    services,
    configHash: hashOf([files.configHash, ...selected.toSorted()]),
    secrets: files.secrets.filter(({ service }) => service === undefined || services.has(service)),
  };
}

/** Error for an unknown service or operation, with the known names. */
export function unknownName(kind: 'service' | 'operation', name: string, known: readonly string[]): ConfigError {
  const meant = meantKey(name, known);
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
  return new ConfigError(`there is no ${kind} "${name}"`, {
    code: 'WG-106',
    next: `Available ${kind}s: ${known.join(', ') || 'none'}.${hint}`,
  });
}
