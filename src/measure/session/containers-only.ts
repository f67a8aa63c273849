import { ConfigError, EnvironmentError } from '../../foundation/errors.ts';
import type { Program, Service } from '../../model/service.ts';
import type { DockerAnswer } from '../../runtime/docker/docker-engine.ts';

/** Names of what can be started in a container only, services and what they need. */
export function containersOnly(services: readonly Service[]): readonly string[] {
  return services
    .filter(({ address }) => address === undefined)
    .flatMap((service): readonly Program[] => [service, ...(service.needs ?? [])])
    .filter(({ process }) => process === undefined)
    .map(({ name }) => name);
}

/**
 * Throws where something can be started in a container only and there are none: EnvironmentError with the engine's refusal,
 * ConfigError where plain processes were asked for.
 */
export function refuseContainersOnly(services: readonly Service[], answer: DockerAnswer | undefined): void {
  const [first] = containersOnly(services);
  if (first === undefined) {
    return;
  }
  if (answer?.ok === false) {
    throw new EnvironmentError(`${first} can be started in a container only, and ${answer.why}`, { next: answer.next });
  }
  throw new ConfigError(`${first}: has no command to start it as a plain process`, {
    next: 'Give it one (`process:`), or measure it in a container with --runtime docker.',
  });
}
