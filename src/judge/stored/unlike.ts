import { presentProfileName, type Run } from '../../model/index.ts';
import { type Baseline, configurationOf, type StoredRun, stratumOf } from './baseline.ts';

/** One thing in which stored runs are not like the run that is judged. */
export interface Unlike {
  readonly what: string;
  readonly here: string;
  readonly stored: string;
}

/** Stored runs that differ from the run in the same things. */
export interface UnlikeRuns {
  readonly runs: number;
  readonly newest: Pick<StoredRun, 'startedAt' | 'commit' | 'note'>;
  readonly differs: readonly Unlike[];
}

/** The stored runs by what they differ in from a run: those with the fewest differences first, and of as many the newest. */
export function unlikeRuns(run: Run, { suite, runs }: Baseline): readonly UnlikeRuns[] {
  const groups = new Map<string, UnlikeRuns>();
  for (const stored of runs) {
    const differs = differencesOf(run, suite, stored);
    const name = JSON.stringify(differs);
    const { startedAt, commit, note } = stored;
    groups.set(name, { runs: (groups.get(name)?.runs ?? 0) + 1, newest: { startedAt, commit, note }, differs });
  }
  return [...groups.values()].sort(
    (one, other) =>
      one.differs.length - other.differs.length ||
      Date.parse(other.newest.startedAt) - Date.parse(one.newest.startedAt),
  );
}

function differencesOf(run: Run, suite: string, stored: StoredRun): readonly Unlike[] {
  const { runtime, profile, configHash, tools } = configurationOf(run);
  const { cpuModel, cores, kernelMajor } = stratumOf(run.runner);
  const { configuration: other, stratum } = stored;
  const pairs: readonly Unlike[] = [
    { what: 'runtime', here: runtime, stored: other.runtime },
    { what: 'profile', here: presentProfileName(profile), stored: presentProfileName(other.profile) },
    { what: 'suite', here: run.suite.name, stored: suite },
    { what: 'configuration of the suite', here: configHash, stored: other.configHash },
    { what: 'load tools', here: tools, stored: other.tools },
    { what: 'CPU model', here: cpuModel, stored: stratum.cpuModel },
    { what: 'CPU cores', here: String(cores), stored: String(stratum.cores) },
    { what: 'kernel', here: kernelMajor, stored: stratum.kernelMajor },
  ];
  return pairs.filter(({ here, stored: there }) => here !== there);
}
