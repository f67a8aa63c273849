import type { RepositoryFile } from '../../../host/files/scan.ts';
import type { MoreOperations } from '../routes/contracts.ts';
import type { ProposedImage } from '../services/proposal.ts';
import type { ComposeService, HasPath } from './compose.ts';
import { argumentsOf } from './dockerfile.ts';
import { isManifest, manifestIn } from './manifests.ts';
import { baseName, depthOf, folderOf, isBelow, nearest, pathBelow } from './places.ts';

export interface RepositoryFiles extends MoreOperations {
  readonly name: string;
  readonly files: readonly RepositoryFile[];
  /** True if the repository has the path; by default, only paths in the files count. */
  readonly has?: HasPath;
  /** Contracts in folders above, by their paths from the folder of `files`: `../../api/orders.proto`. */
  readonly above?: readonly RepositoryFile[] | undefined;
}

/** Repository with the folders that seem to contain services. */
export interface Repository extends RepositoryFiles {
  readonly folders: readonly string[];
}

export interface Source {
  readonly folder: string;
  readonly image?: ProposedImage | undefined;
  readonly compose?: ComposeService | undefined;
}

/** Builds of the compose file, then Dockerfiles not in `built`, then folders with a program. */
export function sourcesIn(
  files: readonly RepositoryFile[],
  compose: readonly ComposeService[],
  built: ReadonlySet<string | undefined>,
): readonly Source[] {
  const byCompose = compose.flatMap((service): readonly Source[] => {
    const { build: image, sources: folder = image && sourceFolder(image, files) } = service;
    return folder === undefined ? [] : [{ folder, compose: service, image }];
  });
  const byDockerfile = nearest(files, '')
    .filter(({ path }) => baseName(path) === 'Dockerfile' && !built.has(path))
    .map(({ path }): Source => {
      const folder = contextOf(path, files);
      return { folder, image: { context: folder || '.', dockerfile: path } };
    });
  const images = [...byCompose, ...byDockerfile];
  const known = new Set(images.map(({ folder }) => folder));
  const plain = nearest(files, '')
    .filter(({ path }) => isManifest(path) && !known.has(folderOf(path)))
    .map(({ path }) => folderOf(path));
  const sorted = [...new Set(plain)].toSorted((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1));
  const started = sorted.filter((folder) => manifestIn({ folder, files })?.process !== undefined);
  const placed = images.map((source) => ({ ...source, folder: programOf(source, started, files) }));
  const taken = new Set(placed.map(({ folder }) => folder));
  return [...placed, ...started.filter((folder) => !taken.has(folder)).map((folder) => ({ folder }))];
}

/** Folder of an image; if it has no program, that of the only one below it, if its Dockerfile names that: `src/Shop` for `Shop.dll`. */
function programOf({ folder, image }: Source, started: readonly string[], files: readonly RepositoryFile[]): string {
  const [only, ...others] = hasManifest(folder, files) ? [] : started.filter((one) => isBelow(one, folder));
  const text = files.find(({ path }) => path === image?.dockerfile)?.text ?? '';
  return only !== undefined && others.length === 0 && text.includes(baseName(only)) ? only : folder;
}

/** Build context of a Dockerfile: its folder, or one above if the Dockerfile is in a folder such as `build/docker` and the program is above. */
function contextOf(path: string, files: readonly RepositoryFile[]): string {
  const folder = folderOf(path);
  let at = folder;
  while (!hasManifest(at, files) && /^(?:\.?docker|containers?|build|deploy(?:ments?)?|package)$/.test(baseName(at))) {
    at = folderOf(at);
  }
  return hasManifest(at, files) ? at : folder;
}

function hasManifest(folder: string, files: readonly RepositoryFile[]): boolean {
  return files.some(({ path }) => folderOf(path) === folder && isManifest(path));
}

/** Folder of the program: a build context may be the whole repository, while the program is next to its Dockerfile, or in the folder that its manifest is copied from. */
export function sourceFolder({ context, dockerfile }: ProposedImage, files: readonly RepositoryFile[]): string {
  const own = folderOf(dockerfile);
  const around = context === '.' ? '' : context;
  const text = files.find(({ path }) => path === dockerfile)?.text ?? '';
  const copied = argumentsOf(text, 'COPY')
    .flatMap((line) => line.split(/\s+/).slice(0, -1))
    .flatMap((word) => pathBelow(around, word) ?? [])
    .filter((path) => isManifest(path) && files.some((file) => file.path === path));
  const folders = [own, around, ...new Set(copied.map(folderOf))];
  return folders.find((folder) => hasManifest(folder, files)) ?? around;
}
