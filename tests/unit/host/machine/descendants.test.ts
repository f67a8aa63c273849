import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { afterEach, describe, expect, test } from 'vitest';
import {
  escapedProcesses,
  limitOf,
  markDescendants,
  marksOf,
  ownerOfLimit,
} from '../../../../src/host/machine/descendants.ts';
import { endProcessesOf } from '../../../../src/host/machine/orphans.ts';
import { ownerOf } from '../../../../src/host/machine/proc.ts';

describe('a limit', () => {
  test.each(['4194304:1', '1:1099511627776'])('is too small for the owner %s', (owner) => {
    expect(limitOf(owner)).toBeUndefined();
  });

  test.each(['1:0', '4194303:1', '12345:987654321', '77:137438953471'])('names the owner %s', (owner) => {
    expect(ownerOfLimit(limitOf(owner))).toBe(owner);
  });

  test.each([undefined, 'unlimited', '0', '200000', '950000', '4611686018427387903', '9223372036854775808'])(
    'of others is not a mark: %s',
    (limit) => {
      expect(ownerOfLimit(limit)).toBeUndefined();
    },
  );
});

/** Two forks and a session of its own, in an empty environment: what a daemon does. */
const DAEMON = ['setsid', '--fork', 'env', '-i', 'sleep', '60'];

describe('descendants', () => {
  const owner = ownerOf(process.pid) ?? '';
  const started: ChildProcess[] = [];

  afterEach(async () => {
    for (const one of started.splice(0)) {
      one.kill('SIGKILL');
    }
    await endProcessesOf(owner);
  });

  test('are found and ended, also a daemon without environment, parents and group', async () => {
    using _marked = markDescendants(owner);
    execFileSync('sh', ['-c', `${DAEMON.join(' ')} </dev/null >/dev/null 2>&1`]);
    await expect.poll(() => escapedProcesses(owner).map(({ name }) => name)).toEqual(['sleep']);
    const [pid = 0] = escapedProcesses(owner).map((one) => one.pid);
    expect(marksOf(pid)).toEqual([owner]);
    const lines: string[] = [];

    await endProcessesOf(owner, (line) => lines.push(line));

    expect(escapedProcesses(owner)).toEqual([]);
    expect(lines).toEqual([`stopping sleep (pid ${pid}), which had left its process group`]);
  });

  test('that are still below this program have escaped from nothing', async () => {
    using _marked = markDescendants(owner);
    const child = spawn('sleep', ['60'], { detached: true });
    started.push(child);
    await expect.poll(() => marksOf(child.pid ?? 0)).toEqual([owner]);

    expect(escapedProcesses(owner)).toEqual([]);
    await endProcessesOf(owner);

    expect(child.exitCode ?? child.signalCode).toBeNull();
  });

  test('are marked as before once the mark is taken back', async () => {
    const before = marksOf(process.pid);
    markDescendants(owner)[Symbol.dispose]();
    const child = spawn('sleep', ['60'], { detached: true });
    started.push(child);
    await new Promise((resolve) => child.once('spawn', resolve));

    expect(marksOf(child.pid ?? 0)).toEqual(before);
  });
});
