/**
 * How long the committed bundles take to start: `npm run bench:start -- [node ...]`, alternating, with this program's Node where none is
 * given. The goal is 500 ms for each, and 5 MB for all of dist/.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../src/core/statistics.ts';

const RUNS = 15;
const STARTS: Readonly<Record<string, readonly string[]>> = {
  'node alone': ['--eval', '0'],
  'dist/cli.js --version': ['dist/cli.js', '--version'],
  'dist/action.js, which refuses to run outside a workflow': ['dist/action.js'],
};

const nodes = process.argv.length > 2 ? process.argv.slice(2) : [process.execPath];
for (const node of nodes) {
  const times = new Map<string, number[]>(Object.keys(STARTS).map((name) => [name, []]));
  for (let run = 0; run < RUNS; run += 1) {
    for (const [name, argv] of Object.entries(STARTS)) {
      times.get(name)?.push(millisecondsOf(node, argv));
    }
  }
  console.log(`${execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()}, medians of ${RUNS}:`);
  for (const [name, all] of times) {
    console.log(`  ${name}: ${(median(all) ?? 0).toFixed(0)} ms`);
  }
}
const bytes = readdirSync('dist').reduce((sum, name) => sum + statSync(join('dist', name)).size, 0);
console.log(`dist/: ${(bytes / 1e6).toFixed(2)} MB`);

function millisecondsOf(node: string, argv: readonly string[]): number {
  const began = performance.now();
  try {
    execFileSync(node, [...argv], { stdio: 'ignore', env: { PATH: process.env['PATH'] } });
  } catch {
    // Its exit code says that there is no workflow here; it was started all the same.
  }
  return performance.now() - began;
}
