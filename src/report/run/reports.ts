import type { Report } from '../views/published.ts';
import { htmlReport } from './html/page.ts';
import { markdownReport } from './markdown.ts';
import { terminalReport } from './terminal.ts';

/** Every report by its name; a new one is one more line. */
export const REPORTS: Readonly<Record<'terminal' | 'markdown' | 'html', Report>> = {
  terminal: terminalReport,
  markdown: markdownReport,
  html: htmlReport,
};
