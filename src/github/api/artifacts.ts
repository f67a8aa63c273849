import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { messageOf } from '../../foundation/errors.ts';
import { githubNoAnswer } from './client.ts';
import { type Errand, GitHubRefusal, githubRefusalOf, isGithubRefusal, onErrand } from './errors.ts';
import { growingMs, MAX_REPEATS, type Patience } from './patience.ts';
import type { GithubRepository } from './repository.ts';

const artifactSchema = z
  .object({ id: z.number().int(), name: z.string(), size_in_bytes: z.number(), expired: z.boolean() })
  .transform(({ id, name, size_in_bytes: bytes, expired }) => ({ id, name, bytes, isExpired: expired }));

/** Artifact of a workflow run, with the size of its zip as reported by GitHub. */
type Artifact = Readonly<z.infer<typeof artifactSchema>>;

const PERMISSIONS = 'actions: read';

const TOO_LARGE = 'Upload only the folder of run.json in the measuring job.';

/** Artifacts of all attempts of a workflow run, newest first, optionally only those with this name. Rejects with GitHubRefusal. */
export async function artifactsOf(
  { list, name: repository }: GithubRepository,
  runId: number,
  name?: string,
): Promise<readonly Artifact[]> {
  const errand = { what: `list the artifacts of run ${runId} of ${repository}`, permissions: PERMISSIONS };
  const found = await list(
    errand,
    'GET /repos/{owner}/{repo}/actions/runs/{run_id}/artifacts',
    { run_id: runId, name },
    artifactSchema,
  );
  const matching = found.filter((artifact) => name === undefined || artifact.name === name);
  return matching.toSorted((left, right) => right.id - left.id);
}

/**
 * Whole zip of an artifact, whose content is untrusted. Rejects with GitHubRefusal, also if it is larger than `mostBytes` or takes longer
 * than `patience.downloadMs`. The token is only sent to GitHub, not to the storage.
 */
export async function artifactZipOf(
  repository: GithubRepository,
  id: number,
  mostBytes: number,
  patience: Patience,
): Promise<Uint8Array> {
  const errand = { what: `provide artifact ${id} of ${repository.name}`, permissions: PERMISSIONS };
  for (let repeats = 0; ; repeats += 1) {
    // The address is valid for one minute, so every attempt requests a new one.
    const address = await onErrand(errand, () => addressOf(repository, id, errand));
    try {
      return await onErrand(errand, () => downloaded(address, mostBytes, patience.downloadMs, errand));
    } catch (thrown) {
      if (!isGithubRefusal(thrown, 'unavailable') || repeats >= MAX_REPEATS) {
        throw thrown;
      }
      const ms = growingMs(patience, repeats, Math.random());
      repository.log(`${messageOf(thrown)}; retrying in ${(ms / 1000).toFixed(1)} s`);
      await sleep(ms);
    }
  }
}

async function addressOf({ request }: GithubRepository, id: number, errand: Errand): Promise<URL> {
  const { headers } = await request('GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}/zip', {
    artifact_id: id,
    request: { redirect: 'manual' },
  });
  const { location } = headers;
  if (location === undefined || !URL.canParse(location)) {
    throw githubRefusalOf(errand, 'unavailable', 'its answer has no download address');
  }
  return new URL(location);
}

async function downloaded(address: URL, mostBytes: number, limitMs: number, errand: Errand): Promise<Uint8Array> {
  try {
    const answer = await fetch(address, { signal: AbortSignal.timeout(limitMs) });
    if (!answer.ok || answer.body === null) {
      throw githubRefusalOf(
        errand,
        answer.status < 500 ? 'not-found' : 'unavailable',
        `its storage answers HTTP ${answer.status}`,
      );
    }
    return await bounded(answer.body, mostBytes, errand);
  } catch (thrown) {
    throw thrown instanceof GitHubRefusal ? thrown : githubNoAnswer(thrown, limitMs);
  }
}

async function bounded(body: AsyncIterable<Uint8Array>, mostBytes: number, errand: Errand): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop early ends the download.
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes) {
      throw githubRefusalOf({ ...errand, next: TOO_LARGE }, 'invalid', `it has more than ${mostBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
