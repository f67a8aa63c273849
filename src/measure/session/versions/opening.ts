import { type KnownError, MeasurementError } from '../../../foundation/errors.ts';
import type { Lookups } from '../../../foundation/placeholders.ts';
import type { Side } from '../../../model/rounds.ts';
import { openRuntime, type PreparedRuntime, type RuntimeChoice } from '../runtime.ts';
import type { VersionSuites } from './suites.ts';
import { inWords, thrownInRepository, type VersionFolder } from './words.ts';

/** Both versions, built, or one of them and why the other could not be; disposing removes whatever they left. */
export interface VersionRuntimes extends AsyncDisposable {
  /** The one that could be built stands for the other, too. */
  readonly prepared: Readonly<Record<Side, PreparedRuntime>>;
  readonly unbuilt?: UnbuiltVersion | undefined;
}

/** A version that could not be built. */
export interface UnbuiltVersion {
  readonly side: Side;
  readonly failure: MeasurementError;
}

/** What the versions are built from. */
export interface VersionsOpening {
  readonly folders: Readonly<Record<Side, VersionFolder>>;
  readonly suites: VersionSuites;
  readonly choice: RuntimeChoice;
  /** The folder that Wiregauge came in, which pins the load tools. */
  readonly ownRoot: string;
  readonly lookups: Lookups;
  readonly signal: AbortSignal;
}

/**
 * Builds base and then head, both with the runtime that the base got. A head that does not build is what the comparison found, and a base
 * that does not build with the configuration of the head is none; any other base that does not is an error, which says so.
 */
export async function openVersions(opening: VersionsOpening, log: (line: string) => void): Promise<VersionRuntimes> {
  const isAdopted = opening.suites.adopted !== undefined;
  const base = await (isAdopted ? open(opening, 'base', log).catch(asUnbuilt) : open(opening, 'base', log));
  if (base instanceof MeasurementError) {
    return oneOf(await open(opening, 'head', log), { side: 'base', failure: base });
  }
  try {
    const head = await open({ ...opening, choice: base.runtime.name }, 'head', log).catch(asUnbuilt);
    if (head instanceof MeasurementError) {
      return oneOf(base, { side: 'head', failure: head });
    }
    return {
      prepared: { base, head },
      async [Symbol.asyncDispose]() {
        await Promise.all([base, head].map(({ runtime }) => runtime[Symbol.asyncDispose]()));
      },
    };
  } catch (thrown) {
    await base.runtime[Symbol.asyncDispose]();
    throw thrown;
  }
}

function oneOf(built: PreparedRuntime, unbuilt: UnbuiltVersion): VersionRuntimes {
  return {
    prepared: { base: built, head: built },
    unbuilt,
    [Symbol.asyncDispose]: () => built.runtime[Symbol.asyncDispose](),
  };
}

/** Only what is the version's own fault, and not the machine's. */
function asUnbuilt(thrown: unknown): MeasurementError {
  if (thrown instanceof MeasurementError) {
    return thrown;
  }
  throw thrown;
}

async function open(
  { folders, suites, choice, ownRoot, lookups, signal }: VersionsOpening,
  side: Side,
  log: (line: string) => void,
): Promise<PreparedRuntime> {
  const folder = folders[side];
  const name = `${side} (${folder.ref}, ${folder.commit.slice(0, 10)}${folder.dirty ? ' with changes' : ''})`;
  try {
    return await openRuntime({
      choice,
      root: folder.root,
      ownRoot,
      services: [...suites[side].services.values()],
      lookups,
      signal,
      log: (line) => log(`${side}: ${line}`),
    });
  } catch (thrown) {
    const known = thrownInRepository(thrown, [folder]);
    throw known instanceof MeasurementError ? named(known, name, folder) : known;
  }
}

/** What failed of a version names it, and its commit, since its folder is gone when somebody reads this. */
function named(error: MeasurementError, name: string, { commit, dirty }: VersionFolder): KnownError {
  const advice = dirty || error.next === undefined ? '' : `Check out ${commit.slice(0, 10)}. `;
  return inWords(error, (text) => text, { before: `${name}: `, advice });
}
