import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { CommandEnd } from './project.ts';

/** The packed package, installed into an otherwise empty folder outside of this repository. */
export interface InstalledPackage {
  /** Where a user would be. */
  readonly folder: string;
  /** The package's own folder, in which nothing can be written unless by root. */
  readonly packageFolder: string;
  readonly tarball: string;
  /** Runs `npx --offline wiregauge` in the user's folder. */
  npx(argv: readonly string[], environment?: Readonly<Record<string, string>>): Promise<CommandEnd>;
  /** One line for each file of the package: its mode, its checksum and its path. Tells what a write by root has changed, too. */
  content(): readonly string[];
  remove(): void;
}

/** Packs what is here, `dist` as it lies, and installs it as a user without network would. */
export function installPackage(): InstalledPackage {
  const scratch = mkdtempSync(join(tmpdir(), 'package-'));
  const folder = join(scratch, 'user');
  mkdirSync(folder);
  // npm's own settings of this run, such as those of `npm test`, are none of a user's.
  const own = Object.entries(process.env).filter(([name]) => !name.toLowerCase().startsWith('npm_'));
  const env = {
    ...Object.fromEntries(own),
    npm_config_cache: join(scratch, 'npm'),
    npm_config_update_notifier: 'false',
  };
  const npm = (argv: readonly string[], cwd: string): string =>
    execFileSync('npm', argv, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  npm(['pack', '--offline', '--ignore-scripts', '--pack-destination', scratch], resolve('.'));
  const tarball = join(scratch, readdirSync(scratch).find((name) => name.endsWith('.tgz')) ?? '');
  npm(['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', tarball], folder);
  const packageFolder = join(folder, 'node_modules', 'wiregauge');
  execFileSync('chmod', ['-R', 'a-w', packageFolder]);
  return {
    folder,
    packageFolder,
    tarball,
    npx: (argv, environment = {}) =>
      run(['--offline', 'wiregauge', ...argv], { cwd: folder, env: { ...env, ...environment } }),
    content: () => filesIn(packageFolder).map((path) => lineOf(packageFolder, path)),
    remove() {
      execFileSync('chmod', ['-R', 'u+w', scratch]);
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

/** Paths of all files below a folder, relative to it, in order. */
export function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

function lineOf(folder: string, path: string): string {
  const sha256 = createHash('sha256')
    .update(readFileSync(join(folder, path)))
    .digest('hex');
  return `${statSync(join(folder, path)).mode.toString(8)} ${sha256} ${path}`;
}

async function run(argv: readonly string[], options: { cwd: string; env: NodeJS.ProcessEnv }): Promise<CommandEnd> {
  const child = spawn('npx', argv, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const [exitCode] = await once(child, 'close');
  return { exitCode, stdout, stderr };
}
