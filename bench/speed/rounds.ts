/**
 * Time of a round in two runtimes: `npm run bench:rounds -- --folder FOLDER [--runtime process --runtime kubernetes] [--pairs 2]` compares the last
 * commit of a repository with itself in each, in turns, and prints the medians over all rounds of what their time went into.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { median } from '../../src/foundation/statistics.ts';
import type { RoundSeconds } from '../../src/model/run/rounds.ts';
import { parseRun } from '../../src/model/run/run.ts';

const { values } = parseArgs({
  options: {
    folder: { type: 'string', default: '.' },
    runtime: { type: 'string', multiple: true, default: ['process', 'kubernetes'] },
    pairs: { type: 'string', default: '2' },
  },
});
const [one = '', other = one] = values.runtime;
const rounds = new Map<string, RoundSeconds[]>([one, other].map((runtime) => [runtime, []]));
for (const runtime of Array.from({ length: Number(values.pairs) }, (_, pair) =>
  pair % 2 ? [other, one] : [one, other],
).flat()) {
  const own = roundsIn(runtime);
  rounds.get(runtime)?.push(...own);
  console.log(`${runtime}: ${own.length} rounds, ${around(own).toFixed(2)} s of each around what is measured`);
}
console.log(['seconds of a round', ...rounds.keys()].join('\t'));
for (const part of Object.keys(rounds.get(one)?.[0] ?? {}) as (keyof RoundSeconds)[]) {
  const medians = [...rounds.values()].map((all) => (median(all.map((seconds) => seconds[part])) ?? 0).toFixed(2));
  console.log([part, ...medians].join('\t'));
}
console.log(['around what is measured', ...[...rounds.values()].map((all) => around(all).toFixed(2))].join('\t'));

function around(all: readonly RoundSeconds[]): number {
  return median(all.map(({ total, measured }) => total - measured)) ?? 0;
}

function roundsIn(runtime: string): readonly RoundSeconds[] {
  const out = mkdtempSync(join(tmpdir(), 'rounds-'));
  try {
    const options = ['--base', 'HEAD', '--always', '--profile', 'smoke', '--runtime', runtime, '--out', out];
    execFileSync(process.execPath, [resolve('dist/cli.js'), 'compare', ...options], {
      cwd: values.folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const run = parseRun(readFileSync(join(out, 'run.json'), 'utf8'), 'run.json');
    return run.rounds?.rounds.flatMap(({ outcome, seconds }) => (outcome === 'kept' && seconds ? [seconds] : [])) ?? [];
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}
