import { describe, expect, test } from 'vitest';
import { EnvironmentError, MeasurementError } from '../../../src/foundation/errors.ts';
import type { Clock } from '../../../src/host/machine/clock.ts';
import { judgeRun } from '../../../src/judge/verdict/judge.ts';
import { USUAL_CRITERIA } from '../../../src/measure/knee/criteria.ts';
import { compareVersions } from '../../../src/measure/plans/compare.ts';
import { measureRun } from '../../../src/measure/plans/run.ts';
import { saturate } from '../../../src/measure/plans/saturate.ts';
import { underOneClock } from '../../../src/measure/trial/time.ts';
import type { Side } from '../../../src/model/rounds.ts';
import { parseRun } from '../../../src/model/run/run.ts';
import { KNEE_WORDS } from '../../../src/report/knee/words.ts';
import { lostContainer } from '../../../src/runtime/ended.ts';
import type { RunningService } from '../../../src/runtime/port.ts';
import { loadedBench } from '../../support/fake-loaded-service.ts';
import { type FakeRounds, fakeRounds } from '../../support/fake-rounds.ts';
import { type Behavior, type FakeBench, fakeBench, fakeClock, runFactsFor } from '../../support/fakes.ts';
import { listsOf } from '../../support/result-lists.ts';
import { saturateRecord } from '../../support/sample-saturate.ts';

const HOUR_MS = 3_600_000;

/** A clock that is set back by an hour as soon as it is told. */
function settableClock(): Clock & { setBack(): void } {
  const steady = fakeClock();
  // Of 1970, so that what it is set back to is a time, too.
  let offsetMs = HOUR_MS;
  return {
    ...steady,
    nowMs: () => steady.nowMs() + offsetMs,
    setBack: () => {
      offsetMs = 0;
    },
  };
}

const FULL = new EnvironmentError('out/run.json cannot be written: the disk is full (ENOSPC)');

/** The output folder of a bench on a disk that is full after so many writes. */
function fullAfter(writes: number, bench: FakeBench): FakeBench['output'] {
  return {
    write: async (name, text) => {
      if (bench.written.length >= writes) {
        throw FULL;
      }
      return await bench.output.write(name, text);
    },
  };
}

const LOST = lostContainer('shop', 'socket hang up');

const lastOf = (texts: readonly string[]) => parseRun(texts.at(-1) ?? '', 'run.json');

describe('a run of slots', () => {
  test('in which the clock is set back loses that slot alone, and counts its time by the steady clock', async () => {
    const clock = settableClock();
    let loads = 0;
    const onPlay = (): void => {
      loads += 1;
      if (loads === 3) {
        clock.setBack();
      }
    };
    const bench: FakeBench = { ...fakeBench({ onPlay }), clock };

    const run = await measureRun({ ...bench, budgetSeconds: 600 }, runFactsFor(bench));

    expect(run.failures).toHaveLength(1);
    expect(run.failures[0]?.message).toMatch(/^the machine's clock jumped by -36000\d\d ms during the slot$/);
    expect(run.complete).toBe(false);
    expect(run.spent.totalSeconds).toBeGreaterThanOrEqual(0);
    expect(lastOf(bench.written).samples).toHaveLength(run.samples.length);
    expect(new Set(run.samples.map(({ cell }) => cell.service))).toEqual(new Set(['first', 'second']));
    expect(bench.stopped).toHaveLength(bench.started.length);
  });

  test.each([0, 1, 4])(
    'on a disk that is full after %i writes says so, and leaves the run until then whole',
    async (writes) => {
      const bench = fakeBench();

      await expect(measureRun({ ...bench, output: fullAfter(writes, bench) }, runFactsFor(bench))).rejects.toBe(FULL);

      expect(bench.written).toHaveLength(writes);
      expect(bench.written.map((text) => parseRun(text, 'run.json').samples.length)).toEqual(
        Array.from({ length: writes }, (_, index) => 3 * (index + 1)),
      );
      expect(bench.stopped).toHaveLength(bench.started.length);
    },
  );

  test.each<[string, Behavior, RegExp]>([
    ['whose database dies', { needEndsUnderLoad: ['second'] }, /^db \(needed by second\) exited under /],
    [
      'that the engine loses',
      { endsUnderLoad: ['second'], end: () => LOST },
      /^second exited under .*: the Docker engine has lost shop: socket hang up$/,
    ],
  ])('with a service %s keeps what the others did', async (_, behavior, message) => {
    const bench = fakeBench(behavior);

    const run = await measureRun(bench, runFactsFor(bench));

    expect(run.failures.length).toBeGreaterThan(0);
    expect(run.failures.every((failure) => message.test(failure.message))).toBe(true);
    expect(new Set(run.samples.map(({ cell }) => cell.service))).toEqual(new Set(['first']));
    expect(lastOf(bench.written).failures).toHaveLength(run.failures.length);
    expect(bench.stopped).toHaveLength(bench.started.length);
  });
});

/** What is started and not yet stopped, and a bench whose services are changed as they start. */
function watching(fake: FakeRounds, change: (running: RunningService, start: number) => Partial<RunningService>) {
  const open = new Set<number>();
  let starts = 0;
  const version = (side: Side) => ({
    ...fake.bench.versions[side],
    runtime: {
      ...fake.bench.versions[side].runtime,
      start: async (service: Parameters<typeof fake.bench.versions.base.runtime.start>[0]): Promise<RunningService> => {
        const running = await fake.bench.versions[side].runtime.start(service);
        starts += 1;
        const start = starts;
        open.add(start);
        return {
          ...running,
          ...change(running, start),
          [Symbol.asyncDispose]: async () => {
            open.delete(start);
            await running[Symbol.asyncDispose]();
          },
        };
      },
    },
  });
  return { open, bench: { ...fake.bench, versions: { base: version('base'), head: version('head') } } };
}

describe('a comparison', () => {
  test('that the engine leaves in mid-round ends with that, keeps its rounds, and stops all that it started', async () => {
    const fake = fakeRounds();
    const gone = new EnvironmentError('the Docker engine has stopped answering: nothing listens');
    const { open, bench } = watching(fake, (_, start) => (start < 6 ? {} : { play: async () => Promise.reject(gone) }));

    await expect(compareVersions(bench, fake.head)).rejects.toBe(gone);

    const run = lastOf(fake.written);
    expect(run.rounds).toMatchObject({ ended: 'interrupted' });
    expect(run.rounds?.rounds.map(({ outcome }) => outcome)).toEqual(['kept', 'kept']);
    expect(run.complete).toBe(false);
    expect(open.size).toBe(0);
  });

  test('blames no version for an engine that is restarted in mid-round, and goes on', async () => {
    const losing = ['first'];
    const end = () => {
      losing.length = 0;
      return LOST;
    };
    const fake = fakeRounds({ head: { endsUnderLoad: losing, end } });
    const { open, bench } = watching(fake, () => ({}));

    const run = await compareVersions(bench, fake.head);

    const failed = run.rounds.rounds.filter(({ outcome }) => outcome === 'failed');
    expect(failed).toHaveLength(1);
    expect(failed[0]?.failure).toMatchObject({
      message: expect.stringContaining('the Docker engine has lost shop'),
      next: expect.stringContaining('was restarted'),
    });
    expect(failed[0]?.failure?.side).toBeUndefined();
    expect(run.rounds.ended).toBe('rounds');
    expect(listsOf(judgeRun(run)).findings.every(({ verdict }) => verdict !== 'regressed')).toBe(true);
    expect(open.size).toBe(0);
  });

  test('whose database dies in each round says whose it is, and measures the other service', async () => {
    const fake = fakeRounds({ head: { needEndsUnderLoad: ['second'] } });
    const { open, bench } = watching(fake, () => ({}));

    const run = await compareVersions(bench, fake.head);

    const failed = run.rounds.rounds.filter(({ outcome }) => outcome === 'failed');
    expect(failed.map(({ service, failure }) => [service, failure?.side])).toEqual([
      ['second', 'head'],
      ['second', 'head'],
    ]);
    expect(failed[0]?.failure?.message).toMatch(/^db \(needed by second\) exited under load: .* SIGKILL/);
    expect(run.rounds.rounds.filter(({ service, outcome }) => service === 'first' && outcome === 'kept')).toHaveLength(
      4,
    );
    expect(open.size).toBe(0);
  });

  test('on a disk that is full in mid-run says so, and leaves the rounds until then whole', async () => {
    const fake = fakeRounds();
    const { open, bench } = watching(fake, () => ({}));
    let writes = 0;
    const keep: typeof bench.keep = async (run) => {
      writes += 1;
      await (writes > 3 ? Promise.reject(FULL) : bench.keep(run));
    };

    await expect(compareVersions({ ...bench, keep }, fake.head)).rejects.toBe(FULL);

    expect(lastOf(fake.written).rounds?.rounds).toHaveLength(3);
    expect(open.size).toBe(0);
  });
});

describe('a search for the knee', () => {
  test('in which the clock is set back keeps its steps until then, and searches the next service', async () => {
    const clock = settableClock();
    let loads = 0;
    const onLoad = (): void => {
      loads += 1;
      if (loads === 4) {
        clock.setBack();
      }
    };
    const usual = { capacityRps: 400, baseMs: 2 };
    const bench = loadedBench({ first: { ...usual, onLoad }, second: usual }, clock);
    const { services: _none, complete: _complete, ...facts } = saturateRecord([]);
    const requested = { criteria: USUAL_CRITERIA, stepSeconds: 5, budgetSeconds: 3600, says: KNEE_WORDS };

    const { services, complete } = await saturate({ ...bench, suite: bench.plan.suite, ...requested }, facts);

    expect(services.map(({ name, ended }) => [name, ended])).toEqual([
      ['first', 'failed'],
      ['second', 'done'],
    ]);
    expect(services[0]?.failure?.message).toMatch(/^the machine's clock jumped by -36000\d\d ms during the step$/);
    expect(services[0]?.steps).toHaveLength(3);
    expect(services[1]?.conclusion.kind).toBe('found');
    expect(complete).toBe(false);
    expect(bench.stopped).toHaveLength(bench.started.length);
  });
});

describe('a clock that is set', () => {
  test.each([-HOUR_MS, 1000])('by %i ms during a measurement is reported', async (byMs) => {
    let offsetMs = 0;
    const clock = { ...fakeClock(), nowMs: () => 1_000_000 + offsetMs, steadyMs: () => 5 };
    const set = async (): Promise<void> => {
      offsetMs = byMs;
    };

    await expect(underOneClock(clock, 'step', set)).rejects.toThrow(MeasurementError);
    await expect(underOneClock(clock, 'step', async () => 'measured')).resolves.toBe('measured');
  });
});
