import {
  ConfigError,
  EnvironmentError,
  KnownError,
  type Lookups,
  MeasurementError,
  wordList,
} from '../../foundation/index.ts';
import {
  groupedOperations,
  type Operation,
  type OperationGroup,
  type RoundsRecord,
  type Service,
  type Side,
  type Suite,
  tiersWith,
} from '../../model/index.ts';
import { readSuite, type SuiteFiles, servicesBefore, suiteBefore, withCheckedContracts } from '../../project/index.ts';
import type { Secrets } from '../../secrets/index.ts';
import { namedOperations } from './run-facts.ts';
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
 * Reads a suite in both versions. Throws ConfigError naming the version if one has no such suite or cannot be read, and if
 * the two have no service or no operation in common.
 */
export function readSuites(
  folders: { readonly base: VersionFolder; readonly head: VersionFolder },
  name: string | undefined,
  asked: readonly string[] | undefined,
): VersionSuites {
  const head = naming(folders.head, () => withCheckedContracts(readSuite(folders.head.root, name, asked)));
  const { known, common } = naming(folders.base, () => servicesBefore(folders.base.root, head.suite));
  if (common.length === 0) {
    throw new ConfigError(`${folders.base.ref} has none of the services ${head.suite.services.join(', ')}`, {
      code: 'WG-406',
      next: `Services there: ${known.join(', ') || 'none'}. Select some of them with --services, or use another --base.`,
    });
  }
  const wanted = { ...head.suite, services: common };
  const base = naming(folders.base, () => suiteBefore(folders.base.root, name, wanted));
  refuseRunning([...head.services.values(), ...base.services.values()], common);
  const groups = commonGroups(head.suite, base.suite, common);
  const strange = groups.find(({ operations }) => operations.length === 0);
  if (strange !== undefined) {
    const whose = (head.suite.groups ?? base.suite.groups) ? `${wordList(strange.services)} of ` : '';
    const refs = `${folders.base.ref} and ${folders.head.ref}`;
    throw new ConfigError(`${whose}suite ${head.suite.name}: ${refs} have no operation in common`, {
      code: 'WG-406',
      next: `Compare with a base whose suite has the same operations${whose && ', or choose other services with --services'}.`,
    });
  }
  const loaded = groupedOperations(groups);
  const names = loaded.operations.map((operation) => operation.name);
  const tiers = tiersWith(head.suite.tiers, names);
  return { suite: { ...head.suite, services: common, ...loaded, tiers }, base, head: onlyServices(head, common) };
}

/** Services that are asked for the same in both versions, with the operations that both have of them. */
function commonGroups(head: Suite, base: Suite, common: readonly string[]): readonly OperationGroup<Operation>[] {
  const groupsIn = ({ groups, services, operations }: Suite) => groups ?? [{ services, operations }];
  return groupsIn(head).flatMap((own) =>
    groupsIn(base).flatMap((other) => {
      const services = common.filter((name) => own.services.includes(name) && other.services.includes(name));
      const operations = commonOperations(own.operations, other.operations);
      return services.length === 0 ? [] : [{ services, operations }];
    }),
  );
}

/** Throws if a service already runs: it was started from one version, whichever that is. */
function refuseRunning(services: readonly Service[], common: readonly string[]): void {
  const running = services.find(({ name, address }) => address !== undefined && common.includes(name));
  if (running !== undefined) {
    throw new ConfigError(
      `${running.name}: is already running at ${running.address}, so there is only one version of it and nothing to compare with`,
      {
        code: 'WG-312',
        next: 'Set how to start it (`image` or `process` instead of `address`), or measure it with `wiregauge run`.',
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
    ...namedOperations(suite),
  };
}

/**
 * The head's operations that the base has too; their shares add up to 1 again. What either version ignores of an answer is ignored in
 * both, so that a pull request may begin to, or stop.
 */
function commonOperations(head: readonly Operation[], base: readonly Operation[]): readonly Operation[] {
  const both = head.flatMap((operation) => {
    const other = base.find(({ name }) => name === operation.name);
    const ignore = [...new Set([...(operation.ignore ?? []), ...(other?.ignore ?? [])])];
    return other === undefined ? [] : { ...operation, ignore };
  });
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
  const { ref } = folder;
  try {
    return read();
  } catch (thrown) {
    throw thrown instanceof ConfigError
      ? inWords(thrown, (text) => inRepository(text, [folder]), { before: `in ${ref}: ` })
      : thrown;
  }
}

/**
 * A text without the folders of versions, which are gone when somebody reads it: a path in one becomes a path in the repository, and
 * the folder itself a checkout of what it shows.
 */
export function inRepository(text: string, folders: readonly Pick<VersionFolder, 'root' | 'ref'>[]): string {
  return folders.reduce((left, { root, ref }) => {
    const title = ref === WORKING_TREE ? 'your working tree' : `a checkout of ${ref}`;
    return left.replaceAll(`${root}/`, '').replaceAll(root, title);
  }, text);
}

/** What a version without a ref is called. */
const WORKING_TREE = 'working tree';

/** What was thrown; a known error without the folders of versions, as `inRepository` does it. */
function thrownInRepository(thrown: unknown, folders: Parameters<typeof inRepository>[1]): unknown {
  if (!(thrown instanceof KnownError)) {
    return thrown;
  }
  const words = (text: string): string => inRepository(text, folders);
  const texts = [thrown.message, thrown.printed ?? '', thrown.next ?? ''];
  const isSame = texts.every((text) => words(text) === text);
  return isSame ? thrown : inWords(thrown, words);
}

/** Does something with versions, and throws as `thrownInRepository` says it. */
export async function namingNoFolder<Result>(
  folders: Parameters<typeof inRepository>[1],
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    throw thrownInRepository(thrown, folders);
  }
}

/** Secrets whose mask also does as `inRepository`, for the texts of others that a run keeps. */
export function maskingFolders(secrets: Secrets, folders: Parameters<typeof inRepository>[1]): Secrets {
  return { ...secrets, mask: (text) => inRepository(secrets.mask(text), folders) };
}

/** What goes before what an error says, and before what to do. */
interface Preface {
  readonly before?: string;
  readonly advice?: string;
}

/** An error of the same kind, in other words. */
export function inWords(
  error: KnownError,
  words: (text: string) => string,
  { before = '', advice = '' }: Preface = {},
): KnownError {
  const { printed, next, framed } = error;
  const message = `${before}${words(error.message)}`;
  const options = {
    cause: error,
    brief: `${before}${words(error.brief)}`,
    ...(printed !== undefined && { printed: words(printed) }),
    ...(next !== undefined && { next: `${advice}${words(next)}` }),
    ...(framed !== undefined && { framed: `${before}${words(framed)}` }),
  };
  if (error instanceof ConfigError) {
    return new ConfigError(message, options);
  }
  return error instanceof MeasurementError
    ? new MeasurementError(message, options)
    : new EnvironmentError(message, options);
}

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
    const known = thrownInRepository(thrown, [folder]);
    throw known instanceof MeasurementError ? named(known, name, folder) : known;
  }
}

/** What failed of a version names it, and its commit, since its folder is gone when somebody reads this. */
function named(error: MeasurementError, name: string, { commit, dirty }: VersionFolder): KnownError {
  const advice = dirty || error.next === undefined ? '' : `Check out ${commit.slice(0, 10)}. `;
  return inWords(error, (text) => text, { before: `${name}: `, advice });
}
