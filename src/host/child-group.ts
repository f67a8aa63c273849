import { setTimeout as sleep } from 'node:timers/promises';
import { allProcesses, isRunning } from './machine/proc.ts';

const POLL_MS = 20;
const KILL_WAIT_MS = 2000;

const living = new Set<number>();

/** Ends all processes of a group: SIGTERM, and SIGKILL for those that are left after the grace. */
export async function endGroup(group: number, graceMs: number): Promise<void> {
  if (!signalGroup(group, 'SIGTERM') || (await isGroupGone(group, graceMs))) {
    return;
  }
  signalGroup(group, 'SIGKILL');
  await isGroupGone(group, KILL_WAIT_MS);
}

/** Kills the group when this program exits in whatever way it can notice; gives what takes that back. */
export function killGroupsAtExit(group: number): () => void {
  if (living.size === 0) {
    process.once('exit', killAll);
  }
  living.add(group);
  return () => {
    living.delete(group);
    if (living.size === 0) {
      process.off('exit', killAll);
    }
  };
}

/** Sends a signal to all processes of a group; false where there are none. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  if (group <= 1) {
    throw new Error(`${group} is not a process group that can be signalled`);
  }
  try {
    return process.kill(-group, signal);
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ESRCH') {
      return false;
    }
    throw thrown;
  }
}

async function isGroupGone(group: number, withinMs: number): Promise<boolean> {
  for (const until = performance.now() + withinMs; performance.now() < until; await sleep(POLL_MS)) {
    // Zombies can still be signalled, and where process 1 reaps nothing they stay for ever.
    if (!signalGroup(group, 0) || !allProcesses().some((stat) => stat.group === group && isRunning(stat))) {
      return true;
    }
  }
  return false;
}

function killAll(): void {
  for (const group of living) {
    signalGroup(group, 'SIGKILL');
  }
}
