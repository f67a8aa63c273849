import { ConfigError } from '../../foundation/errors.ts';
import type { Service } from '../../model/service.ts';
import { type Placed, parsePlaced, type SourceText } from '../yaml/yaml.ts';
import { needPlaceholders } from './needs-placeholders.ts';
import { suiteSchema } from './suite-schema.ts';

/** Settings that a suite gives to all of its services, and where they stand. */
interface SuiteEnvironment {
  readonly environment: Readonly<Record<string, string>> | undefined;
  readonly placeOf: Placed<unknown>['placeOf'];
}

/**
 * Gives services the settings that a `suites/<name>.yml` has for all of them, over their own. Throws ConfigError with file and line where
 * the file is wrong, and the function that it gives where a service already runs, or has no such need as a setting names.
 */
export function parseSuiteEnvironment(source: SourceText): (service: Service) => Service {
  const { value, placeOf } = parsePlaced(source, suiteSchema);
  return (service) => withEnvironment(service, { environment: value.environment, placeOf });
}

/** The same for one service. */
export function withEnvironment(service: Service, { environment = {}, placeOf }: SuiteEnvironment): Service {
  const { name, address, needs = [] } = service;
  if (Object.keys(environment).length === 0) {
    return service;
  }
  if (address !== undefined) {
    throw new ConfigError(
      `${placeOf(['environment'])}: is for services that are started, and ${name} already runs (address)`,
      { next: `Start ${name} with these settings, and leave them out here; or leave ${name} out of the suite.` },
    );
  }
  const all = needs.map((need) => need.name);
  const [misfit] = needPlaceholders(environment, { all, listed: all });
  if (misfit !== undefined) {
    throw new ConfigError(`${placeOf(misfit.path)}: for ${name}, ${misfit.message}`, {
      next: 'Settings of a suite are given to all of its services; say this one in those that have the need.',
    });
  }
  return { ...service, environment: { ...service.environment, ...environment } };
}
