import { resolve } from 'node:path';
import { EnvironmentError, messageOf } from '../../foundation/errors.ts';

/** Variables that a runner sets for artifacts; GitHub Enterprise Server and local runners may not. */
const NEEDED = ['ACTIONS_RUNTIME_TOKEN', 'ACTIONS_RESULTS_URL'];

/**
 * Upload of files of a folder as one artifact of the current workflow run, under their paths, which returns its ID and the size of its zip; undefined
 * if the service is not available. Rejects with EnvironmentError if it refuses or does not respond. The library, which reads the same environment, is
 * only loaded on demand.
 */
export function artifactUpload(folder: string, environment: NodeJS.ProcessEnv = process.env) {
  if (!isOnGitHub(environment) || NEEDED.some((name) => (environment[name] ?? '') === '')) {
    return undefined;
  }
  const root = resolve(folder);
  return async (name: string, paths: readonly string[]) => {
    const files = paths.map((path) => resolve(root, path));
    try {
      const { DefaultArtifactClient } = await import('@actions/artifact');
      const { id, size } = await new DefaultArtifactClient().uploadArtifact(name, files, root);
      if (id === undefined) {
        throw new Error('the service returned no ID');
      }
      return { id, bytes: size ?? 0 };
    } catch (thrown) {
      throw refusal(name, thrown);
    }
  };
}

/** The library does not support the artifact service of GitHub Enterprise Server. */
function isOnGitHub(environment: NodeJS.ProcessEnv): boolean {
  const server = environment['GITHUB_SERVER_URL'] || 'https://github.com';
  const host = URL.canParse(server) ? new URL(server).hostname.toLowerCase() : '';
  return host === 'github.com' || host.endsWith('.ghe.com') || host.endsWith('.localhost');
}

/** Next steps by error message of the service; other errors may be transient. */
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
  // The first line of the library's message states the error.
  const [line = ''] = said.replace(/^Failed to (\w+): Received non-retryable error: /, '$1: ').split('\n');
  const next = CAUSES.find(([pattern]) => pattern.test(said))?.[1] ?? PASSING;
  return new EnvironmentError(`the artifact "${name}" was not uploaded: ${line.slice(0, 300)}`, {
    code: 'WG-508',
    next,
    cause: thrown,
  });
}
