import packageFile from '../../../package.json' with { type: 'json' };
import { wordList } from '../../foundation/text.ts';
import { readProc } from '../../host/files/reader.ts';
import { hashOf } from '../../host/files/repository.ts';
import { countedFindings } from '../../judge/counts/counted.ts';
import { FEWEST_STARTS } from '../../judge/counts/figures.ts';
import {
  type CountedStart,
  type Fingerprint,
  fingerprintDifferences,
  type InstructionsRecord,
} from '../../model/run/instructions.ts';
import { presentCounts, startsOfBase } from '../../model/run/kept-counts.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { programsOf } from '../../model/service.ts';
import { suiteFor } from '../../model/suite/groups.ts';
import type { Suite } from '../../model/suite/suite.ts';
import type { Runtime } from '../../runtime/port.ts';
import { type BuiltVersion, type RoundBench, sharedOperations } from '../trial/versions.ts';

/** Stored counts that replace starting a base. */
export interface StoredBase {
  readonly record: NonNullable<InstructionsRecord['stored']>[number];
  readonly starts: readonly CountedStart[];
}

/** Stored counts of the base's commit that are comparable with counts from here; for others, a line of the log gives the reason. */
export async function storedBases(
  { storedCounts, versions: { base }, suite, progress }: RoundBench,
  counter: InstructionsRecord['counter'],
): Promise<ReadonlyMap<string, StoredBase>> {
  const all = (await storedCounts?.((line) => progress.line(line))) ?? [];
  const present = all.map((one) => ({ ...one, counts: presentCounts(one.counts, suite.wasNamed) }));
  const found = new Map<string, StoredBase>();
  for (const service of suite.services) {
    const own = present.flatMap(({ counts, ...origin }) =>
      counts
        .filter((kept) => kept.service === service && kept.starts.length >= FEWEST_STARTS)
        .map((kept) => ({ ...origin, kept })),
    );
    const here = fingerprintOf(base, counter, { suite, service });
    const differences = own.map(({ kept }) => fingerprintDifferences(kept.fingerprint, here));
    const same = own.find((_, place) => differences[place]?.length === 0);
    if (same !== undefined) {
      const { kept, commit, source } = same;
      found.set(service, { record: { service, commit, source }, starts: startsOfBase(kept) });
    } else if (own[0] !== undefined) {
      const { source } = own[0];
      progress.line(
        `${service}: base is counted, because the stored counts in ${source} differ in ${wordList(differences[0] ?? [])}`,
      );
    }
  }
  return found;
}

export function withStored(record: InstructionsRecord, { record: origin, starts }: StoredBase): InstructionsRecord {
  return { ...record, starts: [...record.starts, ...starts], stored: [...(record.stored ?? []), origin] };
}

/** True if the counts of a service show no change: a base that was counted at another time only supports that verdict. */
export function isUnchanged(run: RunInRounds, service: string): boolean {
  const own = countedFindings(run, run.rounds.policy).filter(({ cell }) => cell.service === service);
  const instructions = own.filter(({ metric }) => metric === 'instructionsPerRequest');
  return (
    instructions.length > 0 &&
    instructions.every(({ verdict }) => verdict === 'unchanged') &&
    own.every(({ verdict }) => verdict !== 'regressed')
  );
}

/** Everything besides its code that determines the counts of a service, by the version's own names. */
export function fingerprintOf(
  { runtime, suite: own, services, ownNames }: BuiltVersion,
  counter: InstructionsRecord['counter'],
  { suite, service }: { readonly suite: Suite; readonly service: string },
): Fingerprint {
  const present = services.get(service);
  const found = present && { ...present, name: ownNames?.services.get(present.name) ?? present.name };
  const programs = found === undefined ? [] : programsOf([found]);
  const operations = sharedOperations(suiteFor(own, service), suiteFor(suite, service)).map(
    ({ name, share, arguments: rows, bindings }) => {
      const binding = found && bindings[found.protocol];
      // Shares of selected operations add up to 1 again, except for rounding.
      return [ownNames?.operations.get(name) ?? name, share.toFixed(SHARE_DIGITS), rows, binding];
    },
  );
  return {
    counter: `${counter.name} ${counter.version} ${counter.architecture}`,
    wiregauge: packageFile.version,
    runtime: runtime.name,
    ...systemOf(runtime),
    environment: shortHash(programs.map(({ name, environment }) => [name, environment])),
    // All settings of a start, except the environment.
    command: shortHash(
      programs.map(({ name, image, process, port, ports, command, limits, user, files, tmpfs }) => {
        return { name, image, process, port, ports, command, limits, user, files, tmpfs };
      }),
    ),
    requests: shortHash([operations, found?.headers, found?.metadata, found?.connection]),
  };
}

const SHARE_DIGITS = 6;

const HASH_LENGTH = 16;

function shortHash(value: unknown): string {
  return hashOf([JSON.stringify(value)]).slice(0, HASH_LENGTH);
}

/** Places where a plain process finds its libraries and interpreters. */
function systemOf({ name, runner: { image } }: Runtime): Pick<Fingerprint, 'system' | 'runnerImage'> {
  if (name === 'docker') {
    return {};
  }
  return {
    system: systemIn(readProc('/etc/os-release') ?? ''),
    ...(image !== undefined && { runnerImage: image }),
  };
}

export function systemIn(release: string): string {
  const read = (key: string): string => new RegExp(`^${key}="?([^"\\n]*)`, 'm').exec(release)?.[1]?.slice(0, 100) ?? '';
  return `${read('ID')} ${read('VERSION_ID')}`.trim() || 'unknown';
}
