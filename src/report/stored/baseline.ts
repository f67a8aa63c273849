import { cleanText } from '../../foundation/text.ts';
import type { HistoryComparison } from '../../judge/stored/comparison.ts';
import type { ComparisonResult } from '../../judge/verdict/finding.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import type { ComparisonView } from '../comparison/view.ts';
import { startOf } from '../views/facts.ts';
import { viewRun } from '../views/run-view.ts';
import { countLines, storedVerdict } from './against.ts';

const SHORT_COMMIT = 7;

/** How the head of a comparison compares with stored runs, in one line: the verdict, and the instructions that it executes. */
export function baselineSentence(run: RunInRounds, against: HistoryComparison): string {
  const [verdict = ''] = storedVerdict(viewRun(run), against);
  const newest = against.past.newest ?? against.past.unlike[0]?.newest;
  const commit = newest?.commit?.slice(0, SHORT_COMMIT) ?? 'no commit';
  const when = newest === undefined ? '' : `, ${startOf(newest)}`;
  return [`Against the stored baseline of ${commit}${when}: ${verdict}`, ...countLines(against)].join(' ');
}

const OUTCOMES: Readonly<Record<ComparisonResult['outcome'], string>> = {
  passed: 'no regression',
  regressed: 'a regression',
  failed: 'the head failed',
  inconclusive: 'inconclusive',
  incomplete: 'nothing was judged',
};

/** What the head was judged against, a line each; none without stored runs in a folder. */
export function againstLines({ run, result }: ComparisonView): readonly string[] {
  const { baseline, base } = run?.rounds ?? {};
  if (baseline === undefined) {
    return [];
  }
  const commit = base?.commit?.slice(0, SHORT_COMMIT) ?? 'the working tree';
  return [`Against base ${commit}: ${OUTCOMES[result.outcome]}.`, cleanText(baseline, MOST_LENGTH)];
}

const MOST_LENGTH = 900;
