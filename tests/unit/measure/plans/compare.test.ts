import { describe, expect, test } from 'vitest';
import { MeasurementError } from '../../../../src/foundation/errors.ts';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { compareVersions } from '../../../../src/measure/plans/compare.ts';
import { DEFAULT_POLICY } from '../../../../src/model/policy.ts';
import { tooSlowToCount } from '../../../../src/model/run/instructions.ts';
import { formatRun, parseRun } from '../../../../src/model/run/run.ts';
import { notesOf } from '../../../../src/report/views/notes.ts';
import { type FakeRounds, fakeRounds } from '../../../support/fake-rounds.ts';

const outcomes = async ({ bench, head }: FakeRounds) => {
  const run = await compareVersions(bench, head);
  return { run, rounds: run.rounds?.rounds ?? [], ended: run.rounds?.ended };
};

describe('compareVersions', () => {
  test('runs every round of every service with both versions, and keeps a file that can be read', async () => {
    const fake = fakeRounds();
    const { run, rounds, ended } = await outcomes(fake);
    expect(ended).toBe('rounds');
    expect(rounds.map(({ service, outcome }) => `${service} ${outcome}`).sort()).toEqual([
      ...Array.from({ length: 4 }, () => 'first kept'),
      ...Array.from({ length: 4 }, () => 'second kept'),
    ]);
    expect(parseRun(fake.written.at(-1) ?? '', 'run.json')).toEqual(parseRun(formatRun(run), 'run.json'));
    const sides = new Set(run.samples.map(({ side, round, cell }) => `${side} ${round} ${cell.service} ${cell.tier}`));
    // Two versions, four rounds, two services, saturation and the middle tier.
    expect(sides.size).toBe(2 * 4 * 2 * 2);
    expect(run.samples.every(({ blocks }) => blocks === 2)).toBe(true);
  });

  test('runs users without think time as a closed loop of the operations that they ask for', async () => {
    const { suite } = fakeRounds().bench;
    const [operation] = suite.operations.map(({ name }) => name);
    const tier = { name: 'full', users: 500, rampSeconds: 10, limitSeconds: 30, operations: [operation ?? ''] };

    const { run } = await outcomes(fakeRounds({ change: { suite: { ...suite, tiers: [tier] } } }));

    const samples = run.samples.filter(({ cell }) => cell.tier === 'full');
    expect(new Set(samples.map(({ cell }) => cell.operation))).toEqual(new Set(['all', operation]));
    expect(samples.every(({ workers, offeredRps }) => workers === suite.saturation.workers && !offeredRps)).toBe(true);
  });

  test('writes a file that can be read where requests were dropped in a block of part of a second', async () => {
    const profile = { ...fakeRounds().bench.profile, tierBlockSeconds: 0.75, looks: [{ rounds: 1, spent: 1 }] };
    const fake = fakeRounds({ change: { profile } });

    const { run } = await outcomes(fake);

    expect(run.samples.some(({ droppedRequests }) => droppedRequests > 0)).toBe(true);
    expect(parseRun(fake.written.at(-1) ?? '', 'run.json').samples).toHaveLength(run.samples.length);
  });

  test('ends a service whose answer is clear, and gives the time to the others', async () => {
    const looks = [
      { rounds: 8, spent: 0.5 },
      { rounds: 10, spent: 1 },
    ];
    const fake = fakeRounds({ change: { profile: { ...fakeRounds().bench.profile, looks } } });
    // Nothing of it may fail a pull request, so that no look can be sure of it.
    const policy = { ...DEFAULT_POLICY, thresholds: [{ service: 'second', gate: false }] };

    const { run, rounds } = await outcomes({
      ...fake,
      head: { ...fake.head, rounds: { ...fake.head.rounds, policy } },
    });

    const kept = (name: string) => rounds.filter(({ service, outcome }) => service === name && outcome === 'kept');
    expect([kept('first').length, kept('second').length]).toEqual([8, 10]);
    expect(run.rounds).toMatchObject({ ended: 'rounds', decided: ['first'] });
    expect(fake.lines.some((line) => /^first after 8 rounds: .*; finished$/.test(line))).toBe(true);
  });

  test('counts before the rounds if there is time for that, and runs them if nothing could be counted', async () => {
    const fake = fakeRounds({ change: { countingSeconds: 100 } });
    const { base, head } = fake.bench.versions;
    const counting = {
      counter: async () => ({ name: 'valgrind' as const, version: '3.19.0', architecture: 'x64' }),
      start: () => Promise.reject(new MeasurementError('it ended by itself')),
    };
    const counted = (version: typeof base) => ({ ...version, runtime: { ...version.runtime, counting } });
    const bench = { ...fake.bench, versions: { base: counted(base), head: counted(head) } };

    const { run, rounds } = await outcomes({ ...fake, bench });

    expect(run.instructions?.failures.map(({ service, side }) => `${service} ${side}`)).toEqual([
      ...['first head', 'first base'],
      ...['second head', 'second base'],
    ]);
    expect(rounds.filter(({ outcome }) => outcome === 'kept')).toHaveLength(8);
    expect(parseRun(fake.written.at(-1) ?? '', 'run.json').instructions?.starts).toEqual([]);
  });

  test('reads the heap of a JVM, which cannot be counted, before the rounds take the budget', async () => {
    const fake = fakeRounds({ change: { countingSeconds: 100 } });
    const counting = {
      counter: async () => ({ name: 'valgrind' as const, version: '3.19.0', architecture: 'x64' }),
      start: () => Promise.reject(new MeasurementError('slow', { brief: tooSlowToCount('a JVM') })),
    };
    const { base, head } = fake.bench.versions;
    const counted = (version: typeof base) => ({ ...version, runtime: { ...version.runtime, counting } });

    await outcomes({ ...fake, bench: { ...fake.bench, versions: { base: counted(base), head: counted(head) } } });

    const heap = fake.lines.findIndex((line) => line.includes('first, head: allocations could not be counted'));
    expect(heap).toBeGreaterThan(-1);
    expect(heap).toBeLessThan(fake.lines.findIndex((line) => / round 1 of \d+: kept/.test(line)));
  });

  test('is interrupted if it is ended while it counts', async () => {
    const profile = { ...fakeRounds().bench.profile, looks: [] };
    const fake = fakeRounds({ change: { profile } });
    fake.stop.abort();

    expect((await outcomes(fake)).run).toMatchObject({ rounds: { ended: 'interrupted' }, complete: false });
  });

  test('starts the version first that the coin says, and both again in every round', async () => {
    const fake = fakeRounds();
    const { rounds } = await outcomes(fake);
    const firsts = fake.started.filter((_, index) => index % 2 === 0);
    expect(firsts).toEqual(rounds.map(({ first, service }) => `${first} ${service}`));
    expect(fake.started).toHaveLength(2 * rounds.length);
  });

  test('keeps a round in which the machine changed where so few are wanted that none may be discarded', async () => {
    // The loop before the first round and after each: the machine becomes slower by a quarter in the second one.
    const fake = fakeRounds({ controlMs: [150, 150, 190] });
    const { rounds } = await outcomes(fake);
    expect(rounds.every(({ outcome }) => outcome === 'kept')).toBe(true);
    expect(rounds.filter(({ contamination }) => (contamination ?? 0) > 0.1)).toHaveLength(1);
  });

  test('measures the machine again after a round in which it changed', async () => {
    // After the second round it is slower for a moment: of that alone no other round is to suffer.
    const fake = fakeRounds({ controlMs: [150, 150, 190, 150] });
    const { rounds } = await outcomes(fake);
    expect(rounds.filter(({ contamination }) => (contamination ?? 0) > 0.1)).toHaveLength(1);
    expect(rounds.at(2)?.controlMs).toEqual({ before: 150, after: 150 });
  });

  test('runs a round again in which the machine changed, as often as it may, and keeps its samples', async () => {
    const change = { profile: { ...fakeRounds().bench.profile, looks: [{ rounds: 5, spent: 1 }] } };
    const fake = fakeRounds({ controlMs: [150, 190, 150, 190, 150, 190, 150, 190, 150, 190], change });
    const { run, rounds } = await outcomes(fake);
    const discarded = rounds.filter(({ outcome }) => outcome === 'discarded');
    expect(discarded.length).toBeGreaterThan(0);
    for (const service of ['first', 'second']) {
      expect(discarded.filter((round) => round.service === service).length).toBeLessThanOrEqual(2);
      expect(rounds.filter((round) => round.service === service && round.outcome === 'kept')).toHaveLength(5);
    }
    const [round] = discarded;
    expect(run.samples.some((one) => one.cell.service === round?.service && one.round === round?.round)).toBe(true);
  });

  test('blames no version for answers that differ from start to start', async () => {
    const replies = (_service: string, call: string) => ({
      status: '200',
      body: { call, start: fake.started.length > 4 ? 'late' : 'early' },
    });
    const fake: FakeRounds = fakeRounds({ head: { replies } });

    const { run, rounds } = await outcomes(fake);

    const failed = rounds.filter(({ outcome }) => outcome === 'failed');
    expect(failed.map(({ failure }) => failure?.side)).toEqual(Array.from({ length: 8 }, () => undefined));
    expect(failed[0]?.failure?.message).toMatch(/answers .* differently from start to start at \$\.start: /);
    expect(judgeRun(run)).toMatchObject({ outcome: 'incomplete', exitCode: 2 });
  });

  test('a version that fails twice is given up, and the other services are measured', async () => {
    const { rounds } = await outcomes(fakeRounds({ head: { endsAtStart: ['first'], replies: refusing('first') } }));
    const failed = rounds.filter(({ outcome }) => outcome === 'failed');
    expect(failed.map(({ service, failure }) => [service, failure?.side])).toEqual([
      ['first', 'head'],
      ['first', 'head'],
    ]);
    expect(failed[0]?.failure?.message).toMatch(/ended before it was ready: it ended with exit code 1/);
    expect(rounds.filter(({ service, outcome }) => service === 'second' && outcome === 'kept')).toHaveLength(4);
  });

  test('a service that is killed under load is a failure of its version, whichever was started first', async () => {
    for (const side of ['base', 'head'] as const) {
      const { rounds } = await outcomes(fakeRounds({ [side]: { endsUnderLoad: ['second'] } }));
      const failed = rounds.filter(({ outcome }) => outcome === 'failed');
      expect(failed.map(({ service, failure }) => `${service} ${failure?.side}`)).toEqual([
        `second ${side}`,
        `second ${side}`,
      ]);
      expect(failed[0]?.failure?.message).toMatch(/exited under load: it was killed by SIGKILL/);
    }
  });

  test('services of one version that answer differently fail; those of two versions are reported once per service', async () => {
    const answers = (service: string, call: string) => ({
      status: '200' as const,
      body: { call, extra: service === 'second' ? 1 : 0 },
    });
    const { rounds } = await outcomes(fakeRounds({ head: { replies: answers } }));
    expect(rounds.some(({ failure }) => /answer GetUser .* differently/.test(failure?.message ?? ''))).toBe(true);
    const fake = fakeRounds({ head: { replies: (_, call) => ({ status: '200', body: { call, added: true } }) } });
    expect((await outcomes(fake)).rounds.every(({ outcome }) => outcome === 'kept')).toBe(true);
    expect(
      fake.lines.flatMap(
        (line) => /^(\w+): base and head answer \d+ of \d+ requests differently/.exec(line)?.[1] ?? [],
      ),
    ).toEqual(expect.toSatisfy((services: string[]) => services.toSorted().join() === 'first,second'));
  });

  test('an abort in mid-round keeps the rounds before it', async () => {
    let blocks = 0;
    const fake: FakeRounds = fakeRounds({
      base: {
        onPlay: () => {
          blocks += 1;
          if (blocks === 20) {
            fake.stop.abort();
          }
        },
      },
    });
    const { rounds, run, ended } = await outcomes(fake);
    expect(ended).toBe('interrupted');
    expect(run.complete).toBe(false);
    expect(rounds.length).toBeGreaterThan(0);
    expect(rounds.every(({ outcome }) => outcome === 'kept')).toBe(true);
  });

  test('begins no round that the budget does not hold', async () => {
    const fake = fakeRounds({ change: { budgetSeconds: 2.2 } });
    const { rounds, ended } = await outcomes(fake);
    expect(ended).toBe('budget');
    expect(rounds.length).toBeGreaterThan(0);
    expect(rounds.length).toBeLessThan(8);
  });

  test('ends the rounds of the first look late, if the budget falls short by less than a tenth', async () => {
    const whole = await outcomes(fakeRounds());
    const secondsOf = ({ run }: typeof whole) => run.spent.totalSeconds;
    const looks = [{ rounds: 4, spent: 1 }];
    const within = async (share: number) => {
      const fake = fakeRounds({ change: { budgetSeconds: share * secondsOf(whole), stopsEarly: false } });
      return await outcomes({ ...fake, bench: { ...fake.bench, profile: { ...fake.bench.profile, looks } } });
    };

    expect(await within(0.95)).toMatchObject({ ended: 'rounds' });
    const short = await within(0.8);
    expect(short.ended).toBe('budget');
    expect(secondsOf(short)).toBeLessThan(0.8 * secondsOf(whole));
  });

  test.each([
    ['says once which budget is enough, if rounds take too long for a verdict', 1.5, 1],
    ['says nothing of a budget that is enough', 600, 0],
  ])('%s', async (_, budgetSeconds, times) => {
    const fake = fakeRounds({ change: { budgetSeconds } });
    await outcomes(fake);
    const warnings = fake.lines.filter((line) => line.includes(': use --budget'));
    expect(warnings).toHaveLength(times);
    expect(warnings.join()).toMatch(
      times === 0 ? /^$/ : /^2 rounds take about \d+ s, more than the budget of 2 s: use --budget 1m$/,
    );
  });

  test('goes on without tiers for which the budget is too small', async () => {
    const fake = fakeRounds({ change: { budgetSeconds: 2.2 } });
    const { run, rounds } = await outcomes(fake);

    expect(run.rounds).toMatchObject({ tiers: [], leftOut: { tiers: ['medium'] } });
    expect(new Set(run.samples.map(({ cell }) => cell.tier))).toEqual(new Set(['saturation']));
    expect(rounds.map(({ loads }) => loads.length)).toEqual([2, 2, 1, 1]);
    expect(parseRun(fake.written.at(-1) ?? '', 'run.json').rounds?.leftOut).toEqual(run.rounds.leftOut);
    expect(notesOf({ result: judgeRun(run), run }).notes.join()).toContain(
      'The tier medium is not compared: with it, 2 rounds take about 2 s. To compare all tiers, use a budget of 1m.',
    );
  });

  test('keeps all tiers where all rounds are wanted', async () => {
    const { run } = await outcomes(fakeRounds({ change: { budgetSeconds: 2.2, stopsEarly: false } }));

    expect(run.rounds.leftOut).toBeUndefined();
    expect(new Set(run.samples.map(({ cell }) => cell.tier))).toEqual(new Set(['saturation', 'medium']));
  });

  test('a round in which the clock was set fails, and neither version is blamed', async () => {
    const fake = fakeRounds();
    const stepped = {
      ...fake.bench.clock,
      nowMs: () => fake.bench.clock.nowMs() + (fake.started.length > 2 ? 3_600_000 : 0),
    };
    const { rounds } = await outcomes({ ...fake, bench: { ...fake.bench, clock: stepped } });
    const failed = rounds.filter(({ outcome }) => outcome === 'failed');
    expect(failed).toHaveLength(1);
    expect(failed[0]?.failure?.message).toMatch(/clock jumped by 36000\d\d ms/);
    expect(failed[0]?.failure?.side).toBeUndefined();
  });

  test('rounds of the machine before a move do not count, and are kept in the file', async () => {
    let requested = 0;
    const machine = () => {
      requested += 1;
      return requested < 4 ? 'one' : 'another';
    };
    const fake = fakeRounds({ change: { machine } });
    const { rounds } = await outcomes(fake);
    const moved = rounds.filter(({ failure }) => failure?.message === 'the machine changed from one to another');
    expect(moved.map(({ outcome }) => outcome)).toEqual(['discarded', 'discarded', 'discarded']);
    expect(rounds.filter(({ outcome }) => outcome === 'kept')).toHaveLength(8);
    expect(fake.lines.some((line) => /rounds so far do not count/.test(line))).toBe(true);
  });

  test('with slots one version is stopped before the other starts', async () => {
    const alive = new Set<string>();
    let most = 0;
    const fake = fakeRounds({ change: { interleave: 'slots' } });
    const watched = (side: 'base' | 'head') => ({
      ...fake.bench.versions[side],
      runtime: {
        ...fake.bench.versions[side].runtime,
        start: async (service: Parameters<typeof fake.bench.versions.base.runtime.start>[0]) => {
          const running = await fake.bench.versions[side].runtime.start(service);
          alive.add(side);
          most = Math.max(most, alive.size);
          return {
            ...running,
            [Symbol.asyncDispose]: async () => {
              alive.delete(side);
              await running[Symbol.asyncDispose]();
            },
          };
        },
      },
    });
    const bench = { ...fake.bench, versions: { base: watched('base'), head: watched('head') } };
    const { rounds, run } = await outcomes({ ...fake, bench });
    expect(most).toBe(1);
    expect(rounds.every(({ outcome }) => outcome === 'kept')).toBe(true);
    expect(new Set(run.samples.map(({ side }) => side))).toEqual(new Set(['base', 'head']));
  });
});

/** A reply that is an error for one service, so that it never gets ready. */
function refusing(name: string) {
  return (service: string, call: string) =>
    service === name ? { status: '503', body: null } : { status: '200', body: { call } };
}
