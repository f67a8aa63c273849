import type { ScratchRepository } from './history-branch-repository.ts';
import { REMOTE } from './history-branch-settings.ts';

/** Objects of a repository that has not fetched all of them; git's complaint where they cannot be got. */
export interface GotObjects {
  readonly bytes: ReadonlyMap<string, Buffer>;
  readonly complaint: string;
}

/** Fetches objects by their names, all in one request. Gives git's complaint, empty where they have come. */
export async function fetchObjects(repository: ScratchRepository, names: readonly string[]): Promise<string> {
  const argv = [
    // Else git would tell the server what it has, of which nothing is an object like these.
    ...['-c', 'fetch.negotiationAlgorithm=noop'],
    ...['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--recurse-submodules=no', '--filter=blob:none'],
    ...['--stdin', REMOTE],
  ];
  const { exitCode, complaint } = await repository.run({ argv, input: linesOf(names) });
  return exitCode === 0 ? '' : complaint;
}

/** Reads objects that are there. */
export async function readObjects(repository: ScratchRepository, names: readonly string[]): Promise<GotObjects> {
  const { exitCode, bytes, complaint } = await repository.run({ argv: ['cat-file', '--batch'], input: linesOf(names) });
  return exitCode === 0 ? { bytes: objectsIn(bytes), complaint } : { bytes: new Map(), complaint };
}

/** For each object a line, "<name> blob <bytes>", its bytes, and a line break; those that are missing have only a line. */
function objectsIn(printed: Buffer): ReadonlyMap<string, Buffer> {
  const found = new Map<string, Buffer>();
  let place = 0;
  while (place < printed.length) {
    const end = printed.indexOf(10, place);
    const [name = '', , size] = printed.toString('utf8', place, end).split(' ');
    place = end + 1;
    if (size !== undefined) {
      found.set(name, printed.subarray(place, place + Number(size)));
      place += Number(size) + 1;
    }
  }
  return found;
}

function linesOf(names: readonly string[]): string {
  return names.map((name) => `${name}\n`).join('');
}
