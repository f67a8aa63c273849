import { isVersus } from '../../model/index.ts';
import { comparisonDocument } from '../comparison/document.ts';
import type { Document } from '../document.ts';
import { htmlOf } from '../render/html.ts';
import { ANSI, PLAIN } from '../render/lines.ts';
import { markdownOf } from '../render/markdown.ts';
import { terminalOf } from '../render/terminal.ts';
import { versusDocument } from '../versus/document.ts';
import { viewVersus } from '../versus/view.ts';
import type { Judgement, Report } from '../views/published.ts';
import { viewRun } from '../views/run-view.ts';
import { baselineSections, storedVerdictBlocks } from './baseline.ts';
import { runDocument } from './document.ts';

/** Every report by its name; each shows the same document. */
export const REPORTS: Readonly<Record<'terminal' | 'markdown' | 'html', Report>> = {
  terminal: (judgement) => terminalOf(documentOf(judgement), PLAIN),
  markdown: (judgement) => markdownOf(documentOf(judgement)),
  html: (judgement) => htmlOf(documentOf(judgement)),
};

/** The report for a terminal that shows colours. */
export function colouredTerminalReport(judgement: Judgement): string {
  return terminalOf(documentOf(judgement), ANSI);
}

/** What there is to say of a run; if two versions or services were compared, it is about the comparison. */
function documentOf(judgement: Judgement): Document {
  if (judgement.compared === undefined) {
    return runDocument(judgement);
  }
  const { run, compared, against } = judgement;
  const document = isVersus(run) ? versusDocument(run, viewVersus(run, compared)) : comparisonDocument(run, compared);
  const view = viewRun(run);
  const stored = baselineSections(view, against, storedVerdictBlocks(view, against));
  return { ...document, sections: [...document.sections, ...stored] };
}
