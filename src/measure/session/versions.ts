import { ConfigError, EnvironmentError, KnownError, type Lookups, MeasurementError } from '../../foundation/index.ts';
import {
  type Operation,
  type RoundsRecord,
  type Service,
  type Side,
  type Suite,
  tiersWith,
} from '../../model/index.ts';
import { readSuite, type SuiteFiles, servicesIn, withCheckedContracts } from '../../project/index.ts';
import { openRuntime, type PreparedRuntime, type RuntimeChoice } from './runtime.ts';

/** A version of the repository in a folder of its own. */
export interface VersionFolder {
  readonly root: string;
  readonly ref: string;
  readonly commit: string;
  readonly dirty: boolean;
  readonly subject: string;
}

/** The suite as both versions have it. */
export interface VersionSuites {
  /** What is loaded: services and operations that both have, everything else as the head has it. */
  readonly suite: Suite;
  readonly base: SuiteFiles;
  readonly head: SuiteFiles;
}

/**
 * Reads a suite in both versions. Throws ConfigError naming the version where one has no such suite or cannot be read, and where
 * the two have no service or no operation in common.
 */
export function readSuites(
  folders: { readonly base: VersionFolder; readonly head: VersionFolder },
  name: string | undefined,
  asked: readonly string[] | undefined,
): VersionSuites {
  const head = naming(folders.head, () => withCheckedContracts(readSuite(folders.head.root, name, asked)));
  const known = servicesIn(folders.base.root);
  const common = head.suite.services.filter((service) => known.includes(service));
  if (common.length === 0) {
    throw new ConfigError(`${folders.base.ref} has none of the services ${head.suite.services.join(', ')}`, {
      next: `Services there: ${known.join(', ') || 'none'}. Choose among them with --services, or another --base.`,
    });
  }
  const base = naming(folders.base, () => withCheckedContracts(readSuite(folders.base.root, name, common)));
  refuseRunning([...head.services.values(), ...base.services.values()], common);
  const operations = commonOperations(head.suite.operations, base.suite.operations);
  if (operations.length === 0) {
    throw new ConfigError(
      `suite ${head.suite.name}: ${folders.base.ref} and ${folders.head.ref} have no operation in common`,
      {
        next: 'Compare with a base whose suite has the same operations.',
      },
    );
  }
  const tiers = tiersWith(
    head.suite.tiers,
    operations.map(({ name }) => name),
  );
  return { suite: { ...head.suite, services: common, operations, tiers }, base, head: onlyServices(head, common) };
}

/** Throws where a service already runs: it was started from one version, whichever that is. */
function refuseRunning(services: readonly Service[], common: readonly string[]): void {
  const running = services.find(({ name, address }) => address !== undefined && common.includes(name));
  if (running !== undefined) {
    throw new ConfigError(
      `${running.name}: already runs at ${running.address}, so there is one version of it and nothing to compare that with`,
      {
        next: 'Say how it is started (`image` or `process` in the place of `address`), or measure it with `wiregauge run`.',
      },
    );
  }
}

/** What `run.json` says of a version. */
export function versionRecord(
  { ref, commit, dirty, subject }: VersionFolder,
  { suite, ownServices, configHash }: SuiteFiles,
  asked: readonly string[] | undefined,
): RoundsRecord['base'] {
  return {
    ref,
    commit,
    dirty,
    subject,
    configHash,
    services: asked === undefined ? ownServices : suite.services,
    operations: suite.operations.map((operation) => operation.name),
  };
}

/** The head's operations that the base has too; their shares add up to 1 again. */
function commonOperations(head: readonly Operation[], base: readonly Operation[]): readonly Operation[] {
  const both = head.filter(({ name }) => base.some((operation) => operation.name === name));
  const sum = both.reduce((total, { share }) => total + share, 0);
  return both.map((operation) => ({ ...operation, share: operation.share / sum }));
}

/** A version's suite with the manifests of those services alone. */
export function onlyServices(files: SuiteFiles, services: readonly string[]): SuiteFiles {
  return {
    ...files,
    services: new Map([...files.services].filter(([name]) => services.includes(name))),
    secrets: files.secrets.filter(({ service }) => service === undefined || services.includes(service)),
  };
}

function naming<Result>(folder: VersionFolder, read: () => Result): Result {
  try {
    return read();
  } catch (thrown) {
    const text = (found: string) => withoutFolders(found, folder);
    throw thrown instanceof ConfigError ? retold(thrown, { text, name: `in ${folder.ref}: ` }) : thrown;
  }
}

/**
 * A text without the folders that versions were laid out in: those are gone by the time when somebody reads it, and a path within one is
 * the path within the repository.
 */
export function withoutFolders(text: string, ...folders: readonly Pick<VersionFolder, 'root'>[]): string {
  return folders.reduce((left, { root }) => left.replaceAll(`${root}/`, '').replaceAll(root, 'the repository'), text);
}

/** How an error is told in other words. */
interface Retelling {
  /** Changes each of its texts. */
  readonly text: (text: string) => string;
  /** Goes before what it says. */
  readonly name?: string;
  /** Goes before its advice. */
  readonly advice?: string;
}

/** The same error, told in other words. */
export function retold(error: KnownError, { text, name = '', advice = '' }: Retelling): KnownError {
  const { message, brief, printed, next } = error;
  const Kind = KINDS.find((kind) => error instanceof kind) ?? MeasurementError;
  return new Kind(`${name}${text(message)}`, {
    cause: error,
    brief: `${name}${text(brief)}`,
    ...(printed !== undefined && { printed: text(printed) }),
    ...(next !== undefined && { next: `${advice}${text(next)}` }),
  });
}

const KINDS = [ConfigError, EnvironmentError] as const;

/** Both versions, built, or why the head could not be; disposing removes whatever they left. */
export interface VersionRuntimes extends AsyncDisposable {
  readonly base: PreparedRuntime;
  readonly head: PreparedRuntime | MeasurementError;
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
 * Builds base and then head, both with the runtime that the base got. A head that does not build is what the comparison found; a base that
 * does not is an error, which says so.
 */
export async function openVersions(opening: VersionsOpening, log: (line: string) => void): Promise<VersionRuntimes> {
  const base = await open(opening, 'base', log);
  try {
    const head = await open({ ...opening, choice: base.runtime.name }, 'head', log).catch(asUnbuilt);
    const built = head instanceof MeasurementError ? [base] : [base, head];
    return {
      base,
      head,
      async [Symbol.asyncDispose]() {
        await Promise.all(built.map(({ runtime }) => runtime[Symbol.asyncDispose]()));
      },
    };
  } catch (thrown) {
    await base.runtime[Symbol.asyncDispose]();
    throw thrown;
  }
}

/** Only what is no fault of the machine, since the base was built on it a moment ago. */
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
      needsDriver: true,
      lookups,
      signal,
      log: (line) => log(`${side}: ${line}`),
    });
  } catch (thrown) {
    throw thrown instanceof KnownError ? openingError(folder, thrown, name) : thrown;
  }
}

/** What failed of the version itself names it, with its commit instead of the folder; what the machine lacks is of no version. */
function openingError(folder: VersionFolder, thrown: KnownError, name: string): KnownError {
  const text = (found: string) => withoutFolders(found, folder);
  const advice = folder.dirty ? '' : `Check out ${folder.commit.slice(0, 10)}. `;
  return retold(thrown, thrown instanceof MeasurementError ? { text, name: `${name}: `, advice } : { text });
}
