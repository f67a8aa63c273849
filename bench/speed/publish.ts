/**
 * Publishing one run into a long history: `npm run bench:publish -- [--runs 10000] [--rounds 7]`, alternating with a fetch, a commit
 * and a push of one file by hand on the same branch of a repository on this disk. Goals: 2 s, and 20 KB more in the packs.
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { generateHistory, type HistoryPlan } from '../../scripts/history-generator.ts';
import { encodeHistogram } from '../../src/foundation/histogram.ts';
import { seededRandom } from '../../src/foundation/random.ts';
import { median } from '../../src/foundation/statistics.ts';
import { openHistoryBranch } from '../../src/history/branch/branch.ts';
import { publishRun } from '../../src/history/publish.ts';
import type { HistoryAddition } from '../../src/history/store/addition.ts';
import type { HistoryEntry } from '../../src/history/store/entry.ts';
import { readIndex } from '../../src/history/store/index-file.ts';
import { readSegment } from '../../src/history/store/segment.ts';
import { INDEX_PATH, pathOf } from '../../src/history/store/segments.ts';
import { ownerOf } from '../../src/host/machine/proc.ts';

const MAX_SECONDS = 2;
const MAX_KILOBYTES = 20;

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '10000' }, rounds: { type: 'string', default: '7' } },
});

const PLAN: HistoryPlan = {
  seed: 5,
  runs: Number(values.runs),
  operations: ['all', 'GetUser', 'ListUsers', 'CreateUser', 'DeleteUser'],
  metrics: ['latencyP50Ms', 'latencyP95Ms', 'latencyP99Ms', 'achievedRps', 'cpuMicrosPerRequest'],
  end: new Date('2026-11-21T08:00:00Z'),
  hoursBetween: 2.4,
  steps: [],
  releases: {},
  // Runs of pull requests would not be looked at for change points.
  edit: ({ pullRequest: _, ...entry }) => entry,
};

const scene = mkdtempSync(join(tmpdir(), 'bench-publish-'));
const remote = join(scene, 'remote.git');
const byHand = join(scene, 'by-hand');
try {
  measure(await rounds());
} finally {
  rmSync(scene, { recursive: true, force: true });
}

interface Round {
  readonly publishMs: number;
  readonly byHandMs: number;
  readonly bytes: number;
}

async function rounds(): Promise<readonly Round[]> {
  const last = prepare();
  const random = seededRandom(PLAN.seed);
  const done: Round[] = [];
  for (let round = 1; round <= Number(values.rounds); round += 1) {
    const before = packedBytes();
    const addition = { entry: next(last, round, random), histograms: histogramsOf(last, random) };
    const publishMs = await published(addition);
    const bytes = packedBytes() - before;
    done.push({ publishMs, byHandMs: pushedByHand(round), bytes });
  }
  return done;
}

/** The history on a branch, a clone to publish from, and one to push from by hand. Gives the last run. */
function prepare(): HistoryEntry {
  const files = generateHistory(PLAN);
  git(scene, 'init', '--quiet', '--bare', '-b', 'gh-pages', remote);
  git(remote, 'config', 'uploadpack.allowFilter', 'true');
  git(scene, 'init', '--quiet', '-b', 'gh-pages', byHand);
  git(byHand, 'remote', 'add', 'origin', pathToFileURL(remote).href);
  for (const [path, text] of files) {
    const file = join(byHand, 'performance', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  git(byHand, 'add', '--all');
  git(byHand, 'commit', '--quiet', '-m', 'A long history');
  git(byHand, 'push', '--quiet', 'origin', 'gh-pages');
  const newest = readIndex(files.get(INDEX_PATH) ?? '', INDEX_PATH).segments.at(-1)?.file ?? '';
  const last = readSegment(files.get(pathOf(newest)) ?? '', newest).at(-1);
  if (last === undefined) {
    throw new Error('the history that was made has no run');
  }
  return last;
}

function next(last: HistoryEntry, round: number, random: () => number): HistoryEntry {
  return {
    ...last,
    run: `bench-${round}`,
    at: new Date(Date.parse(last.at) + round * 3_600_000).toISOString(),
    values: last.values.map((value) => value && Number((value * (0.98 + 0.04 * random())).toPrecision(5))),
  };
}

/** As a run has them: of each service and tier over all operations, each of some thousand requests. */
function histogramsOf({ series }: HistoryEntry, random: () => number): NonNullable<HistoryAddition['histograms']> {
  const cells = series.filter(({ operation, metric }) => operation === 'all' && metric === 'latencyP50Ms');
  const latencyMs = () => 4 * Math.exp(0.6 * (random() + random() + random() - 1.5));
  return Object.fromEntries(
    cells.map(({ service, operation, tier }) => {
      const latencies = Array.from({ length: 5000 }, latencyMs).sort((left, right) => left - right);
      return [`${service}/${operation}/${tier}`, encodeHistogram(latencies)];
    }),
  );
}

async function published(addition: HistoryAddition): Promise<number> {
  const began = performance.now();
  await using store = await openHistoryBranch({
    ...{ checkout: byHand, remote: 'origin', branch: 'gh-pages', folder: 'performance', createBranch: false },
    ...{ owner: ownerOf(process.pid) ?? '', log: console.log },
  });
  const { outcome } = await publishRun(store, { addition, about: { wiregauge: '0.1.0' }, page: [] }, 'A run');
  if (outcome !== 'written') {
    throw new Error('the run was there already');
  }
  return performance.now() - began;
}

function pushedByHand(round: number): number {
  const began = performance.now();
  git(byHand, 'fetch', '--quiet', 'origin', 'gh-pages');
  git(byHand, 'reset', '--quiet', '--hard', 'FETCH_HEAD');
  appendFileSync(join(byHand, 'by-hand.txt'), `line ${round}\n`);
  git(byHand, 'add', 'by-hand.txt');
  git(byHand, 'commit', '--quiet', '-m', 'By hand');
  git(byHand, 'push', '--quiet', 'origin', 'HEAD:gh-pages');
  return performance.now() - began;
}

/** As a server keeps them in the long run. */
function packedBytes(): number {
  git(remote, 'repack', '-a', '-d', '-q');
  const folder = join(remote, 'objects/pack');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.pack'))
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

function measure(done: readonly Round[]): void {
  const seconds = (median(done.map(({ publishMs }) => publishMs)) ?? 0) / 1000;
  const hand = (median(done.map(({ byHandMs }) => byHandMs)) ?? 0) / 1000;
  const grown = done.map(({ bytes }) => bytes / 1024);
  const kilobytes = median(grown) ?? 0;
  console.log(
    `${PLAN.runs} runs of 200 series, ${(packedBytes() / 2 ** 20).toFixed(1)} MB in packs; medians of ${done.length}:`,
  );
  console.log(`  publish: ${seconds.toFixed(2)} s${over(seconds, MAX_SECONDS, 's')}`);
  console.log(
    `  fetch, commit and push of one file by hand: ${hand.toFixed(2)} s; publish takes ${(seconds / hand).toFixed(1)} times as long`,
  );
  console.log(
    `  the packs grow by ${kilobytes.toFixed(1)} KB (at most ${Math.max(...grown).toFixed(1)})${over(kilobytes, MAX_KILOBYTES, 'KB')}`,
  );
}

function over(found: number, most: number, unit: string): string {
  return found > most ? `: OVER the goal of ${most} ${unit}` : '';
}

function git(folder: string, ...argv: readonly string[]): void {
  execFileSync('git', ['-c', 'user.name=Bench', '-c', 'user.email=bench@localhost', '-C', folder, ...argv]);
}
