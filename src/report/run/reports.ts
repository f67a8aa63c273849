import { isVersus } from '../../model/index.ts';
import { comparisonDocument } from '../comparison/document.ts';
import type { Document } from '../document.ts';
import { htmlOf } from '../render/html.ts';
import { type Paint, PLAIN } from '../render/lines.ts';
import { markdownOf } from '../render/markdown.ts';
import { briefTerminalOf, terminalOf } from '../render/terminal.ts';
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

/** Lines of a report at the end of a command, with the one that says what else there is. */
const BRIEF_LINES = 18;

/** The outcome and what belongs to it, for the end of a command. */
export function briefReport(judgement: Judgement, paint: Paint): string {
  return briefTerminalOf(documentOf(judgement), paint, BRIEF_LINES);
}

/** The whole report for a terminal, with what that can show. */
export function terminalReport(judgement: Judgement, paint: Paint): string {
  return terminalOf(documentOf(judgement), paint);
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
