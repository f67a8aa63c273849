/**
 * Where the noise of a comparison comes from: `npm run bench:variance -- out/run.json...` (plain or gzip) prints for each cell how far rounds, blocks and
 * starts scatter, in percent.
 */
import { readRounds } from './power/files.ts';
import { type Components, variancesOf } from './power/variance.ts';

const COLUMNS = ['service', 'operation', 'tier', 'figure', 'rounds', 'blocks', 'round', 'block', 'within', 'between'];

for (const path of process.argv.slice(2)) {
  const rows = variancesOf(await readRounds(path)).map(cellsOf);
  const widths = COLUMNS.map((name, at) => Math.max(name.length, ...rows.map((row) => row[at]?.length ?? 0)));
  console.log(`${path}: standard deviations of log(head / base), in per cent`);
  for (const row of [COLUMNS, ...rows]) {
    console.log(
      row.map((text, at) => (at < 4 ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0))).join('  '),
    );
  }
}

function cellsOf({ service, operation, tier, figure, rounds, blocks, ...deviations }: Components): string[] {
  const { round, block, within, between } = deviations;
  const percents = [round, block, within, between].map((value) => (value * 100).toFixed(2));
  return [service, operation, tier, figure, `${rounds}`, `${blocks}`, ...percents];
}
