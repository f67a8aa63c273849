import { plainText } from '../../foundation/plain-text.ts';
import type { HistoryEntry } from '../store/entry.ts';
import { type Fields, fieldsOf, LONGEST_NAME, malformed, textField } from '../store/fields.ts';
import type { HistoryPlace } from '../store/history-error.ts';
import { parseJson } from '../store/json-text.ts';
import { timeText } from '../store/time-text.ts';
import { GAB_PREFIX, gabIdentity } from './gab.ts';
import { benchesIn, importedEntry } from './gab-benches.ts';
import { entryCommit, importedCommit } from './gab-commit.ts';
import { type NameRun, namedOnce } from './name-run.ts';

/** What is in a data.js. */
export interface GabHistory {
  readonly repository: string;
  /** In order of time; those of one time as they were. */
  readonly entries: readonly HistoryEntry[];
}

const MOST_SUITES = 1000;
const MOST_RUNS = 100_000;

/**
 * The runs of every suite in github-action-benchmark's data.js: its prefix is dropped and the rest parsed, never
 * evaluated. Texts lose control characters and are cut. Throws HistoryError, naming suite and entry, where it is something else.
 */
export function readGab(text: string, file: string, nameRun: NameRun): GabHistory {
  const place = { file, line: 1 };
  const document = fieldsOf(parsed(text, place), place, 'the file');
  const suites = Object.entries(fieldsOf(document.of['entries'], place, 'entries').of);
  if (suites.length > MOST_SUITES) {
    throw malformed(place, `entries has ${suites.length} suites, and ${MOST_SUITES} are the most`);
  }
  const nameOnce = namedOnce(nameRun);
  const entries = suites.flatMap(([suite, runs]) => runsOf({ suite, runs, place, nameRun: nameOnce }));
  const { repoUrl } = document.of;
  return {
    repository: typeof repoUrl === 'string' ? plainText(repoUrl, LONGEST_NAME) : '',
    entries: entries.sort((left, right) => (left.at === right.at ? 0 : left.at < right.at ? -1 : 1)),
  };
}

/** A file of its option external-data-json-path has no prefix. */
function parsed(text: string, place: HistoryPlace): unknown {
  const isPlain = text.startsWith('{');
  if (!isPlain && !text.startsWith(GAB_PREFIX)) {
    throw malformed(place, `begins with neither "${GAB_PREFIX}" nor "{"`);
  }
  return parseJson(isPlain ? text : text.slice(GAB_PREFIX.length), place);
}

interface Suite {
  readonly suite: string;
  readonly runs: unknown;
  readonly place: HistoryPlace;
  readonly nameRun: NameRun;
}

function runsOf({ suite, runs, place, nameRun }: Suite): readonly HistoryEntry[] {
  const name = plainText(suite, LONGEST_NAME);
  if (suite === '__proto__' || !Array.isArray(runs) || runs.length > MOST_RUNS) {
    throw malformed(
      place,
      `the suite "${name}" is no list of at most ${MOST_RUNS} runs, or has a name that no suite can have`,
    );
  }
  return runs.map((run: unknown, index) => {
    const at = { file: `${place.file} (suite "${name}", run ${index + 1})`, line: place.line };
    return runOf(fieldsOf(run, at, 'the run'), name, nameRun);
  });
}

function runOf(fields: Fields, suite: string, nameRun: NameRun): HistoryEntry {
  const tool = plainText(textField(fields, 'tool'), LONGEST_NAME);
  const { date } = fields.of;
  const at = typeof date === 'number' ? timeText(date) : undefined;
  if (at === undefined) {
    throw malformed(fields.place, 'date is no time in milliseconds');
  }
  const commit = fieldsOf(fields.of['commit'], fields.place, 'commit');
  const sha = plainText(textField(commit, 'id'), LONGEST_NAME);
  return importedEntry({
    run: nameRun(gabIdentity({ suite, tool, at, sha })),
    at,
    suite,
    tool,
    benches: benchesIn(fields.of['benches'], fields.place),
    commit: entryCommit(commit, sha),
    original: importedCommit(commit),
  });
}
