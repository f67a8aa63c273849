/**
 * Results of a plain and of an anchored series for 40 pushes on runners of two CPU models, by recorded noise of unchanged code. A plain run is the
 * median of 3 rounds in a row; an anchored one has 20 rounds of two versions. The second model is a fifth faster. Prints false and found
 * changes, their delay in pushes, and after how many commits a drift of 0.5% each is seen.
 */

import { type Random, seededRandom } from '../src/foundation/random.ts';
import { median } from '../src/foundation/statistics.ts';
import { changePoints } from '../src/history/change-points/change-points.ts';
import { intervalOverLooks } from '../src/judge/inference/interval-over-looks.ts';
import { hodgesLehmann } from '../src/judge/inference/location.ts';
import type { Compared } from '../src/judge/verdict/finding.ts';
import { readRecorded } from './power/files.ts';

const RECORDINGS = ['unchanged-amd-epyc-noisy.csv.gz', 'unchanged-containers-busy.json.gz'];
const LEVELS = [1, 0.8];
const PUSHES = 40;
const HISTORIES = 200;
const CHANGED_AT = 20;
const PLAIN_ROUNDS = 3;
const ANCHORED_ROUNDS = 20;
const DRIFT = 0.005;
const LIMIT = 0.05;
const NAMES = { plain: 'plain   ', ratio: 'anchored' };

/** This many pushes next to the change still mean it. */
const NEAR = 3;

/** CPU time of both sides of a round, as logarithms. */
type Round = readonly [number, number];

interface Push {
  readonly machine: number;
  readonly plain: number;
  readonly ratio: number;
  /** Half of the 95% interval of the logarithm. */
  readonly spread: number;
}

const recordings = await Promise.all(RECORDINGS.map(roundsOf));
recordings.forEach((rounds, place) => {
  console.log(`model ${place + 1}: ${RECORDINGS[place]}, ${rounds.length} rounds, level ${LEVELS[place]}`);
});
console.log(`${HISTORIES} histories of ${PUSHES} pushes, each on a model by chance\n`);
printSteps();
printDrift();

async function roundsOf(name: string): Promise<readonly Round[]> {
  const { compared } = await readRecorded(`tests/fixtures/recorded/${name}`);
  const found = compared.find(isCpu);
  if (found === undefined) {
    throw new Error(`${name} has no CPU time of REST at saturation`);
  }
  return found.base.flatMap((base, place) => {
    const head = found.head[place];
    return base === undefined || head === undefined ? [] : [[Math.log(base), Math.log(head)] as const];
  });
}

function isCpu({ cell, metric }: Compared): boolean {
  return cell.service === 'rest' && cell.tier === 'saturation' && metric === 'cpuMicrosPerRequest';
}

/** Every push of a history, whose code is so many times as dear as the anchor. */
function historyOf(seed: number, dearAt: (push: number) => number): readonly Push[] {
  const random = seededRandom(seed);
  return Array.from({ length: PUSHES }, (_, push) => pushOf(random, Math.log(dearAt(push))));
}

function pushOf(random: Random, dear: number): Push {
  const machine = Math.floor(random() * recordings.length);
  const rounds = recordings[machine] ?? [];
  const level = Math.log(LEVELS[machine] ?? 1);
  const own = inARow(rounds, PLAIN_ROUNDS, random).map(([one]) => one);
  const differences = inARow(rounds, ANCHORED_ROUNDS, random).map(([base, head]) =>
    random() < 0.5 ? head - base : base - head,
  );
  const shifted = differences.map((difference) => difference + dear);
  const looks = [{ rounds: shifted.length, spent: 1 }];
  const interval = intervalOverLooks({ base: shifted.map(() => 0), head: shifted }, looks);
  return {
    machine,
    plain: Math.exp((median(own) ?? 0) + level + dear),
    ratio: Math.exp(hodgesLehmann(shifted)),
    spread: interval === undefined ? Number.POSITIVE_INFINITY : (interval.high - interval.low) / 2,
  };
}

function inARow(rounds: readonly Round[], count: number, random: Random): readonly Round[] {
  const start = Math.floor(random() * (rounds.length - Math.min(count, rounds.length) + 1));
  return rounds.slice(start, start + count);
}

/** Places of the changes that enough pushes bear out. */
function changesIn(pushes: readonly Push[], kind: 'plain' | 'ratio'): readonly number[] {
  const values = pushes.map((push) => push[kind]);
  const points =
    kind === 'plain'
      ? changePoints(
          values,
          pushes.map(({ machine }) => String(machine)),
        )
      : changePoints(
          values,
          values.map(() => ''),
          0.01,
        );
  return points.filter(({ pending }) => !pending).map(({ index }) => index);
}

function printSteps(): void {
  console.log('change   series    found  within 1  false  median delay in pushes');
  for (const step of [0, 0.02, 0.03, 0.05, 0.1, 0.2]) {
    for (const kind of ['plain', 'ratio'] as const) {
      const seen = Array.from({ length: HISTORIES }, (_, seed) => seenOf(step, kind, seed + 1));
      const found = seen.filter(({ delay }) => delay !== undefined);
      const near = seen.filter(({ isNear }) => isNear).length;
      const wrong = seen.reduce((sum, one) => sum + one.wrong, 0);
      const delay = median(found.flatMap((one) => one.delay ?? []));
      const cells = [
        `${100 * step}%`.padEnd(8),
        NAMES[kind],
        String(found.length).padStart(5),
        String(near).padStart(9),
      ];
      console.log([...cells, String(wrong).padStart(6), delay === undefined ? '-' : String(delay)].join(' '));
    }
  }
}

function seenOf(step: number, kind: 'plain' | 'ratio', seed: number) {
  const pushes = historyOf(seed, (push) => (push < CHANGED_AT ? 1 : 1 + step));
  const places = changesIn(pushes, kind);
  const isMeant = (place: number) => step > 0 && Math.abs(place - CHANGED_AT) <= NEAR;
  const firstSeen = Array.from({ length: PUSHES - CHANGED_AT }, (_, more) => CHANGED_AT + more + 1).find((count) =>
    changesIn(pushes.slice(0, count), kind).some(isMeant),
  );
  return {
    delay: firstSeen === undefined || step === 0 ? undefined : firstSeen - CHANGED_AT,
    isNear: places.some((place) => step > 0 && Math.abs(place - CHANGED_AT) <= 1),
    wrong: places.filter((place) => !isMeant(place)).length,
  };
}

/** Of a drift that began with the first push: the push at which each first shows it. */
function printDrift(): void {
  const histories = Array.from({ length: HISTORIES }, (_, seed) =>
    historyOf(seed + 1, (push) => (1 + DRIFT) ** (push + 1)),
  );
  const firstOf = (isSeen: (pushes: readonly Push[]) => boolean) =>
    histories.map((pushes) => pushes.findIndex((_, push) => isSeen(pushes.slice(0, push + 1))) + 1);
  const surely = ({ ratio, spread }: Push) => Math.log(ratio) > spread;
  const seen = {
    'anchored: interval without 0': firstOf((pushes) => surely(pushes.at(-1) as Push)),
    [`anchored: limit of ${100 * LIMIT}% fails`]: firstOf((pushes) => {
      const last = pushes.at(-1) as Push;
      return last.ratio >= 1 + LIMIT && surely(last);
    }),
    'anchored: change point': firstOf((pushes) => changesIn(pushes, 'ratio').length > 0),
    'plain: change point': firstOf((pushes) => changesIn(pushes, 'plain').length > 0),
  };
  console.log(
    `\na drift of ${100 * DRIFT}% a commit is seen after so many commits (median, 5% and 95% of histories; not within ${PUSHES})`,
  );
  for (const [name, places] of Object.entries(seen)) {
    const known = places.filter((place) => place > 0).toSorted((left, right) => left - right);
    const at = (share: number) => known[Math.floor(share * (known.length - 1))] ?? '-';
    console.log(`${name.padEnd(32)} ${at(0.5)}  (${at(0.05)} to ${at(0.95)}; ${places.length - known.length} not)`);
  }
}
