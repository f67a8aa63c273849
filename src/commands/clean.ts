import { KnownError } from '../foundation/errors.ts';
import { removeOrphans } from '../host/machine/orphans.ts';
import { isOwnerAlive } from '../host/machine/proc.ts';
import { lockMachine } from '../host/machine-lock.ts';
import { machineOwner } from '../measure/session/runtime.ts';
import { removeOldImages } from '../runtime/docker/build/docker-old-images.ts';
import { removeOrphanContainers } from '../runtime/docker/docker-cleanup.ts';
import { dockerAnswers } from '../runtime/docker/docker-engine.ts';
import { remarkLog, type Telling, tellResult } from './program/result.ts';

/**
 * `wiregauge clean`: removes the containers, processes, folders and git worktrees that runs which no longer exist have left, with
 * a line for each, and images of services that newer ones have taken the place of. What belongs to a run that is under way stays, and
 * where one is, all images do. Exit code 0.
 */
export async function clean({ json }: Pick<Telling, 'json'> = {}): Promise<number> {
  const removed: string[] = [];
  // For people at once, since a process may take seconds to end.
  const log = (line: string): void => void (json === true ? removed.push(line) : process.stdout.write(`${line}\n`));
  await removeOrphans(log);
  const engine = await dockerAnswers();
  if (engine.ok) {
    await removeOrphanContainers(isOwnerAlive, log);
    await removeImages({ json }, log);
  }
  tellResult({ command: 'clean', json }, { text: () => '', data: () => ({ removed }) });
  return 0;
}

/** A run under way may have built an image that no container has yet. */
async function removeImages(telling: Pick<Telling, 'json'>, log: (line: string) => void): Promise<void> {
  try {
    await using _lock = await lockMachine(machineOwner(), 'wiregauge clean');
    await removeOldImages(log);
  } catch (thrown) {
    if (!(thrown instanceof KnownError)) {
      throw thrown;
    }
    remarkLog(telling)(`old images stay: ${thrown.message}`);
  }
}
