import { ConfigError } from '../../foundation/errors.ts';
import type { RoundsRecord } from '../../model/run/run-rounds.ts';
import type { Service } from '../../model/service.ts';
import type { Operation, Suite } from '../../model/suite.ts';
import { tiersWith } from '../../model/tier.ts';
import { withCheckedContracts } from '../../project/contracts.ts';
import { readSuite, type SuiteFiles, servicesIn } from '../../project/suite.ts';

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

function naming<Result>({ ref }: VersionFolder, read: () => Result): Result {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof ConfigError) {
      const next = thrown.next === undefined ? {} : { next: thrown.next };
      throw new ConfigError(`in ${ref}: ${thrown.message}`, { cause: thrown, ...next });
    }
    throw thrown;
  }
}
