import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { allProcesses } from '../../src/host/machine/proc.ts';

/** The Node that actions run in: another one than that of the tests where WIREGAUGE_NODE names its program. */
export const ACTION_NODE = resolve(process.env['WIREGAUGE_NODE'] ?? process.execPath);

/**
 * The action as a user's workflow gets it: what is published, the bundle of the action itself too, in a folder of its own. As a tag has it, that is
 * without what git ignores: act copies all of it for each step, and what builds leave in `services` is ten times as many files.
 */
export function publishedAction(files = publishedFiles()): { readonly folder: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'action-'));
  const published = ['action.yml', 'package.json', ...files];
  const argv = ['ls-files', '--cached', '--others', '--exclude-standard', '-z', ...published];
  const listed = execFileSync('git', argv, { encoding: 'utf8' }).split('\0');
  for (const path of listed.filter((one) => one !== '' && existsSync(one))) {
    cpSync(path, join(folder, path));
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function publishedFiles(): readonly string[] {
  const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly files: readonly string[] };
  return files.filter((path) => !path.startsWith('!'));
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
  readonly onOutput?: (output: string, signals: JobSignals) => void;
}

/** What a job can be sent. */
export interface JobSignals {
  /** Cancels it: act kills the step that runs at once, as GitHub's runner does after 10 seconds, and goes on with the ends of steps. */
  readonly job: (signal: NodeJS.Signals) => void;
  /** To the program of the step that runs, as GitHub's runner does first: SIGINT, then SIGTERM. */
  readonly step: (signal: NodeJS.Signals) => void;
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
    // act runs the first `node` that it finds.
    mkdirSync(join(folder, 'bin'));
    symlinkSync(ACTION_NODE, join(folder, 'bin/node'));
    const env = { ...process.env, PATH: [join(folder, 'bin'), process.env['PATH']].join(delimiter) };
    const child = spawn('act', argv, { cwd: job.root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const signals: JobSignals = {
      job: (signal) => child.kill(signal),
      step: (signal) => {
        for (const { pid } of allProcesses().filter(({ parent }) => parent === child.pid)) {
          process.kill(pid, signal);
        }
      },
    };
    let log = '';
    const heard = (chunk: unknown): void => {
      log += String(chunk);
      job.onOutput?.(log, signals);
    };
    child.stdout.on('data', heard);
    child.stderr.on('data', heard);
    const [exitCode] = await once(child, 'close');
    return { exitCode, log };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
