import { judgmentPage } from '../../src/commands/runs/report.ts';
import { htmlOf } from '../../src/report/render/html.ts';
import { PLAIN } from '../../src/report/render/lines.ts';
import { markdownOf } from '../../src/report/render/markdown.ts';
import { terminalOf } from '../../src/report/render/terminal.ts';
import type { Judgment } from '../../src/report/views/judgment.ts';

/** Each report of a judgment. */
export const REPORTS = {
  terminal: (judgment: Judgment) => terminalOf(judgmentPage(judgment), PLAIN),
  markdown: (judgment: Judgment) => markdownOf(judgmentPage(judgment)),
  html: (judgment: Judgment) => htmlOf(judgmentPage(judgment)),
} as const;
