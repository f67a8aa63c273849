import { ConfigError } from '../foundation/errors.ts';
import { programsOf, type RuntimeName, type Service } from '../model/service.ts';
import { inRuntime, RUNTIME_NAMES } from '../model/suite/published.ts';
import type { SuiteFiles } from './files.ts';
import { withServicesFor } from './replaced.ts';

const TITLES: Readonly<Record<RuntimeName, string>> = {
  process: 'as plain processes',
  docker: 'in containers',
};

/** Each service twice, as plain processes and in containers. Throws ConfigError for a service that cannot be started both ways. */
export function inBothRuntimes(files: SuiteFiles): SuiteFiles {
  const all = [...files.services.values()];
  all.forEach(refuseOneWay);
  const services = all.flatMap((service) =>
    RUNTIME_NAMES.map(
      (runtime): Service => ({
        ...service,
        runtime,
        name: inRuntime(service.name, runtime),
        title: `${service.title}, ${TITLES[runtime]}`,
      }),
    ),
  );
  return withServicesFor(files, services, (name, as = name) => RUNTIME_NAMES.map((runtime) => inRuntime(as, runtime)));
}

function refuseOneWay(service: Service): void {
  const { name, address } = service;
  if (address !== undefined) {
    throw new ConfigError(`${name}: already runs at ${address}, so it cannot be started both ways`, {
      code: 'WG-116',
      next: 'Remove `--runtime both`, or select other services with --services.',
    });
  }
  const strange = programsOf([service]).find(({ image, process }) => image === undefined || process === undefined);
  if (strange !== undefined) {
    const place = strange.name === name ? name : `${strange.name} of ${name}`;
    const missing = strange.image === undefined ? '`image`' : '`process`';
    throw new ConfigError(`${place} has no ${missing}, so it cannot be started both ways`, {
      code: 'WG-116',
      next: `Add one, or measure with --runtime ${strange.image === undefined ? 'process' : 'docker'}.`,
    });
  }
}
