import { countsAlone } from '../../model/profiles.ts';
import type { RoundBench, VersionBench } from '../plans/versions.ts';

/** What counting works with. */
export interface CountBench
  extends VersionBench,
    Pick<RoundBench, 'budgetSeconds' | 'countingSeconds' | 'profiler' | 'versus' | 'storedCounts'> {
  /** That of the rounds that follow, or of counts alone; undefined: the head of a run is counted. */
  readonly profile?: RoundBench['profile'] | undefined;
}

/** Whether nothing but instructions is measured. */
export function isAlone({ profile }: CountBench): boolean {
  return profile !== undefined && countsAlone(profile);
}
