/**
 * How long the change points of 200 series of 1,000 values take: all of them at once, and after one more value each. The
 * goal is 1 s for the first, also before anything is compiled, and a tenth of it for the second.
 */

import { seededRandom } from '../src/foundation/random.ts';
import { changePoints, rescan } from '../src/history/change-points/change-points.ts';
import { normalQuantile } from '../src/judge/inference/distributions.ts';

const SERIES = 200;
const VALUES = 1000;
const GOAL_MS = 1000;
const GOAL_RATIO = 10;
const RUNS = 5;

const random = seededRandom(1);

/** Half of the series have a step every 200 values. */
const all = Array.from({ length: SERIES }, (_, place) =>
  place % 2 === 0 ? series([1]) : series([1, 1.1, 1, 1.2, 1.1]),
);

const scanAll = () => all.map((values) => changePoints(values).length);
const cold = timesOf(scanAll);
const before = all.map((values) => changePoints(values.slice(0, -1)));
const appendAll = () => all.map((values, place) => rescan(before[place] ?? [], values).length);

console.log(`the first scan ever: ${cold.wallMs.toFixed(0)} ms, ${cold.cpuMs.toFixed(0)} ms of CPU time`);
const scanned = show('all values', scanAll);
const appended = show('one more value', appendAll);

console.log(`one more value takes 1/${(scanned / appended).toFixed(0)} of a scan (goal 1/${GOAL_RATIO})`);
if (cold.wallMs > GOAL_MS || scanned / appended < GOAL_RATIO) {
  process.exitCode = 1;
}

function series(levels: readonly number[]): readonly number[] {
  return Array.from({ length: VALUES }, (_, place) => {
    const level = levels[Math.floor((place * levels.length) / VALUES)] ?? 1;
    return 100 * level * Math.exp(0.05 * normalQuantile(Math.max(random(), Number.EPSILON)));
  });
}

/** The best time of some runs, in milliseconds of CPU time. */
function show(what: string, work: () => readonly number[]): number {
  const best = Math.min(...Array.from({ length: RUNS }, () => timesOf(work).cpuMs));
  const found = work().reduce((sum, count) => sum + count, 0);
  console.log(`${what} of ${SERIES} series: best of ${RUNS} ${best.toFixed(0)} ms of CPU time; ${found} changes`);
  return best;
}

interface Times {
  readonly wallMs: number;
  readonly cpuMs: number;
}

function timesOf(work: () => void): Times {
  const [from, start] = [performance.now(), process.cpuUsage()];
  work();
  const { user, system } = process.cpuUsage(start);
  return { wallMs: performance.now() - from, cpuMs: (user + system) / 1000 };
}
