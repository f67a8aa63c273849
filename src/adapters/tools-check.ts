import { join } from 'node:path';
import { EnvironmentError, messageOf } from '../core/errors.ts';
import type { GeneratorName } from '../core/load.ts';
import { runChild } from './child.ts';
import { LOAD_TOOL_VERSIONS, LOAD_TOOLS, VERSION_ARGUMENTS } from './tools-pins.ts';

/**
 * Asks the load tools in a folder for their versions. Throws EnvironmentError where one cannot be run or has another
 * version than the pinned one, and says which.
 */
export async function checkLoadTools(folder: string, signal: AbortSignal): Promise<void> {
  for (const tool of LOAD_TOOLS) {
    const printed = await printedVersion(join(folder, tool), tool, signal);
    const wanted = LOAD_TOOL_VERSIONS[tool];
    // The first line only: vegeta prints the version of Go below its own.
    const [line = ''] = printed.split('\n');
    const [found] = /\d+\.\d+\.\d+\S*/.exec(line) ?? [];
    if (found !== wanted) {
      throw new EnvironmentError(
        `The load tool ${tool} in ${folder} has version ${found ?? `"${line.slice(0, 80)}"`}, and ${wanted} is needed`,
        { next: `Remove ${folder}; the pinned version is fetched at the next start.` },
      );
    }
  }
}

async function printedVersion(path: string, tool: GeneratorName, signal: AbortSignal): Promise<string> {
  const argv = [path, ...VERSION_ARGUMENTS[tool]];
  try {
    const { lastLines } = await runChild({ argv, cwd: '/', environment: {} }, { signal, limitSeconds: 10 });
    return lastLines;
  } catch (cause) {
    signal.throwIfAborted();
    throw new EnvironmentError(`The load tool ${tool} is missing, or cannot be run: ${messageOf(cause)}`, {
      cause,
      next: 'Start again: what is missing is fetched at the start.',
    });
  }
}
