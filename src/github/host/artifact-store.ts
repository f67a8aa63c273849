import { resolve } from 'node:path';
import { EnvironmentError, messageOf } from '../../foundation/errors.ts';
import type { ArtifactStore } from './ports.ts';

/** What a runner hands to actions for artifacts; GitHub Enterprise Server and programs that play workflows may not. */
const NEEDED = ['ACTIONS_RUNTIME_TOKEN', 'ACTIONS_RESULTS_URL'];

/**
 * The artifacts of the workflow run that this program is part of, for files of that folder; undefined where there is no service for
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
          throw new Error('the service gave it no number');
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
    'Every job and step needs a name of its own: `with: { artifact: "wiregauge-${{ matrix.suite }}" }`.',
  ],
  [/quota|insufficient usage/i, 'Delete artifacts that nobody needs, or do without: `with: { upload: false }`.'],
  [
    /\(40[13]\)/,
    'The owner of the repository may not allow artifacts, or the job has ended. To do without: `with: { upload: false }`.',
  ],
];

const PASSING =
  'Run the job again; https://www.githubstatus.com tells of problems. To do without: `with: { upload: false }`.';

function refusal(name: string, thrown: unknown): EnvironmentError {
  const said = messageOf(thrown);
  // The library explains itself over several lines, of which the first says what happened.
  const [line = ''] = said.replace(/^Failed to (\w+): Received non-retryable error: /, '$1: ').split('\n');
  const next = CAUSES.find(([pattern]) => pattern.test(said))?.[1] ?? PASSING;
  return new EnvironmentError(`the artifact "${name}" was not uploaded: ${line.slice(0, 300)}`, {
    next,
    cause: thrown,
  });
}
