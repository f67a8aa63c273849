import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A folder with repositories that are made for one test. */
export interface Scene {
  readonly folder: string;
  /** A repository of one commit, "First", with `app.txt` and `sub/deep.txt`. */
  readonly repository: string;
  git(...argv: string[]): string;
  write(path: string, text: string): void;
  commit(message: string): string;
  remove(): void;
}

// No settings but those of the tests.
const GIT_ENVIRONMENT = { GIT_CONFIG_GLOBAL: join(import.meta.dirname, 'git-config'), GIT_CONFIG_NOSYSTEM: '1' };

/** Lets this program's git have no settings but those of the tests; gives what puts its whole environment back. */
export function gitEnvironment(): () => void {
  const before = { ...process.env };
  Object.assign(process.env, GIT_ENVIRONMENT);
  return () => {
    for (const name of Object.keys(process.env)) {
      delete process.env[name];
    }
    Object.assign(process.env, before);
  };
}

const IDENTITY = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'protocol.file.allow=always'];

/** Runs git in a folder and gives what it printed. */
export function gitIn(folder: string, ...argv: string[]): string {
  const env = { ...process.env, ...GIT_ENVIRONMENT };
  const output = execFileSync('git', [...IDENTITY, '-C', folder, ...argv], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  return output.toString('utf8').trimEnd();
}

export function makeScene(): Scene {
  const folder = mkdtempSync(join(tmpdir(), 'git-scene-'));
  const repository = join(folder, 'repository');
  const scene: Scene = {
    folder,
    repository,
    git: (...argv) => gitIn(repository, ...argv),
    write(path, text) {
      mkdirSync(dirname(join(repository, path)), { recursive: true });
      writeFileSync(join(repository, path), text);
    },
    commit(message) {
      scene.git('add', '--all');
      scene.git('commit', '--quiet', '--allow-empty', '-m', message);
      return scene.git('rev-parse', 'HEAD');
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
  gitIn(folder, 'init', '--quiet', '-b', 'main', repository);
  scene.write('app.txt', 'one\n');
  scene.write('sub/deep.txt', 'deep\n');
  scene.git('add', '--all');
  scene.git('commit', '--quiet', '-m', 'First');
  return scene;
}

/** A hook that leaves a file behind when it runs. */
export function addHook(repository: string, name: string, mark: string): void {
  const path = join(repository, '.git/hooks', name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\necho ${name} >> '${mark}'\n`);
  chmodSync(path, 0o755);
}

/** Every file below a folder with its text (a link with its target), but git's objects and what is in git's own `worktrees`. */
export function contents(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    const isObject = /\.git\/(modules\/.*)?objects\//.test(path);
    if (!entry.isDirectory() && !isObject) {
      found[path.slice(folder.length + 1)] = entry.isSymbolicLink()
        ? `-> ${readlinkSync(path)}`
        : readFileSync(path, 'latin1');
    }
  }
  return found;
}
