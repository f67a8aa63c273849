import { messageOf } from '../core/errors.ts';
import { removeContainer } from './docker-container.ts';
import { connectEngine } from './docker-engine.ts';
import { MARK, OWNER } from './docker-labels.ts';

/**
 * Removes the containers of owners that no longer live, with a line for each. Throws EnvironmentError where the engine does
 * not answer; a container that cannot be removed gets a line that says so, since it is no reason not to measure.
 */
export async function removeOrphanContainers(
  isAlive: (owner: string) => boolean,
  log: (line: string) => void,
): Promise<void> {
  const { api } = await connectEngine();
  const marked = await api.listContainers({ all: true, filters: { label: [`${MARK}=1`, OWNER] } });
  for (const { Id: id, Labels: labels, Names: names } of marked) {
    const owner = labels[OWNER];
    if (owner !== undefined && !isAlive(owner)) {
      const name = names[0]?.replace(/^\//, '') ?? id.slice(0, 12);
      log(`removing the container ${name}, left by a run that no longer exists`);
      await removeContainer(api.getContainer(id)).catch((thrown: unknown) =>
        log(`the container ${name} cannot be removed: ${messageOf(thrown)}`),
      );
    }
  }
}
