import { contentOf, mapIn, textIn } from '../../../../config/yaml/lines.ts';
import { fileIn, folderOf, type RepositoryFolder } from '../../proposal/places.ts';

/** Package manager of a folder with a package.json. */
export interface PackageTool {
  readonly install: readonly string[];
  readonly script: (name: string) => readonly string[];
  /** Builds all packages of the workspace that the folder belongs to. */
  readonly buildAll?: readonly string[];
}

/**
 * The package manager of the nearest lock file: in the folder, or above it, as in a monorepo with workspaces. npm if there is no lock file. npm
 * fetches the others, so that a machine needs no more than Node.js.
 */
export function packageTool(manifest: Manifest, { folder, files }: RepositoryFolder): PackageTool {
  const tools = foldersUp(folder).map((at) => toolOf({ folder, at, manifest, files }));
  return tools.find((tool) => tool !== undefined) ?? npmIn({ folder, files });
}

type Manifest = Readonly<Record<string, unknown>>;

interface LockFolder extends RepositoryFolder {
  /** Folders that may have the lock file. */
  readonly at: string;
  readonly manifest: Manifest;
}

/** Itself, and all above it. */
function foldersUp(folder: string): readonly string[] {
  return folder === '' ? [''] : [folder, ...foldersUp(folderOf(folder))];
}

function toolOf(place: LockFolder): PackageTool | undefined {
  const { folder, at, files } = place;
  const lockOf = (name: string): string | undefined => fileIn(files, at, name)?.text;
  const [npm, pnpm, yarn] = ['package-lock.json', 'pnpm-lock.yaml', 'yarn.lock'].map(lockOf);
  if (npm !== undefined) {
    return npmWorkspace(place) ?? npmIn({ folder, files });
  }
  const named = namedTool(place);
  if (pnpm !== undefined) {
    return pnpmIn(folder, at, named ?? `pnpm@${pnpmVersion(pnpm)}`);
  }
  return yarn === undefined ? undefined : anyYarnIn(place, named ?? (isClassic(yarn) ? 'yarn@1' : 'yarn@4'));
}

/** "pnpm@9.1.0", as a package names it, or the one that the workspace belongs to. */
function namedTool({ at, manifest, files }: LockFolder): string | undefined {
  const whole = mapIn(contentOf(fileIn(files, at, 'package.json')?.text ?? ''));
  const named = [manifest, whole].map(
    (one) => /^(?:yarn|pnpm)@\d[\d.]*/.exec(textIn(one['packageManager']) ?? '')?.[0],
  );
  return named.find((one) => one !== undefined);
}

function isClassic(lock: string): boolean {
  return lock.includes('yarn lockfile v1');
}

function anyYarnIn({ folder, at }: LockFolder, tool: string): PackageTool {
  return tool.startsWith('yarn@1')
    ? classicYarnIn(folder, at, tool)
    : yarnIn(folder, at, tool.replace('yarn@', '@yarnpkg/cli-dist@'));
}

function npmIn({ folder, files }: RepositoryFolder): PackageTool {
  const at = folder === '' ? [] : ['--prefix', folder];
  const lock = fileIn(files, folder, 'package-lock.json')?.text;
  // npm up to 6, whose lock files have format 1, left peer dependencies out of them.
  const isOld = lock !== undefined && /"lockfileVersion":\s*1\b/.test(lock);
  const install = lock === undefined ? ['install'] : ['ci', ...(isOld ? ['--legacy-peer-deps'] : [])];
  return { install: ['npm', ...at, ...install], script: (name) => ['npm', ...at, 'run', name] };
}

/** Packages of a workspace are installed together, in its root: they are not in the registry. */
function npmWorkspace({ folder, at, files }: LockFolder): PackageTool | undefined {
  const whole = mapIn(contentOf(fileIn(files, at, 'package.json')?.text ?? ''));
  if (at === folder || whole['workspaces'] === undefined) {
    return undefined;
  }
  const { install, script } = npmIn({ folder: at, files });
  const hasBuild = textIn(mapIn(whole['scripts'])['build']) !== undefined;
  return { install, script: npmIn({ folder, files }).script, ...(hasBuild && { buildAll: script('build') }) };
}

/** By the version of the format of a lock file, which each major version of pnpm has its own of. */
function pnpmVersion(lock: string): number {
  const format = Number(/^lockfileVersion:\s*['"]?(\d+)/m.exec(lock)?.[1] ?? 9);
  return format >= 9 ? 10 : format >= 6 ? 8 : 7;
}

function pnpmIn(folder: string, at: string, tool: string): PackageTool {
  const command = (where: string) => ['npx', '--yes', tool, ...(where === '' ? [] : ['--dir', where])];
  return {
    install: [...command(at), 'install', '--frozen-lockfile'],
    script: (name) => [...command(folder), 'run', name],
  };
}

function classicYarnIn(folder: string, at: string, tool: string): PackageTool {
  const command = (where: string) => ['npx', '--yes', tool, ...(where === '' ? [] : ['--cwd', where])];
  return {
    install: [...command(at), 'install', '--frozen-lockfile'],
    script: (name) => [...command(folder), 'run', name],
  };
}

/** From version 2 on. It also puts packages into `node_modules`, so that plain `node` finds them. */
function yarnIn(folder: string, at: string, tool: string): PackageTool {
  const command = (where: string) => [
    ...['env', 'YARN_NODE_LINKER=node-modules', 'npx', '--yes', tool],
    ...(where === '' ? [] : ['--cwd', where]),
  ];
  return { install: [...command(at), 'install', '--immutable'], script: (name) => [...command(folder), 'run', name] };
}
