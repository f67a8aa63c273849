import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { analyse, powerOf, type Recording } from '../../../bench/power/analysis.ts';
import { readRecorded } from '../../../bench/power/files.ts';
import { trimmed } from '../../../bench/power/trimmed.ts';
import { recordedSources } from '../../../bench/rules/recorded.ts';
import { seededRandom } from '../../../src/foundation/random.ts';
import { comparedOf } from '../../../src/judge/verdict/compared.ts';
import type { Compared } from '../../../src/judge/verdict/finding.ts';
import { DEFAULT_POLICY } from '../../../src/model/policy.ts';
import { formatRun } from '../../../src/model/run/run.ts';
import { sampleRounds } from '../../support/sample-rounds.ts';
import { recordedRounds } from '../judge/calibration/recorded-rounds.ts';

const OPTIONS = { draws: 60, seed: 1, swaps: 5000 };

function recording(change: { slowdown?: number; slowed?: string; sd?: number }): Recording {
  const { slowdown = 0, slowed, sd = 0.03 } = change;
  return {
    name: 'rounds.csv',
    compared: recordedRounds({ rounds: 60, sd, seed: 7, slowdown }),
    policy: DEFAULT_POLICY,
    looks: [
      { rounds: 10, spent: 0.2 },
      { rounds: 15, spent: 0.4 },
      { rounds: 30, spent: 1 },
    ],
    secondsPerRound: 20,
    slowed,
  };
}

describe('compares drawn from recorded rounds', () => {
  it('seldom alarm on unchanged code', () => {
    const { hits, elsewhere, most } = powerOf(recording({}), OPTIONS);

    expect(hits.of).toBe(60);
    expect(hits.count).toBeLessThanOrEqual(3);
    expect({ elsewhere, most }).toEqual({ elsewhere: 0, most: 30 });
  });

  it('find a slowdown in the service that has it, in the rounds that it takes', () => {
    const { hits, elsewhere, rounds, named } = powerOf(recording({ slowdown: 0.15, slowed: 'rest' }), OPTIONS);

    expect(hits.count).toBeGreaterThanOrEqual(59);
    expect(elsewhere).toBeLessThanOrEqual(1);
    // The other service would be surely unchanged after 15 rounds, but then the outcome is known.
    expect(rounds[30]).toBe(10);
    expect(named[0]?.name).toMatch(/^rest\//);
  });

  it('do not take credit for alarms on another service', () => {
    const { hits, elsewhere } = powerOf(recording({ slowdown: 0.15, slowed: 'grpc' }), OPTIONS);

    expect(hits.count).toBeLessThanOrEqual(1);
    expect(elsewhere).toBeGreaterThanOrEqual(59);
  });

  it('end with the budget', () => {
    const budgeted = powerOf(recording({ sd: 0.06 }), { ...OPTIONS, budgetSeconds: 240 });

    expect(budgeted.most).toBe(12);
    expect(budgeted.rounds.at(-1)).toBe(12);
    expect(() => powerOf(recording({}), { ...OPTIONS, budgetSeconds: 100 })).toThrow('needs 8');
  });

  it('find less with a threshold above the slowdown', () => {
    const slowdown = recording({ slowdown: 0.04, slowed: 'rest', sd: 0.01 });

    expect(powerOf(slowdown, { ...OPTIONS, threshold: 0.02 }).hits.count).toBe(60);
    expect(powerOf(slowdown, { ...OPTIONS, threshold: 0.08 }).hits.count).toBe(0);
  });

  it('are reported as a text', () => {
    const text = analyse([recording({ slowdown: 0.3, slowed: 'rest', sd: 0.01 })], OPTIONS);

    expect(text).toContain('finds the slowdown of rest: 60 of 60, 100.0% [94.0%, 100.0%]');
    expect(text).toContain('rounds: mean 10.0, 95th percentile 10');
    expect(text).toContain('minutes at 20.0 s per round: mean 3.3, 95th percentile 3.3');
  });
});

describe('a file of recorded rounds', () => {
  let folder = '';
  const compared = recordedRounds({ rounds: 12, sd: 0.03, seed: 5 });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wiregauge-recorded-'));
    await writeFile(join(folder, 'machine.csv.gz'), gzipSync(tableOf(compared)));
    await writeFile(join(folder, 'README.md'), 'The machine.');
  });

  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  it('is read from a CSV of samples', async () => {
    const read = await readRecorded(join(folder, 'machine.csv.gz'));

    expect(read.secondsPerRound).toBeUndefined();
    const [one] = compared;
    const same = read.compared.find(({ cell, metric }) => cell.service === 'rest' && metric === one?.metric);
    expect(same).toMatchObject({ base: one?.base, head: one?.head, better: 'lower', gate: true });
  });

  it('is trimmed from a run and reads as the run does, within six digits', async () => {
    const run = sampleRounds({ rounds: 10, discarded: 2 });
    await mkdir(join(folder, 'runs'));
    await writeFile(join(folder, 'runs', 'aa.run.json'), formatRun(run));
    await writeFile(join(folder, 'runs', 'aa.json.gz'), gzipSync(formatRun(trimmed(run))));

    const [whole, short] = await Promise.all([
      readRecorded(join(folder, 'runs', 'aa.run.json')),
      readRecorded(join(folder, 'runs', 'aa.json.gz')),
    ]);

    expect(whole.compared).toEqual(comparedOf(run, run.rounds.policy).compared);
    expect(short.compared.map(namesOf)).toEqual(whole.compared.map(namesOf));
    const ratios = short.compared.flatMap(({ head }, at) =>
      head.map((value, round) => (value ?? 1) / (whole.compared[at]?.head[round] ?? 1)),
    );
    expect(Math.max(...ratios.map((ratio) => Math.abs(ratio - 1)))).toBeLessThan(1e-5);
    // Attempts of both services begin every 24 s, the discarded ones too, side by side.
    expect(short.secondsPerRound).toBeCloseTo(((11 * 24) / 10) * (24 / 23), 6);
  });

  it('is a source of pull requests whose slowdown is where it was put', async () => {
    const [source, ...others] = await recordedSources(folder);
    const drawn = source?.draw(seededRandom(1), { comparison: 1, effect: 0.1 });
    const plain = source?.draw(seededRandom(1));

    expect(others).toEqual([]);
    expect(source).toMatchObject({
      name: 'machine.csv.gz',
      family: 8,
      looks: [{ rounds: 8 }, { rounds: 10 }, { rounds: 12, spent: 1 }],
    });
    const first = (place: number) => [drawn, plain].map((pull) => pull?.rerun[place]?.head[0] ?? Number.NaN);
    const [[slower = 0, before = 0], [same, unchanged]] = [first(1), first(0)];
    expect(slower - before).toBeCloseTo(Math.log(1.1), 12);
    expect(same).toBe(unchanged);
  });

  it('need not be there', async () => {
    expect(await recordedSources(join(folder, 'none'))).toEqual([]);
  });
});

function namesOf({ cell, metric, better, gate, ifSeen }: Compared) {
  return { cell, metric, better, gate, ifSeen };
}

function tableOf(rounds: readonly Compared[]): string {
  const lines = rounds.flatMap(({ cell, metric, gate, base, head }) =>
    base.flatMap((before, round) =>
      [
        [round + 1, 'base', 1, before],
        [round + 1, 'head', 2, head[round]],
      ].map(([number, side, position, value]) =>
        [number, side, position, cell.service, cell.operation, cell.tier, metric, value, gate].join(','),
      ),
    ),
  );
  return ['round,side,position,service,operation,tier,metric,value,gate', ...lines, ''].join('\n');
}
