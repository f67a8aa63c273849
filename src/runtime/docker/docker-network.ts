import type { Container, Network } from 'dockerode';
import { EnvironmentError } from '../../foundation/errors.ts';
import { anonymousName, ignoring } from './docker-container.ts';
import { type Engine, engineRefusalOf } from './docker-engine.ts';
import { containerLabels } from './docker-labels.ts';

/** A network of the engine in which containers find each other by name. Disposing of it removes it. */
export interface OwnNetwork extends AsyncDisposable {
  readonly name: string;
  /** Lets a running container be found in it by an alias, besides the networks that it is in already. */
  connect(container: Container, alias: string): Promise<void>;
}

/** Makes a network for one start of a service; throws EnvironmentError where the engine cannot. */
export async function makeNetwork(engine: Engine, owner: string): Promise<OwnNetwork> {
  const name = anonymousName();
  const network = await engine.api
    .createNetwork({ Name: name, Driver: 'bridge', Labels: containerLabels(owner) })
    .catch((cause: unknown) => {
      throw new EnvironmentError(`a network for what the services need cannot be made: ${engineRefusalOf(cause)}`, {
        cause,
        next: 'Remove those that nobody uses: docker network prune.',
      });
    });
  const joined = new Set<Container>();
  return {
    name,
    async connect(container, alias) {
      await network.connect({ Container: container.id, EndpointConfig: { Aliases: [alias] } });
      joined.add(container);
    },
    async [Symbol.asyncDispose]() {
      for (const container of joined) {
        await network.disconnect({ Container: container.id, Force: true }).catch(ignoring(403, 404, 409));
      }
      joined.clear();
      await removeNetwork(network);
    },
  };
}

/** Removes a network that nothing is in; content where it is already gone. */
export async function removeNetwork(network: Network): Promise<void> {
  await network.remove().catch(ignoring(404));
}
