import { basename } from 'node:path';
import { EnvironmentError } from '../../foundation/errors.ts';
import { startChild } from '../../host/child.ts';
import type { ValgrindPlace } from './valgrind.ts';

/** The files of Valgrind that a container needs, by their paths on this machine. */
export interface ValgrindFiles {
  /** The folder of its tools, which are linked statically. */
  readonly tools: string;
  readonly vgdb: string;
  /** Loader of vgdb with its libraries; undefined and none if it is linked statically. */
  readonly loader?: string | undefined;
  readonly libraries: readonly string[];
}

/** Finds the files of a Valgrind; throws EnvironmentError if it does not report their place. */
export async function valgrindFiles({ valgrind, vgdb }: ValgrindPlace): Promise<ValgrindFiles> {
  const tools = toolFolder(await printedBy([valgrind, '-d', '--tool=callgrind', '--version']));
  if (tools === undefined) {
    throw new EnvironmentError(`the tools of ${valgrind} were not found`, {
      code: 'WG-213',
      next: 'Install Valgrind from a package: `sudo apt-get install -y valgrind` on Debian and Ubuntu.',
    });
  }
  return { tools, vgdb, ...linkedFiles(await printedBy(['ldd', vgdb])) };
}

const MOST_LINES = 1000;

async function printedBy(argv: readonly string[]): Promise<string> {
  const child = await startChild({ argv, cwd: '/', environment: { ...process.env, LC_ALL: 'C' } });
  await child.ended;
  return child.lastLines(MOST_LINES);
}

/** The folder of the tool that the launcher starts, by its debug output. */
export function toolFolder(printed: string): string | undefined {
  return /launcher launching (\/.*)\/[^/]+$/m.exec(printed)?.[1];
}

export function linkedFiles(printed: string): Pick<ValgrindFiles, 'loader' | 'libraries'> {
  const paths = [...printed.matchAll(/(?<!\S)(\/\S+) \(0x[0-9a-f]+\)$/gm)].flatMap(([, path]) => path ?? []);
  const loader = paths.find((path) => basename(path).startsWith('ld-'));
  return { loader, libraries: paths.filter((path) => path !== loader) };
}
