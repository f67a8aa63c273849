import { plainText } from '../../foundation/plain-text.ts';
import type { HistoryEntry } from '../store/entry.ts';
import { LONGEST_NAME } from '../store/fields.ts';
import { parseJson } from '../store/json-text.ts';
import { benchesIn, importedEntry } from './gab-benches.ts';
import type { NameRun } from './name-run.ts';

/** What a file of custom figures does not say. */
export interface CustomRun {
  /** `customSmallerIsBetter` or `customBiggerIsBetter`: a file has one direction. */
  readonly tool: string;
  readonly suite: string;
  /** When it was measured, in the one form of the history. */
  readonly at: string;
  readonly commit: string | undefined;
  readonly nameRun: NameRun;
}

/** The run in an input file of github-action-benchmark: a list of name, unit and value, if wanted range and extra. Throws HistoryError. */
export function readCustom(text: string, file: string, run: CustomRun): HistoryEntry {
  const { tool, suite, at, commit, nameRun } = run;
  const place = { file, line: 1 };
  const benches = benchesIn(parseJson(text, place), place);
  return importedEntry({
    run: nameRun(JSON.stringify([tool, suite, at, commit ?? '', benches])),
    at,
    suite: plainText(suite, LONGEST_NAME),
    tool,
    benches,
    commit: commit === undefined ? undefined : { sha: plainText(commit, LONGEST_NAME) },
  });
}
