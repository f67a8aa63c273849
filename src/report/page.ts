import { isInRounds, isVersus } from '../model/run/comparison.ts';
import { comparisonDocument } from './comparison/document.ts';
import type { Document } from './document.ts';
import { runDocument } from './run/document.ts';
import { baselineSections, storedVerdictBlocks } from './stored/against.ts';
import type { Studies } from './studies.ts';
import { versusDocument, viewVersus } from './versus/view.ts';
import type { Judgment } from './views/judgment.ts';
import { viewRun } from './views/run-view.ts';

/** Page of a judgment; every report renders it. The same judgment always gives the same page. */
export function pageOf(judgment: Judgment, studies: Studies): Document {
  const { run, compared, against } = judgment;
  if (compared === undefined || !isInRounds(run)) {
    return runDocument(judgment, studies);
  }
  const document = isVersus(run)
    ? versusDocument(run, viewVersus(run, compared, studies))
    : comparisonDocument(run, compared);
  const view = viewRun(run);
  const stored = baselineSections(view, against, storedVerdictBlocks(view, against));
  return { ...document, sections: [...document.sections, ...stored] };
}
