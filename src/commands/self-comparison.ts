import { randomInt } from 'node:crypto';
import { lockMachine } from '../adapters/machine-lock.ts';
import { outputFolder } from '../adapters/output-folder.ts';
import { openProgress } from '../adapters/progress.ts';
import { versionOf } from '../adapters/worktrees.ts';
import { roundSeconds } from '../core/rounds/length.ts';
import type { RoundProfile } from '../core/rounds/profile.ts';
import type { Secrets } from '../core/secrets.ts';
import type { RunInRounds } from '../core/verdict/kept-cells.ts';
import { durationText } from './budget.ts';
import { OWN_ROOT } from './own-root.ts';
import { policyFor } from './policy.ts';
import { profileNamed } from './profile.ts';
import { remarkStream } from './result.ts';
import { measureRounds } from './rounds-session.ts';
import { machineOwner, openRuntime, type RuntimeChoice } from './runtime.ts';
import { takeSecrets } from './secrets.ts';
import type { SuiteFiles } from './suite.ts';
import { readSuites, type VersionFolder, type VersionSuites, versionRecord } from './versions.ts';

/** A comparison of one build with itself. */
export interface SelfComparison {
  readonly suite?: string;
  readonly services?: readonly string[];
  readonly profile: string;
  readonly rounds: number;
  readonly runtime: RuntimeChoice;
  readonly seed?: number;
  readonly out: string;
  /** Standard output is for a document of JSON, and progress goes elsewhere. */
  readonly json?: boolean;
  /** Environment of the head's services besides their own, by service: a slowdown that is built in, for benchmarks. */
  readonly slowdown?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Compares the working tree with itself for so many rounds, none of which ends it early; the run also lies in `out`. */
export async function compareWithItself(comparison: SelfComparison, signal: AbortSignal): Promise<RunInRounds> {
  const { suite, services, rounds } = comparison;
  await using _lock = await lockMachine(machineOwner(), 'a comparison of a build with itself');
  await using version = await versionOf(process.cwd(), undefined, machineOwner());
  const suites = readSuites({ base: version, head: version }, suite, services);
  const secrets = takeSecrets(suites.head.secrets);
  const profile = { ...profileNamed(comparison.profile), looks: [{ rounds, spent: 1 }] };
  const head = withEnvironment(suites.head, comparison.slowdown ?? {});
  return await measure({ comparison, profile, version, suites: { ...suites, head }, secrets, signal });
}

interface Job {
  readonly comparison: SelfComparison;
  readonly profile: RoundProfile;
  readonly version: VersionFolder;
  readonly suites: VersionSuites;
  readonly secrets: Secrets;
  readonly signal: AbortSignal;
}

/** Both sides are one build: the same runtime starts it twice. */
async function measure({ comparison, profile, version, suites, secrets, signal }: Job): Promise<RunInRounds> {
  const { rounds, runtime, services, seed } = comparison;
  const output = await outputFolder(comparison.out);
  const progress = openProgress(remarkStream(comparison));
  try {
    const seconds = rounds * roundSeconds(profile, suites.suite);
    const log = (line: string): void => progress.line(line);
    log(`plan: ${version.ref} against itself, ${rounds} rounds, about ${durationText(seconds)}`);
    const built = [...suites.head.services.values()];
    const opening = { choice: runtime, root: version.root, ownRoot: OWN_ROOT, services: built, needsDriver: true };
    const prepared = await openRuntime({ ...opening, lookups: secrets.lookups, signal, log });
    await using _runtime = prepared.runtime;
    const record = versionRecord(version, suites.head, services);
    return await measureRounds({
      suites,
      prepared: { base: prepared, head: prepared },
      records: { base: record, head: record },
      profile,
      interleave: 'blocks',
      policy: policyFor(version.root, suites.suite, undefined),
      seed: seed ?? randomInt(1, 2 ** 31),
      // A machine that takes twice as long as planned has shown what it is.
      budgetSeconds: 2 * seconds,
      stopsEarly: false,
      secrets,
      progress,
      output,
      signal,
    });
  } finally {
    progress.finish();
  }
}

function withEnvironment(files: SuiteFiles, added: NonNullable<SelfComparison['slowdown']>): SuiteFiles {
  const services = [...files.services].map(([name, service]) => {
    const environment = { ...service.environment, ...added[name] };
    return [name, { ...service, environment }] as const;
  });
  return { ...files, services: new Map(services) };
}
