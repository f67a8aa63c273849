import { messageOf } from '../../foundation/errors.ts';
import { removeContainer } from './docker-container.ts';
import { connectEngine } from './docker-engine.ts';
import { MARK, OWNER } from './docker-labels.ts';
import { removeNetwork } from './docker-network.ts';

type Mark = Readonly<Record<string, string>>;
type Log = (line: string) => void;

/**
 * Removes the containers of owners that no longer live, and their networks, with a line for each. Throws EnvironmentError where the
 * engine does not answer; what cannot be removed gets a line that says so, since it is no reason not to measure.
 */
export async function removeOrphanContainers(isAlive: (owner: string) => boolean, log: Log): Promise<void> {
  const { api } = await connectEngine();
  const filters = { label: [`${MARK}=1`, OWNER] };
  const isOrphan = (labels: Mark | undefined): boolean => labels?.[OWNER] !== undefined && !isAlive(labels[OWNER]);
  for (const { Id: id, Labels: labels, Names: names } of await api.listContainers({ all: true, filters })) {
    if (isOrphan(labels)) {
      const name = names[0]?.replace(/^\//, '') ?? id.slice(0, 12);
      await removing({ what: `the container ${name}`, log }, () => removeContainer(api.getContainer(id)));
    }
  }
  // After the containers, as one that anything is in stays.
  for (const { Id: id, Labels: labels, Name: name } of await api.listNetworks({ filters })) {
    if (isOrphan(labels)) {
      await removing({ what: `the network ${name}`, log }, () => removeNetwork(api.getNetwork(id)));
    }
  }
}

async function removing({ what, log }: { readonly what: string; readonly log: Log }, remove: () => Promise<void>) {
  log(`removing ${what}, left by a run that no longer exists`);
  await remove().catch((thrown: unknown) => log(`${what} cannot be removed: ${messageOf(thrown)}`));
}
