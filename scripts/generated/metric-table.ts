import { topicsOf } from '../../src/commands/help/topics.ts';
import { SHORT_NAMES } from '../../src/config/schema/metric-names.ts';
import { cell, table, withGenerated } from './markdown-table.ts';

/** Document with the table of all metrics for `wiregauge explain`; the last column is empty for those that are only shown. */
export function withMetrics(text: string): string {
  const rows = topicsOf('metric').map(({ name, says }) => [
    [`\`${name}\``, shortNameOf(name)].filter((part) => part !== '').join(', '),
    cell(says['what it is'] ?? ''),
    cell([says['unit'], says['better']].join(', ')),
    cell(says['in a comparison']?.replace(/^shown only$/, '') ?? ''),
  ]);
  const head = ['metric', 'description', 'unit, better', 'in a comparison'];
  return withGenerated(text, 'the metrics', table([head, ...rows]));
}

function shortNameOf(name: string): string {
  const short = Object.entries(SHORT_NAMES).find(([, metric]) => metric === name);
  return short === undefined ? '' : `\`${short[0]}\``;
}
