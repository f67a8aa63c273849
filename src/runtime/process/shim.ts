import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename, isAbsolute, join, resolve } from 'node:path';
import { runChild } from '../../host/child.ts';
import { readBytes } from '../../host/files/reader.ts';

interface CommandPlace {
  /** Its working folder. */
  readonly root: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** How the scripts end that pyenv, rbenv and the like put on the PATH in the place of programs: the script at this path starts the right one. */
const SHIM = /^exec "(\/[^"\n]+)" exec "\$program" "\$@"$/m;

/** Such a script has some three hundred. */
const MOST_BYTES = 4096;

const ASK_SECONDS = 10;

/**
 * A command that starts the program itself and not by a shim, whose scripts are slow under Valgrind and may fail there. A command
 * without a shim stays as it is, and so does one whose program is not told.
 */
export async function withoutShim(command: readonly string[], place: CommandPlace): Promise<readonly string[]> {
  const [name = '', ...rest] = command;
  const path = await pathOf(name, place);
  const script = path === undefined ? '' : await scriptAt(path);
  const [, manager] = SHIM.exec(script) ?? [];
  if (path === undefined || manager === undefined) {
    return command;
  }
  const environment = { ...place.environment, ...exportsIn(script) };
  // Without its warnings.
  const request = ['sh', '-c', '"$1" which "$2" 2>/dev/null', 'sh', manager, basename(path)];
  const end = await runChild({ argv: request, cwd: place.root, environment }, { limitSeconds: ASK_SECONDS }).catch(
    () => undefined,
  );
  const found = end?.exitCode === 0 ? end.lastLines.trim() : '';
  return isAbsolute(found) && (await isProgram(found)) ? [found, ...rest] : command;
}

/** The variables that a shim sets: where programs of its kind are. */
function exportsIn(script: string): Readonly<Record<string, string>> {
  const found = script.matchAll(/^export (\w+)="([^"\n$`\\]*)"$/gm);
  return Object.fromEntries([...found].map(([, variable = '', value = '']) => [variable, value]));
}

async function pathOf(name: string, { root, environment }: CommandPlace): Promise<string | undefined> {
  if (name.includes('/')) {
    return resolve(root, name);
  }
  for (const folder of (environment['PATH'] ?? '').split(':').filter((one) => one !== '')) {
    const path = resolve(root, join(folder, name));
    if (await isProgram(path)) {
      return path;
    }
  }
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  return await access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

function scriptAt(path: string): string {
  try {
    const text = readBytes(path, { most: MOST_BYTES, isCut: true }).toString('utf8');
    return text.startsWith('#!') ? text : '';
  } catch {
    // A folder of that name, for example.
    return '';
  }
}
