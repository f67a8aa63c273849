import { dockerAnswers, removeOrphanContainers } from '../adapters/docker.ts';
import { removeOrphans } from '../adapters/orphans.ts';
import { isOwnerAlive } from '../adapters/proc.ts';
import { type Telling, tellResult } from './result.ts';

/**
 * `wiregauge clean`: removes the containers, processes, folders and git worktrees that runs which no longer exist have left, with
 * a line for each. What belongs to a run that is under way stays. Exit code 0.
 */
export async function clean({ json }: Pick<Telling, 'json'> = {}): Promise<number> {
  const removed: string[] = [];
  // For people at once, since a process may take seconds to end.
  const log = (line: string): void => void (json === true ? removed.push(line) : process.stdout.write(`${line}\n`));
  await removeOrphans(log);
  const engine = await dockerAnswers();
  if (engine.ok) {
    await removeOrphanContainers(isOwnerAlive, log);
  }
  tellResult({ command: 'clean', json }, { text: () => '', data: () => ({ removed }) });
  return 0;
}
