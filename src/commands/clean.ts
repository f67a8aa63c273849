import { Command } from 'commander';
import { knownError } from '../foundation/errors.ts';
import { removeOrphans } from '../host/machine/orphans.ts';
import { isOwnerAlive } from '../host/machine/proc.ts';
import { interruptible } from '../host/signals.ts';
import { type OutputOptions, printLine, remarkLog } from '../host/terminal/output.ts';
import { aloneOnMachine, loadTools, machineOwner } from '../measure/session/runtime.ts';
import { dockerAnswers } from '../runtime/docker/engine.ts';
import { removeOldImages } from '../runtime/docker/images/images.ts';
import { removeOrphanContainers } from '../runtime/docker/runtime.ts';
import { removeOrphanPods } from '../runtime/kubernetes/runtime.ts';
import { hasClusterSettings } from '../runtime/kubernetes/settings.ts';
import type { CommandFile } from './program/command.ts';
import { withOptions } from './program/options.ts';
import { printResult } from './program/result.ts';

export const cleanCommand: CommandFile = {
  group: 'Maintain this machine:',
  examples: {
    'cache clean': [['cache clean', 'clean up after a killed run']],
  },
  make: (end) => {
    return withOptions(new Command('clean'), 'json')
      .description(
        'Remove what killed runs left behind: containers, pods, processes, folders, git worktrees, old images',
      )
      .action(async (flags) => end(await clean(flags)));
  },
};

export const toolsCommand: CommandFile = {
  group: 'Maintain this machine:',
  examples: {
    'cache fetch': [['cache fetch', 'prepare a machine for offline use']],
  },
  make: (end) => {
    return withOptions(new Command('fetch'), 'json')
      .description('Download the load driver into a cache, and print its path')
      .action(async (flags) => end(await tools(flags)));
  },
};

/**
 * `wiregauge cache clean`: removes the containers, pods, processes, folders and git worktrees of runs that no longer exist, with a line for
 * each, and outdated images of services. Those of a running one stay, and then all images do. Exit code 0.
 */
export async function clean({ json }: Pick<OutputOptions, 'json'> = {}): Promise<number> {
  const removed: string[] = [];
  // For people at once, since a process may take seconds to end.
  const log = (line: string): void => void (json === true ? removed.push(line) : printLine(line));
  await removeOrphans(log);
  const engine = await dockerAnswers();
  if (engine.ok) {
    await removeOrphanContainers(isOwnerAlive, log);
    await orRemark({ json }, 'old images', () => removeImages({ json }, log));
  }
  if (hasClusterSettings(process.env)) {
    await orRemark({ json }, 'pods', () => removeOrphanPods(isOwnerAlive, machineOwner(), log));
  }
  printResult({ command: 'cache clean', json }, { text: () => '', data: () => ({ removed }) });
  return 0;
}

/** A run under way may have built an image that no container has yet. */
async function removeImages(options: Pick<OutputOptions, 'json'>, log: (line: string) => void): Promise<void> {
  await using _lock = await aloneOnMachine(
    { ...options, wait: 0 },
    { what: 'wiregauge cache clean', signal: new AbortController().signal },
  );
  await removeOldImages(log);
}

/** Removes one kind of leftovers; a known error is logged and ends nothing. */
async function orRemark(options: Pick<OutputOptions, 'json'>, what: string, remove: () => Promise<void>) {
  try {
    await remove();
  } catch (thrown) {
    remarkLog(options)(`${what} were not removed: ${knownError(thrown).message}`);
  }
}

/**
 * `wiregauge cache fetch`: installs the load driver into a cache of this machine, and prints where it came from and the folder: for machines
 * without a network later. Exit code 0; 2 if it is not available.
 */
export async function tools({ json }: Pick<OutputOptions, 'json'>): Promise<number> {
  const log = remarkLog({ json });
  return await interruptible(async (signal) => {
    const { ok: hasDocker } = await dockerAnswers();
    const { folder } = await loadTools({ log, signal }, hasDocker);
    printResult({ command: 'cache fetch', json }, { text: () => `${folder}\n`, data: () => ({ folder }) });
    return 0;
  });
}
