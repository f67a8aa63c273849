import { managedRuntimeOf } from '../../host/machine/managed-runtime.ts';
import { countsAlone } from '../../model/profiles.ts';
import type { RoundProfile, Side } from '../../model/rounds.ts';
import type { StoredCounts } from '../../model/run/kept-counts.ts';
import type { RoundsRecord } from '../../model/run/rounds.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { needsContainers, type Program, type Service, withMembers } from '../../model/service.ts';
import type { OwnNames } from '../../model/suite/former-names.ts';
import { suiteFor } from '../../model/suite/groups.ts';
import type { Operation, Suite } from '../../model/suite/suite.ts';
import type { Runtime } from '../../runtime/port.ts';
import type { answerBook } from './answers.ts';
import type { TrialBench } from './bench.ts';
import type { SlowStart } from './ready.ts';
import type { Trial } from './runner.ts';

export interface BuiltVersion {
  readonly runtime: Runtime;
  /** Suite of this version: versions may bind an operation to different paths. */
  readonly suite: Suite;
  /** Services by the names of cells; a reference service has its own name under the name of each service compared with it. */
  readonly services: ReadonlyMap<string, Service>;
  readonly ownNames?: OwnNames | undefined;
}

export interface VersionBench extends TrialBench {
  /** Service in the place of the base, if services are compared instead of versions. */
  readonly versus?: RoundsRecord['versus'];
  /** Common load: services and operations that all versions have, with tiers and shares of the head. */
  readonly suite: Suite;
  readonly versions: { readonly head: BuiltVersion; readonly base?: BuiltVersion | undefined };
  readonly interleave: 'blocks' | 'slots';
  readonly answers: ReturnType<typeof answerBook>;
}

export interface RoundBench extends VersionBench {
  readonly profile: RoundProfile;
  readonly versions: Readonly<Record<Side, BuiltVersion>>;
  readonly seed: number;
  /** Rounds begin only within this time. */
  readonly budgetSeconds: number;
  readonly countingSeconds?: number | undefined;
  /** True if services that take more CPU time are profiled; undefined: no. `none`: functions of counted instructions are not named either. */
  readonly profiler?: 'auto' | 'off' | 'none' | undefined;
  /** Finds the stored counts of the base's commit, the newest first; undefined if none are used. */
  readonly storedCounts?: ((log: (line: string) => void) => Promise<readonly StoredCounts[]>) | undefined;
  /** Receives the run once its instructions are counted, while its rounds continue; must not reject. */
  readonly onCounts?: ((run: RunInRounds) => Promise<void>) | undefined;
  readonly stopsEarly: boolean;
  /** Identity of the current machine, which changes if a virtual machine is moved. */
  readonly machine: () => string;
  readonly keep: (run: RunInRounds) => Promise<void>;
}

/** The same for one service: with its operations in each version and in the load. */
export function benchFor<Bench extends VersionBench>(bench: Bench, service: string): Bench {
  const { head, base } = bench.versions;
  const versionFor = (version: BuiltVersion) => ({ ...version, suite: suiteFor(version.suite, service) });
  const versions = { head: versionFor(head), ...(base && { base: versionFor(base) }) };
  return { ...bench, suite: suiteFor(bench.suite, service), versions };
}

export interface StartName {
  readonly service: string;
  readonly side: Side;
  readonly start: number;
}

/** The head comes first, since it is the one that may be broken. */
export const HEAD_FIRST: readonly Side[] = ['head', 'base'];

/** Trial of versions of a service, whose responses must equal those of earlier starts. */
export function versionTrial(
  { suite, versions, versus, answers: book }: VersionBench,
  service: string,
  sides: readonly Side[],
): Required<Pick<Trial<unknown>, 'subjects' | 'verify' | 'slowStart'>> {
  return {
    subjects: sides.map((side) => {
      const version = versions[side];
      const found = version?.services.get(service);
      if (version === undefined || found === undefined) {
        throw new RangeError(`${side} has no service ${service}`);
      }
      // Services that are compared with each other are measured unchanged.
      const started = versus === undefined ? withMembers(found, onC1) : found;
      return { side, service: started, runtime: version.runtime, operations: sharedOperations(version.suite, suite) };
    }),
    verify: ({ side, service: requested }, answers) => book.check(side, { service: requested, answers }),
    slowStart: allCoresIfManaged,
  };
}

function onC1<One extends Program>(program: One): One {
  const isOwn = program.environment['JAVA_TOOL_OPTIONS']?.includes('-XX:TieredStopAtLevel=');
  return isOwn ? program : { ...program, compiler: 'C1' };
}

export function sharedOperations(own: Suite, loaded: Suite): readonly Operation[] {
  return loaded.operations.flatMap(({ name, share, ignore }) =>
    own.operations.filter((operation) => operation.name === name).map((operation) => ({ ...operation, share, ignore })),
  );
}

/** Lets a service use all cores while starting if its entry runs on a JVM or .NET; it still sizes itself by the measured ones. */
export const allCoresIfManaged: SlowStart = async (running) => {
  const entry = running.processes?.slice(0, 1) ?? [];
  return managedRuntimeOf(entry) === undefined ? undefined : await running.onAllCores?.().catch(() => undefined);
};

export function startedTogether<Item>(
  { interleave }: Pick<VersionBench, 'interleave'>,
  items: readonly Item[],
): readonly (readonly Item[])[] {
  return interleave === 'blocks' ? [items] : items.map((item) => [item]);
}

export interface CountBench
  extends VersionBench,
    Pick<RoundBench, 'budgetSeconds' | 'countingSeconds' | 'profiler' | 'storedCounts'> {
  /** Profile of the rounds that follow, or of counts alone; undefined if only the head of a run is counted. */
  readonly profile?: RoundBench['profile'] | undefined;
}

export function isAlone({ profile }: CountBench): boolean {
  return profile !== undefined && countsAlone(profile);
}

export interface SideBySide {
  readonly runtime: Runtime['name'];
  readonly services: readonly string[];
  readonly base: ReadonlyMap<string, Service>;
  readonly head: ReadonlyMap<string, Service>;
}

/** Alternation of rounds: as requested, or one side after the other if both listen on the same port, which is logged. */
export function interleaveOf(
  requested: RoundsRecord['interleave'],
  { runtime, services, base, head }: SideBySide,
  log: (line: string) => void,
): RoundsRecord['interleave'] {
  const alone = services.filter((name) => {
    const ports = fixedPorts(base.get(name), runtime);
    return fixedPorts(head.get(name), runtime).some((port) => ports.includes(port));
  });
  if (requested === 'slots' || alone.length === 0) {
    return requested;
  }
  log(
    `${alone.join(', ')}: both sides listen on the same port (process.port), so they run one after the other, which needs about seven times the rounds. Make the service read PORT or, for a need, take its address from \${needs.<name>.port}, and remove process.port; or measure in containers`,
  );
  return 'slots';
}

function fixedPorts(service: Service | undefined, runtime: Runtime['name']): readonly number[] {
  if (service === undefined || (service.runtime ?? runtime) !== 'process') {
    return [];
  }
  const needs = needsContainers(service) ? [] : (service.needs ?? []);
  return [service, ...needs].flatMap(({ process }) => process?.port ?? []);
}
