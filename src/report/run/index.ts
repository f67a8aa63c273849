import type { Report } from '../views/judgement.ts';
import { htmlReport } from './html/html.ts';
import { markdownReport } from './markdown.ts';
import { terminalReport } from './terminal.ts';

/** Every report by its name; a new one is one more line. */
export const REPORTS: Readonly<Record<'terminal' | 'markdown' | 'html', Report>> = {
  terminal: terminalReport,
  markdown: markdownReport,
  html: htmlReport,
};
