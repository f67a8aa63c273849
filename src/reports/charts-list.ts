import type { Run } from '../core/run.ts';
import type { ComparisonResult } from '../core/verdict/finding.ts';
import { CHARTS_FOLDER, chartsOf } from './charts.ts';
import { markdownLink } from './comment-links.ts';
import { escapeMarkdown } from './escape.ts';
import { markdownReport } from './markdown.ts';
import { markdownTable, renderSection } from './markdown-section.ts';

/** GitHub refuses summaries of check runs that are longer, in characters. */
const MOST_CHARACTERS = 65_535;

/**
 * The report of a comparison as a job's summary and a check run show it: the Markdown report, and which charts lie in the artifact at
 * that address. At most 65,535 characters.
 */
export function comparisonSummary(run: Run, result: ComparisonResult, artifactUrl: string | undefined): string {
  const report = markdownReport({ run, against: undefined, compared: result });
  const link = markdownLink('the artifact', artifactUrl);
  if (link === undefined) {
    return report;
  }
  const short = `${report}The whole report and its charts are in ${link}.\n\n`;
  const whole = `${short}${chartSection(run, result)}`;
  return whole.length <= MOST_CHARACTERS ? whole : short;
}

function chartSection(run: Run, result: ComparisonResult): string {
  const charts = chartsOf(run, result);
  const rows = charts.map(({ name, title }) => [escapeMarkdown(title, 120), `\`${CHARTS_FOLDER}/${name}\``]);
  return charts.length === 0
    ? ''
    : renderSection({ title: 'Charts in the artifact', lines: markdownTable(['shows', 'file'], rows) });
}
