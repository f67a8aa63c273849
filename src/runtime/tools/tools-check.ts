import { join } from 'node:path';
import { EnvironmentError, messageOf } from '../../foundation/errors.ts';
import { runChild } from '../../host/child.ts';
import { GENERATOR_PROGRAMS, type PinnedProgram } from './tools-pins.ts';

/** Asks ghz and vegeta in a folder for their versions; see checkPrograms. */
export async function checkLoadTools(folder: string, signal: AbortSignal): Promise<void> {
  await checkPrograms(folder, GENERATOR_PROGRAMS, signal);
}

/**
 * Asks the programs in a folder for their versions. Throws EnvironmentError where one cannot be run or has another
 * version than the pinned one, and says which.
 */
export async function checkPrograms(
  folder: string,
  programs: readonly PinnedProgram[],
  signal: AbortSignal,
): Promise<void> {
  for (const program of programs) {
    const printed = await printedVersion(folder, program, signal);
    const { name, version: wanted, versionPattern } = program;
    // The first line only: vegeta prints the version of Go below its own.
    const [line = ''] = printed.split('\n');
    const [found] = versionPattern.exec(line) ?? [];
    if (found !== wanted) {
      throw new EnvironmentError(
        `The load tool ${name} in ${folder} has version ${found ?? `"${line.slice(0, 80)}"`}, and ${wanted} is needed`,
        { next: `Remove ${folder}; the pinned version is fetched at the next start.` },
      );
    }
  }
}

async function printedVersion(folder: string, program: PinnedProgram, signal: AbortSignal): Promise<string> {
  const argv = [join(folder, program.name), ...program.versionArguments];
  try {
    const { lastLines } = await runChild({ argv, cwd: '/', environment: {} }, { signal, limitSeconds: 10 });
    return lastLines;
  } catch (cause) {
    signal.throwIfAborted();
    throw new EnvironmentError(`The load tool ${program.name} is missing, or cannot be run: ${messageOf(cause)}`, {
      cause,
      next: 'Start again: what is missing is fetched at the start.',
    });
  }
}
