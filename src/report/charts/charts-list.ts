import { escapeMarkdown } from '../../foundation/escape.ts';
import type { ComparisonResult } from '../../judge/verdict/finding.ts';
import type { Run } from '../../model/run/run.ts';
import { markdownLink } from '../render/comment-links.ts';
import { markdownTable, renderSection } from '../render/markdown-section.ts';
import { markdownReport } from '../run/markdown.ts';
import { CHARTS_FOLDER, chartsOf } from './charts.ts';

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
