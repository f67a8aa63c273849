import { EnvironmentError } from '../../foundation/errors.ts';
import { cleanText } from '../../foundation/text.ts';
import { type ChildEnd, runChild } from '../../host/child.ts';
import { FileRefusal, readBytes } from '../../host/files/reader.ts';
import type { ProfilerName } from '../../model/run/functions.ts';
import type { Stack } from './stacks.ts';

export interface Sampling {
  /** Process IDs on this machine for the profiler. */
  readonly pids: readonly number[];
  readonly seconds: number;
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** Samples processes many times a second while they run. Throws EnvironmentError if it is missing or not permitted. */
export interface Sampler {
  readonly name: ProfilerName;
  sample(sampling: Sampling): Promise<{ readonly version: string; readonly stacks: readonly Stack[] }>;
}

/** Far above actual profiles, which are some hundred kilobytes. */
const MAX_BYTES = 32 * 2 ** 20;

/** Reads the output of a profiler or of a service itself; refuses a link and a pipe. */
export function readProfile(path: string): string {
  try {
    return readBytes(path, { most: MAX_BYTES, isNoLink: true }).toString('utf8');
  } catch (thrown) {
    if (thrown instanceof FileRefusal) {
      const reason = thrown.kind === 'missing' ? thrown.message : `it ${thrown.message}`;
      throw new EnvironmentError(`the profile cannot be read: ${reason}`, {
        code: 'WG-213',
        next: 'Measure again, or set `profiler: off` for the service.',
      });
    }
    throw thrown;
  }
}

/** Limit for a profiler in addition to sampling: it reads the symbols of all programs first. */
const BESIDES_SECONDS = 40;

const MAX_REASON = 200;

/** Runs a profiler to its end and returns its last output. Throws EnvironmentError if it fails. */
export async function runProfiler(
  { argv, next }: { readonly argv: readonly string[]; readonly next: string },
  { seconds, signal, folder }: Pick<Sampling, 'seconds' | 'signal' | 'folder'>,
): Promise<string> {
  const limitSeconds = seconds + BESIDES_SECONDS;
  const end = await runChild(
    { argv: [...asRoot(), ...argv], cwd: folder, environment: process.env },
    { signal, limitSeconds },
  );
  if (end.exitCode !== 0 || end.timedOut) {
    const name = argv[0]?.split('/').at(-1);
    throw new EnvironmentError(`${name} failed: ${reasonOf(end, limitSeconds)}`, { code: 'WG-213', next });
  }
  return end.lastLines;
}

function reasonOf({ timedOut, lastLines, exitCode }: ChildEnd, limitSeconds: number): string {
  const lines = lastLines.split('\n').filter((line) => line.trim() !== '');
  const options = lines.find((line) => /^(\w*error\b|.*permission)/i.test(line)) ?? lines.at(-1);
  return timedOut ? `it took over ${limitSeconds} s` : cleanText(options ?? `exit code ${exitCode}`, MAX_REASON);
}

/** On GitHub-hosted runners, root may profile processes, and sudo needs no password. It is not used elsewhere. */
function asRoot(): readonly string[] {
  const isHosted = process.env['RUNNER_ENVIRONMENT'] === 'github-hosted';
  return process.getuid?.() === 0 || !isHosted ? [] : ['sudo', '-n', '--preserve-env=PATH'];
}
