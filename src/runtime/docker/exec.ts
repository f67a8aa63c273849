import { createInterface } from 'node:readline';
import { PassThrough, Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Container, Exec } from 'dockerode';
import { MeasurementError } from '../../foundation/errors.ts';
import { fromLineStart } from '../../foundation/text.ts';
import { readProc } from '../../host/files/reader.ts';
import type { DriverChannel } from '../driver/channel.ts';
import { engineRefusalOf } from './engine.ts';

const KEPT_BYTES = 4096;

/** Shell's exit code for a program that SIGKILL ended. */
export const KILLED = 137;

const STOP_WAIT_MS = 2000;

const POLL_MS = 10;

/** The engine cannot end a program in a container, so its process is killed if it can be identified; otherwise the container. */
export async function killExec(container: Container, exec: Exec): Promise<void> {
  const { Pid: pid } = await exec.inspect();
  if (pid > 0 && readProc(`/proc/${pid}/cgroup`)?.includes(container.id)) {
    try {
      process.kill(pid, 'SIGKILL');
      return;
    } catch {
      // It belongs to another user, or has just ended: killing the container is right for both.
    }
  }
  await container.kill().catch(() => undefined);
}

/** Exit code of a program whose output has ended, which may be a moment before the engine has recorded it. */
export async function exitCodeOfExec(exec: Exec): Promise<number> {
  for (const until = performance.now() + STOP_WAIT_MS; performance.now() < until; await sleep(POLL_MS)) {
    const { Running: isRunning, ExitCode: exitCode } = await exec.inspect();
    if (!isRunning && exitCode !== null) {
      return exitCode;
    }
  }
  return KILLED;
}

export function keepLast(bytes = KEPT_BYTES): { readonly sink: Writable; text(): string } {
  let [kept, isCut] = [Buffer.alloc(0), false];
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      isCut ||= kept.length + chunk.length > bytes;
      kept = Buffer.concat([kept, chunk]).subarray(-bytes);
      done();
    },
  });
  const text = () => kept.toString('utf8').trim();
  return { sink, text: () => (isCut ? fromLineStart(text()) : text()) };
}

const END_WAIT_MS = 1000;

export async function startDriverExec(
  container: Container,
  { command, folder }: { readonly command: readonly string[]; readonly folder: string },
  heard: (line: string) => void,
): Promise<DriverChannel> {
  const settings = { Cmd: [...command], Env: ['TZ=UTC'], WorkingDir: folder };
  const exec = await container
    .exec({ ...settings, AttachStdin: true, AttachStdout: true, AttachStderr: true })
    .catch((cause: unknown) => {
      throw notStarted(cause);
    });
  const stream = await exec.start({ hijack: true, stdin: true }).catch((cause: unknown) => {
    throw notStarted(cause);
  });
  const lines = new PassThrough();
  const complaint = keepLast();
  exec.modem.demuxStream(stream, lines, complaint.sink);
  createInterface({ input: lines }).on('line', heard);
  const closed = finished(stream, { writable: false }).catch(() => undefined);
  const ended = closed.then(async () => {
    const how = await exitCodeOfExec(exec).then(
      (exitCode) =>
        `with exit code ${exitCode}${exitCode === KILLED ? ', probably because it exceeded its memory limit' : ''}`,
      () => 'with its container',
    );
    return { how, lastLines: complaint.text() };
  });
  return {
    send: (line) => void stream.write(line),
    ended,
    async end() {
      // Ends with its standard input, even in the middle of a block.
      stream.end();
      const over = await Promise.race([closed.then(() => true), sleep(END_WAIT_MS, false, { ref: false })]);
      if (!over) {
        // Even if the engine does not answer: an open stream would keep the program running.
        await killExec(container, exec).finally(() => stream.destroy());
      }
      await ended;
    },
  };
}

function notStarted(cause: unknown): MeasurementError {
  return new MeasurementError(`the load driver cannot be started in its container: ${engineRefusalOf(cause)}`, {
    code: 'WG-401',
    cause,
    next: 'The container, or the service whose network it shares, has probably ended; check the last output of the service.',
  });
}
