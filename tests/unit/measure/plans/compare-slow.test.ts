import { type ChildProcess, spawn } from 'node:child_process';
import { afterEach, expect, test } from 'vitest';
import { EnvironmentError } from '../../../../src/foundation/errors.ts';
import { compareVersions } from '../../../../src/measure/plans/compare.ts';
import { parseRun } from '../../../../src/model/run/run.ts';
import { fakeRounds } from '../../../support/fake-rounds.ts';

let child: ChildProcess | undefined;
afterEach(() => child?.kill());

/** Rounds of a program with a name, whose head is ready after 8 s; with what happened to its cores. */
async function roundsOf(program: string, canMove = true) {
  child = spawn('sleep', ['60'], { argv0: program });
  const processes = [child.pid ?? 0];
  const events: string[] = [];
  let startedMs = 0;
  const isReady = (): boolean => fake.bench.clock.steadyMs() - startedMs >= 8000;
  const fake = fakeRounds({
    head: { replies: (_, call) => ({ status: isReady() ? '200' : '503', body: { call } }) },
  });
  const { base, head } = fake.bench.versions;
  const start: typeof head.runtime.start = async (...how) => {
    startedMs = fake.bench.clock.steadyMs();
    const onAllCores = async (): Promise<AsyncDisposable> => {
      if (!canMove) {
        throw new EnvironmentError('its cores cannot be changed');
      }
      events.push('all cores');
      return { [Symbol.asyncDispose]: async () => void events.push(isReady() ? 'pinned' : 'pinned too soon') };
    };
    return { ...(await head.runtime.start(...how)), processes, onAllCores };
  };
  const versions = { base, head: { ...head, runtime: { ...head.runtime, start } } };
  const profile = { ...fake.bench.profile, saturationSeconds: 2, looks: [{ rounds: 2, spent: 1 }] };
  const suite = { ...fake.bench.suite, services: ['first'] };
  const { samples } = await compareVersions({ ...fake.bench, versions, profile, suite }, fake.head);
  const seconds = samples.filter(({ cell }) => cell.tier === 'saturation' && cell.operation === 'all');
  const { rounds } = parseRun(fake.written.at(-1) ?? '', 'run.json').rounds ?? expect.fail('no rounds');
  return {
    events,
    onAllCores: rounds.map((round) => round.onAllCores),
    seconds: seconds.map(({ measuredSeconds }) => Math.round(measuredSeconds)),
  };
}

test.each(['java', '/usr/bin/dotnet'])(
  '%s starts on all cores if it starts slowly, and is measured longer',
  async (program) => {
    expect(await roundsOf(program)).toEqual({
      events: ['all cores', 'pinned', 'all cores', 'pinned'],
      onAllCores: [['head'], ['head']],
      seconds: [2, 2, 6, 6],
    });
  },
);

test('a program that cannot be moved starts as it runs', async () => {
  expect(await roundsOf('java', false)).toEqual({
    events: [],
    onAllCores: [undefined, undefined],
    seconds: [2, 2, 2, 2],
  });
});

test('a program that would compute with all cores starts as it runs', async () => {
  expect(await roundsOf('node')).toEqual({ events: [], onAllCores: [undefined, undefined], seconds: [2, 2, 2, 2] });
});
