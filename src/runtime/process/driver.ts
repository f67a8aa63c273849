import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { EnvironmentError } from '../../foundation/errors.ts';
import { endOfText } from '../../foundation/text.ts';
import { endGroup, endMarkedAtExit, killGroupsAtExit } from '../../host/child.ts';
import { childEnvironment } from '../../host/workflow.ts';
import type { DriverChannel, DriverEnd } from '../driver/driver.ts';
import { DRIVER } from '../driver/source.ts';
import { type Site, siteEnvironment } from './site.ts';

export interface DriverProcess extends DriverChannel {
  readonly pid: number;
}

const GRACE_MS = 1000;
const KEPT_CHARACTERS = 2000;

export interface DriverStart {
  readonly folder: string;
  readonly mode?: readonly string[];
}

/** Starts the driver on the load core. Throws EnvironmentError if it cannot be started. */
export async function startDriverProcess(
  site: Site,
  { folder, mode = [] }: DriverStart,
  heard: (line: string) => void,
): Promise<DriverProcess> {
  const program = join(site.options.tools.folder, DRIVER);
  const [file = '', ...rest] = [...site.onLoadCore, program, ...mode];
  const env = childEnvironment({ ...siteEnvironment(site), TZ: 'UTC' });
  endMarkedAtExit();
  const child = spawn(file, rest, { cwd: folder, env, detached: true, stdio: 'pipe' });
  const pid = await spawned(child, program);
  const release = killGroupsAtExit(pid);
  let isOver = false;
  const ended = endOf(child).then((end) => {
    isOver = true;
    release();
    return end;
  });
  createInterface({ input: child.stdout }).on('line', heard);
  // Its end is told by `ended`; a line that can no longer be written needs no error of its own.
  child.stdin.on('error', () => undefined);
  return {
    pid,
    ended,
    send: (line) => void child.stdin.write(line),
    async end() {
      if (!isOver) {
        await endGroup(pid, GRACE_MS);
        await ended;
      }
    },
  };
}

function spawned(child: ChildProcessWithoutNullStreams, program: string): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('spawn', () => resolve(child.pid ?? 0));
    child.once('error', (cause) =>
      reject(
        new EnvironmentError(`${program} cannot be started: ${cause.message}`, {
          code: 'WG-203',
          cause,
          next: 'Run `wiregauge cache fetch` to install it.',
        }),
      ),
    );
  });
}

function endOf(child: ChildProcessWithoutNullStreams): Promise<DriverEnd> {
  let kept = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    kept = endOfText(kept + text, KEPT_CHARACTERS);
  });
  return new Promise((resolve) => {
    // It starts nothing that could hold its pipes open after its end.
    child.once('close', (code, signal) =>
      resolve({ how: signal === null ? `with exit code ${code}` : `by ${signal}`, lastLines: kept.trim() }),
    );
  });
}
