import { withFallback } from '../foundation/errors.ts';
import { removeOrphans } from '../host/machine/orphans.ts';
import { isOwnerAlive, machineOwner } from '../host/machine/proc.ts';
import { interruptible } from '../host/signals.ts';
import { type OutputOptions, printLine, remarkLog } from '../host/terminal/output.ts';
import { aloneOnMachine, loadTools } from '../measure/session/runtime.ts';
import { dockerAnswers } from '../runtime/docker/engine.ts';
import { removeOldImages } from '../runtime/docker/images/images.ts';
import { removeOrphanContainers } from '../runtime/docker/runtime.ts';
import { removeOrphanPods } from '../runtime/kubernetes/runtime.ts';
import { hasClusterSettings } from '../runtime/kubernetes/settings.ts';
import { printResult } from './program/result.ts';

/**
 * `wiregauge cache clean`: removes the containers, pods, processes, folders and git worktrees of runs that no longer exist, printing a line for
 * each, and outdated images of services. While another run is active, all images stay.
 */
export async function clean({ json }: Pick<OutputOptions, 'json'> = {}): Promise<void> {
  const removed: string[] = [];
  // Printed at once for people, since a process may take seconds to end.
  const log = (line: string): void => void (json === true ? removed.push(line) : printLine(line));
  const orRemark = (what: string, remove: () => Promise<void>) =>
    withFallback(remove, ({ message }) => remarkLog({ json })(`${what} were not removed: ${message}`));
  await removeOrphans(log);
  const engine = await dockerAnswers();
  if (engine.ok) {
    await removeOrphanContainers(isOwnerAlive, log);
    await orRemark('old images', () => removeImages({ json }, log));
  }
  if (hasClusterSettings(process.env)) {
    await orRemark('pods', () => removeOrphanPods(isOwnerAlive, machineOwner(), log));
  }
  printResult({ command: 'cache clean', json }, { removed }, '');
}

/** A running measurement may have built an image that no container uses yet. */
async function removeImages(options: Pick<OutputOptions, 'json'>, log: (line: string) => void): Promise<void> {
  await using _lock = await aloneOnMachine(
    { ...options, wait: 0 },
    { what: 'wiregauge cache clean', signal: new AbortController().signal },
  );
  await removeOldImages(log);
}

/**
 * `wiregauge cache fetch`: installs the load driver into a cache of this machine, for later use without a network, and prints its source and
 * folder. Exit code 0; 2 if it is not available.
 */
export async function tools({ json }: Pick<OutputOptions, 'json'>): Promise<number> {
  const log = remarkLog({ json });
  return await interruptible(async (signal) => {
    const { ok: hasDocker } = await dockerAnswers();
    const { folder } = await loadTools({ log, signal }, hasDocker);
    printResult({ command: 'cache fetch', json }, { folder }, `${folder}\n`);
    return 0;
  });
}
