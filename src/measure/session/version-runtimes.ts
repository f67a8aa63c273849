import { type KnownError, MeasurementError } from '../../foundation/errors.ts';
import type { Lookups } from '../../foundation/placeholders.ts';
import type { Side } from '../../model/order.ts';
import { openRuntime, type PreparedRuntime, type RuntimeChoice } from './runtime.ts';
import type { VersionFolder, VersionSuites } from './versions.ts';

/** Both versions, built; disposing removes whatever they left. */
export interface VersionRuntimes extends Readonly<Record<Side, PreparedRuntime>>, AsyncDisposable {}

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

/** Builds base and then head, both with the runtime that the base got. An error says which version it is about. */
export async function openVersions(opening: VersionsOpening, log: (line: string) => void): Promise<VersionRuntimes> {
  const base = await open(opening, 'base', log);
  try {
    const head = await open({ ...opening, choice: base.runtime.name }, 'head', log);
    return {
      base,
      head,
      async [Symbol.asyncDispose]() {
        await Promise.all([base.runtime[Symbol.asyncDispose](), head.runtime[Symbol.asyncDispose]()]);
      },
    };
  } catch (thrown) {
    await base.runtime[Symbol.asyncDispose]();
    throw thrown;
  }
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
      needsDriver: true,
      lookups,
      signal,
      log: (line) => log(`${side}: ${line}`),
    });
  } catch (thrown) {
    throw thrown instanceof MeasurementError ? renamed(thrown, name) : thrown;
  }
}

function renamed(error: KnownError, name: string): MeasurementError {
  const next = error.next === undefined ? {} : { next: error.next };
  return new MeasurementError(`${name}: ${error.message}`, { cause: error, ...next });
}
