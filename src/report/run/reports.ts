import { isVersus } from '../../model/run/comparison.ts';
import { comparisonDocument } from '../comparison/document.ts';
import type { Document } from '../document.ts';
import { htmlOf } from '../render/html.ts';
import { type Paint, PLAIN } from '../render/lines.ts';
import { markdownOf } from '../render/markdown.ts';
import { briefTerminalOf, terminalOf } from '../render/terminal.ts';
import { baselineSections, storedVerdictBlocks } from '../stored/against.ts';
import type { Studies } from '../studies.ts';
import { versusDocument, viewVersus } from '../versus/view.ts';
import type { Judgment, Report } from '../views/judgment.ts';
import { viewRun } from '../views/run-view.ts';
import { runDocument } from './document.ts';

const BRIEF_LINES = 18;

/** Reports of a judgment with the parts that these studies make; all show the same document. */
export function reportsWith(studies: Studies) {
  const REPORTS: Readonly<Record<'terminal' | 'markdown' | 'html', Report>> = {
    terminal: (judgment) => terminalOf(documentOf(judgment, studies), PLAIN),
    markdown: (judgment) => markdownOf(documentOf(judgment, studies)),
    html: (judgment) => htmlOf(documentOf(judgment, studies)),
  };
  return {
    REPORTS,
    /** The outcome and what belongs to it, for the end of a command. */
    briefReport: (judgment: Judgment, paint: Paint) =>
      briefTerminalOf(documentOf(judgment, studies), paint, BRIEF_LINES),
    /** The whole report for a terminal, with what that can show. */
    terminalReport: (judgment: Judgment, paint: Paint) => terminalOf(documentOf(judgment, studies), paint),
  };
}

function documentOf(judgment: Judgment, studies: Studies): Document {
  if (judgment.compared === undefined) {
    return runDocument(judgment, studies);
  }
  const { run, compared, against } = judgment;
  const document = isVersus(run)
    ? versusDocument(run, viewVersus(run, compared, { studies }))
    : comparisonDocument(run, compared);
  const view = viewRun(run);
  const stored = baselineSections(view, against, storedVerdictBlocks(view, against));
  return { ...document, sections: [...document.sections, ...stored] };
}
