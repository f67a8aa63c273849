import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { readProc } from '../../src/host/files/reader.ts';
import { removeOrphans } from '../../src/host/machine/orphans.ts';
import { allProcesses, isRunning } from '../../src/host/machine/proc.ts';

// A program of root's: cleans up beside processes that another user has marked, and prints which are left as JSON. It runs in a pid
// namespace of its own, so that it finds nothing else.

const MARK = 'WIREGAUGE_OWNER=999999999:1';
const AS_NOBODY = 'setpriv --reuid=65534 --regid=65534 --clear-groups';
// The kernel then gives its folder in /proc to root.
const HIDDEN = `import ctypes, time; ctypes.CDLL(None).prctl(4, 0); time.sleep(64)`;

/** A shell of root's, without job control as in a script: what it starts stays in its process group. */
const SHELLS = {
  'shell with a marked process of another user': `${AS_NOBODY} env ${MARK} sleep 61; true`,
  'shell with a hidden one': `${AS_NOBODY} env ${MARK} python3 -c '${HIDDEN}'; true`,
  'shell with a marked process of root': `${AS_NOBODY} sleep 62 & env ${MARK} sleep 63; sleep 65`,
};

const shells = Object.entries(SHELLS).map(([name, script]) => {
  const shell = spawn('sh', ['-c', script], { detached: true, stdio: 'ignore', env: { PATH: process.env['PATH'] } });
  return { name, shell };
});
const running = (text: string) =>
  allProcesses().some((stat) => isRunning(stat) && readProc(`/proc/${stat.pid}/cmdline`)?.includes(text));
while (!['61', '62', '63'].every((seconds) => running(`sleep\0${seconds}\0`)) || !running('python3')) {
  await sleep(20);
}
await sleep(500);
const lines: string[] = [];

await removeOrphans((line) => lines.push(line));

const left = Object.fromEntries(
  shells.map(({ name, shell }) => [name, shell.exitCode === null && shell.signalCode === null]),
);
const sleeping = ['61', '62', '63'].filter((seconds) => running(`sleep\0${seconds}\0`));
process.stdout.write(JSON.stringify({ left, sleeping, hidden: running('python3'), lines }));
process.exit();
