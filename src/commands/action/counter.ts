import { messageOf } from '../../foundation/errors.ts';
import { cleanText } from '../../foundation/text.ts';
import { runChild } from '../../host/child.ts';
import { findValgrind } from '../../runtime/valgrind/valgrind.ts';
import type { ActionJob } from './job.ts';

/** Time limit of the package manager: rounds need no counter. */
const INSTALL_SECONDS = 120;

const MAX_REASON = 200;

/** Access to the machine of a step. */
export interface Installing {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Version of Valgrind on a PATH, or undefined. */
  readonly findVersion: (path: string) => Promise<string | undefined>;
  readonly run: (argv: readonly string[]) => Promise<{ readonly exitCode: number; readonly lastLines: string }>;
}

/**
 * Installs Valgrind, which counts instructions, on a GitHub-hosted runner if the job counts and it is missing. Returns a line for the log;
 * undefined if nothing was to be installed. Never throws: the job continues without it.
 */
export async function installCounter(
  { mode, flags }: ActionJob,
  { environment, findVersion, run }: Installing = here(),
): Promise<string | undefined> {
  const { PATH = '', RUNNER_ENVIRONMENT, RUNNER_OS } = environment;
  const counts = (mode === 'compare' || mode === 'run') && flags.profile !== 'smoke' && flags.runtime !== 'kubernetes';
  if (!counts || RUNNER_ENVIRONMENT !== 'github-hosted' || RUNNER_OS !== 'Linux' || (await findVersion(PATH))) {
    return undefined;
  }
  try {
    const apt = (...words: readonly string[]) =>
      run(['sudo', '-n', 'timeout', String(INSTALL_SECONDS), 'apt-get', '-q', ...words]);
    const install = () => apt('install', '--yes', '--no-install-recommends', 'valgrind');
    let end = await install();
    // The runner's image may know versions that are not there any more.
    if (end.exitCode !== 0 && (await apt('update')).exitCode === 0) {
      end = await install();
    }
    const version = await findVersion(PATH);
    return version === undefined
      ? failed(end.lastLines.trim().split('\n').at(-1) ?? '')
      : `Installed Valgrind ${version}, which counts instructions. To do without, write \`with: { valgrind: never }\`.`;
  } catch (thrown) {
    return failed(messageOf(thrown));
  }
}

function failed(reason: string): string {
  return `Valgrind could not be installed, so instructions are not counted: ${cleanText(reason, MAX_REASON)}`;
}

function here(): Installing {
  return {
    environment: process.env,
    findVersion: async (path) => (await findValgrind(path))?.version,
    run: (argv) => runChild({ argv, cwd: '/', environment: process.env }, { limitSeconds: 2 * INSTALL_SECONDS }),
  };
}
