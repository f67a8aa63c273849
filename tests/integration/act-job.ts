import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The action as a user's workflow gets it: what is published, in a folder of its own. */
export function publishedAction(): { readonly folder: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'action-'));
  const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly files: readonly string[] };
  for (const path of ['action.yml', 'package.json', ...files]) {
    cpSync(resolve(path), join(folder, path), { recursive: true });
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A job to be played. */
export interface ActJob {
  /** The repository, with its workflow. */
  readonly root: string;
  /** The folder of the action, which the workflow calls wiregauge/wiregauge@v1. */
  readonly action: string;
  readonly event: string;
  readonly payload: object;
  readonly environment: Readonly<Record<string, string>>;
  /** What the job has as github.token. */
  readonly token: string;
  /** Called with all that was printed so far; may send a signal. */
  readonly onOutput?: (output: string, kill: (signal: NodeJS.Signals) => void) => void;
}

/** How it ended: `log` is what act printed, a line each with the job's name before it. */
export interface ActEnd {
  readonly exitCode: number | null;
  readonly log: string;
}

/** Plays the workflows of a repository for an event on this machine, as a runner would. */
export async function act(job: ActJob): Promise<ActEnd> {
  const folder = mkdtempSync(join(tmpdir(), 'act-'));
  try {
    const event = join(folder, 'event.json');
    writeFileSync(event, JSON.stringify(job.payload));
    const argv = [
      job.event,
      ...['--platform', 'ubuntu-24.04=-self-hosted', '--eventpath', event],
      ...['--local-repository', `wiregauge/wiregauge@v1=${job.action}`],
      ...['--action-cache-path', join(folder, 'actions'), '--secret', `GITHUB_TOKEN=${job.token}`],
      ...Object.entries(job.environment).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    ];
    const child = spawn('act', argv, { cwd: job.root, stdio: ['ignore', 'pipe', 'pipe'] });
    let log = '';
    const heard = (chunk: unknown): void => {
      log += String(chunk);
      job.onOutput?.(log, (signal) => child.kill(signal));
    };
    child.stdout.on('data', heard);
    child.stderr.on('data', heard);
    const [exitCode] = await once(child, 'close');
    return { exitCode, log };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
