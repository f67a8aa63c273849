import { constants, type Dirent } from 'node:fs';
import { access, lstat, readdir } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { EnvironmentError, messageOf } from '../../foundation/errors.ts';
import { type ArtifactStore, isArtifactPath, type ResultFile, type ResultFolder } from './upload.ts';

/** Deeper than anything that is left here. */
const MOST_DEPTH = 8;

/** The folder at that path; what an artifact cannot hold is not listed. Links are not followed: they may lead anywhere. */
export function resultFolder(path: string): ResultFolder {
  return { files: async () => await filesBelow(path, path, MOST_DEPTH) };
}

async function filesBelow(root: string, folder: string, depth: number): Promise<readonly ResultFile[]> {
  const found: ResultFile[] = [];
  for (const entry of depth > 0 ? await entriesOf(folder) : []) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      found.push(...(await filesBelow(root, path, depth - 1)));
    } else if (entry.isFile() && !isHalfWritten(entry.name)) {
      found.push(...(await fileAt(root, path)));
    }
  }
  return found;
}

async function fileAt(root: string, path: string): Promise<readonly ResultFile[]> {
  const name = relative(root, path).split(sep).join('/');
  return isArtifactPath(name) && (await isReadable(path)) ? [{ path: name, bytes: (await lstat(path)).size }] : [];
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    // Not there, or not for us to read: either way there is nothing to upload.
    return [];
  }
}

/** What outputFolder writes into before it renames, and a kill leaves behind. */
function isHalfWritten(name: string): boolean {
  return /^\..*\.part$/.test(name);
}

/** If a file cannot be opened, the library throws, and nobody can catch that. */
async function isReadable(path: string): Promise<boolean> {
  try {
    await access(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/** What a runner hands to actions for artifacts; GitHub Enterprise Server and programs that play workflows may not. */
const NEEDED = ['ACTIONS_RUNTIME_TOKEN', 'ACTIONS_RESULTS_URL'];

/**
 * The artifacts of the workflow run that this program is part of, for files of that folder; undefined if there is no service for
 * them. The library reads the same environment by itself, and is loaded when it is needed only.
 */
export function artifactStore(folder: string, environment: NodeJS.ProcessEnv = process.env): ArtifactStore | undefined {
  if (!isOnGitHub(environment) || NEEDED.some((name) => (environment[name] ?? '') === '')) {
    return undefined;
  }
  const root = resolve(folder);
  return {
    put: async (name, paths) => {
      const { DefaultArtifactClient } = await import('@actions/artifact');
      const files = paths.map((path) => resolve(root, path));
      try {
        const { id, size } = await new DefaultArtifactClient().uploadArtifact(name, files, root);
        if (id === undefined) {
          throw new Error('the service returned no ID');
        }
        return { id, bytes: size ?? 0 };
      } catch (thrown) {
        throw refusal(name, thrown);
      }
    },
  };
}

/** The service is GitHub's own: a server of one's own has another, which the library refuses. */
function isOnGitHub(environment: NodeJS.ProcessEnv): boolean {
  const server = environment['GITHUB_SERVER_URL'] || 'https://github.com';
  const host = URL.canParse(server) ? new URL(server).hostname.toLowerCase() : '';
  return host === 'github.com' || host.endsWith('.ghe.com') || host.endsWith('.localhost');
}

/** Why there is no artifact, by what the service says; anything else may pass by itself. */
const CAUSES: readonly (readonly [pattern: RegExp, next: string])[] = [
  [
    /\(409\)|already exists/i,
    'Every job and step needs its own artifact name: `with: { artifact: "wiregauge-${{ matrix.suite }}" }`.',
  ],
  [/quota|insufficient usage/i, 'Delete old artifacts, or turn off the upload: `with: { upload: false }`.'],
  [
    /\(40[13]\)/,
    'The owner of the repository may not allow artifacts, or the job has ended. To turn off the upload: `with: { upload: false }`.',
  ],
];

const PASSING =
  'Re-run the job; https://www.githubstatus.com shows problems. To turn off the upload: `with: { upload: false }`.';

function refusal(name: string, thrown: unknown): EnvironmentError {
  const said = messageOf(thrown);
  // The library explains itself over several lines, of which the first says what happened.
  const [line = ''] = said.replace(/^Failed to (\w+): Received non-retryable error: /, '$1: ').split('\n');
  const next = CAUSES.find(([pattern]) => pattern.test(said))?.[1] ?? PASSING;
  return new EnvironmentError(`the artifact "${name}" was not uploaded: ${line.slice(0, 300)}`, {
    code: 'WG-508',
    next,
    cause: thrown,
  });
}
