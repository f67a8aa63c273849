import { existsSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { KnownError } from '../foundation/errors.ts';
import { readText } from '../host/files/config-files.ts';
import type { Run } from '../model/run/run.ts';
import type { SourcePlaces } from './annotation.ts';
import { type ConfigFile, placesIn } from './places.ts';
import { ACCEPTED_FILE } from './policy.ts';
import { PROJECT_FILE } from './suite.ts';

/**
 * Where the configuration of a checkout has what the verdict of a run is about. `policy` is the path that `--policy` was given. The
 * run may be a stranger's: its names lead to no file outside of the checkout. What cannot be read has no line.
 */
export function configPlaces(root: string, { suite, services }: Run, policy: string | undefined): SourcePlaces {
  const names = services.map(({ name }) => name).filter(isName);
  const suiteFile = isName(suite.name) ? `suites/${suite.name}.yml` : 'suites';
  const isProject = !existsSync(join(root, suiteFile)) && existsSync(join(root, PROJECT_FILE));
  const suiteAt = fileAt(root, isProject ? PROJECT_FILE : suiteFile);
  const serviceAt = (name: string) =>
    isProject
      ? { ...suiteAt, steps: ['services', name] }
      : { ...fileAt(root, `services/${name}/service.yml`), steps: ['name'] };
  return placesIn({
    suite: suiteAt,
    services: new Map(names.map((name) => [name, serviceAt(name)])),
    accepted: fileAt(root, ACCEPTED_FILE),
    policy: policy === undefined ? undefined : givenFile(root, policy),
  });
}

function isName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_.-]{0,79}$/.test(name);
}

function givenFile(root: string, file: string): ConfigFile {
  const path = relative(root, resolve(root, file));
  const isOutside = path.startsWith('..') || isAbsolute(path);
  return { path: isOutside ? undefined : path, text: textOf(resolve(root, file)) };
}

function fileAt(root: string, path: string): ConfigFile {
  return { path, text: textOf(join(root, path)) };
}

/** An annotation without its line is better than a job that fails of it. */
function textOf(path: string): string | undefined {
  try {
    return readText(path, '');
  } catch (thrown) {
    if (thrown instanceof KnownError) {
      return undefined;
    }
    throw thrown;
  }
}
