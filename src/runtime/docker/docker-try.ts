import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Container } from 'dockerode';
import { engineRefusalOf } from './docker-engine.ts';
import { exitCodeOf, keepLast, killExec } from './docker-exec.ts';

const LIMIT_MS = 10_000;
const REASON_LENGTH = 500;

/** Runs a command in a running container, with its environment; gives why it did not succeed, undefined where it did. */
export async function tryInContainer(container: Container, command: readonly string[]): Promise<string | undefined> {
  try {
    const exec = await container.exec({ Cmd: [...command], AttachStdout: true, AttachStderr: true });
    const output = await exec.start({ hijack: true, stdin: false });
    const printed = keepLast();
    exec.modem.demuxStream(output, printed.sink, printed.sink);
    const closed = finished(output, { writable: false }).catch(() => undefined);
    const over = await Promise.race([closed.then(() => true), sleep(LIMIT_MS, false, { ref: false })]);
    if (!over) {
      await killExec({ container, exec });
      output.destroy();
      return `took over ${LIMIT_MS / 1000} s`;
    }
    const exitCode = await exitCodeOf(exec);
    return exitCode === 0 ? undefined : `ended with exit code ${exitCode}: ${printed.text().slice(-REASON_LENGTH)}`;
  } catch (thrown) {
    return engineRefusalOf(thrown);
  }
}
