import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Container } from 'dockerode';
import { MeasurementError } from '../../foundation/errors.ts';
import type { DriverChannel } from '../../load/driver/driver.ts';
import { engineRefusalOf } from './docker-engine.ts';
import { exitCodeOf, keepLast, killExec } from './docker-exec.ts';

/** The driver's program and working folder, by their paths in the container. */
export interface DriverProgram {
  readonly path: string;
  readonly folder: string;
}

const END_WAIT_MS = 1000;

/** Starts the driver in a running container. Throws MeasurementError where the container has ended. */
export async function startDriverExec(
  container: Container,
  { path, folder }: DriverProgram,
  heard: (line: string) => void,
): Promise<DriverChannel> {
  const settings = { Cmd: [path], Env: ['TZ=UTC'], WorkingDir: folder };
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
    const how = await exitCodeOf(exec).then(
      (exitCode) => `with exit code ${exitCode}`,
      () => 'with its container',
    );
    return { how, lastLines: complaint.text() };
  });
  return {
    send: (line) => void stream.write(line),
    ended,
    async end() {
      // It ends with its standard input, also in the middle of a block.
      stream.end();
      const over = await Promise.race([closed.then(() => true), sleep(END_WAIT_MS, false, { ref: false })]);
      if (!over) {
        await killExec({ container, exec });
        stream.destroy();
      }
      await ended;
    },
  };
}

function notStarted(cause: unknown): MeasurementError {
  return new MeasurementError(`the driver cannot be started in the load tools' container: ${engineRefusalOf(cause)}`, {
    cause,
    next: 'The container or the service, whose network it shares, has probably ended; see what the service printed last.',
  });
}
