/** Writes the critical values of the scan for change points; takes half a minute, and always gives the same file. */
import { writeFileSync } from 'node:fs';
import { COUNTS, criticalValue } from './critical-values.ts';

const FILE = new URL('../src/history/change-points/critical-values.ts', import.meta.url);
/** Line width of the formatter. */
const WIDTH = 120;

const lines: string[] = [];
for (const count of COUNTS) {
  const value = `${criticalValue(count)},`;
  const line = `${lines.at(-1) ?? ' '} ${value}`;
  if (lines.length === 0 || line.length > WIDTH) {
    lines.push(`  ${value}`);
  } else {
    lines.splice(-1, 1, line);
  }
}
writeFileSync(
  FILE,
  `/**
 * Departure of a scan that fewer than 1% of shuffled series exceed, for 10, 11, ... values.
 * Made by \`npx tsx scripts/change-point-table.ts\`.
 */
export const CRITICAL_VALUES: readonly number[] = [
${lines.join('\n')}
];
`,
);
