import { storedRunsOf } from '../../src/history/reader.ts';
import { entryOf } from '../../src/history/store/run-entry.ts';
import { judgeByStored } from '../../src/judge/stored/judge.ts';
import type { StoredRun } from '../../src/judge/stored/stored-run.ts';
import { DEFAULT_POLICY } from '../../src/model/policy.ts';
import type { Run } from '../../src/model/run/run.ts';

/** A run as a later one is judged by it, from its history: with what was suspicious against the stored runs before it. */
export function storedRunOf(run: Run, before?: readonly StoredRun[]): StoredRun {
  const against = before && judgeByStored(run, before, DEFAULT_POLICY);
  const choice = { suite: run.suite.name, branch: undefined, changes: [] };
  const [stored] = storedRunsOf([entryOf(run, { run: 'a', against })], choice);
  if (stored === undefined) {
    throw new Error('the run is stored nowhere');
  }
  return stored;
}

/** Stored runs with one more. */
export function withRun(before: readonly StoredRun[], run: Run): readonly StoredRun[] {
  return [...before, storedRunOf(run, before)];
}
