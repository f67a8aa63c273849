import { type ChildProcess, spawn } from 'node:child_process';
import { afterEach, expect, test } from 'vitest';
import { EnvironmentError } from '../../../../src/foundation/errors.ts';
import { compareVersions } from '../../../../src/measure/plans/compare.ts';
import { type RoundBench, versionTrial } from '../../../../src/measure/trial/versions.ts';
import { parseRun } from '../../../../src/model/run/run.ts';
import type { Member, Service } from '../../../../src/model/service.ts';
import { fakeRounds } from '../../../support/fake-rounds.ts';

/** Above the highest number of a process. */
const NOBODY = 2 ** 22 + 1;

let child: ChildProcess | undefined;
afterEach(() => child?.kill());

interface Try {
  readonly readySeconds?: number;
  readonly canMove?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
  readonly services?: readonly string[];
  readonly versus?: RoundBench['versus'];
  readonly members?: Service['members'];
}

/** Rounds of a program with a name, whose head is ready after 15 s; with what happened to its cores. */
async function roundsOf(
  program: string,
  { readySeconds = 15, canMove = true, environment = {}, services = ['first'], versus, members }: Try = {},
) {
  child = spawn('sleep', ['60'], { argv0: program });
  // The program of a service with members is the last of them.
  const processes = [...(members === undefined ? [] : [NOBODY]), child.pid ?? 0];
  const events: string[] = [];
  const requested: unknown[] = [];
  let startedMs = 0;
  const isReady = (): boolean => fake.bench.clock.steadyMs() - startedMs >= readySeconds * 1000;
  const fake = fakeRounds({
    head: { replies: (_, call) => ({ status: isReady() ? '200' : '503', body: { call } }) },
  });
  const { base, head } = fake.bench.versions;
  const start: typeof head.runtime.start = async (...how) => {
    startedMs = fake.bench.clock.steadyMs();
    requested.push(how[0].compiler);
    const onAllCores = async (): Promise<AsyncDisposable> => {
      if (!canMove) {
        throw new EnvironmentError('its cores cannot be changed');
      }
      events.push('all cores');
      return { [Symbol.asyncDispose]: async () => void events.push(isReady() ? 'pinned' : 'pinned too soon') };
    };
    return { ...(await head.runtime.start(...how)), processes, onAllCores };
  };
  const own = new Map(
    [...head.services].map(([name, service]) => [name, { ...service, environment, members }] as const),
  );
  const versions = { base, head: { ...head, services: own, runtime: { ...head.runtime, start } } };
  const profile = { ...fake.bench.profile, saturationSeconds: 2, looks: [{ rounds: 2, spent: 1 }] };
  const suite = { ...fake.bench.suite, services };
  const { samples } = await compareVersions({ ...fake.bench, versions, profile, suite, versus }, fake.head);
  const seconds = samples.filter(({ cell }) => cell.tier === 'saturation' && cell.operation === 'all');
  const { rounds } = parseRun(fake.written.at(-1) ?? '', 'run.json').rounds ?? expect.fail('no rounds');
  return {
    forecasts: fake.lines.filter((line) => line.includes('as long as planned')),
    events,
    requested,
    compilers: rounds.map(({ compiler }) => compiler),
    onAllCores: rounds.map((round) => round.onAllCores),
    seconds: seconds.map(({ measuredSeconds }) => Math.round(measuredSeconds)),
  };
}

const STARTED_ON_ALL_CORES = {
  // Once for the start, once for the warm-up.
  events: ['all cores', 'pinned', 'all cores', 'pinned', 'all cores', 'pinned', 'all cores', 'pinned'],
  requested: ['C1', 'C1'],
  onAllCores: [['head'], ['head']],
  seconds: [2, 2, 6, 6],
};

test.each([
  ['java', ['C1', 'C1']],
  ['/usr/bin/dotnet', [undefined, undefined]],
])('%s starts and warms up on all cores if it starts slowly, and is measured longer', async (program, compilers) => {
  expect(await roundsOf(program)).toMatchObject({ ...STARTED_ON_ALL_CORES, compilers });
});

const AS_IT_RUNS = { events: [], onAllCores: [undefined, undefined], seconds: [2, 2, 6, 6] };

test('a program that cannot be moved starts as it runs', async () => {
  const compiled = { requested: ['C1', 'C1'], compilers: ['C1', 'C1'] };

  expect(await roundsOf('java', { canMove: false })).toMatchObject({ ...AS_IT_RUNS, ...compiled });
});

test('a program that would compute with all cores starts as it runs', async () => {
  const compiled = { requested: ['C1', 'C1'], compilers: [undefined, undefined] };

  expect(await roundsOf('node')).toMatchObject({ ...AS_IT_RUNS, ...compiled });
});

test('a service that is compared with another one compiles as it does', async () => {
  const compiled = { requested: [undefined, undefined], compilers: [undefined, undefined] };

  expect(await roundsOf('java', { versus: { reference: 'second' } })).toMatchObject({
    ...STARTED_ON_ALL_CORES,
    ...compiled,
  });
});

test('a service that says itself how its JVM compiles compiles so', async () => {
  const environment = { JAVA_TOOL_OPTIONS: '-Xmx64m -XX:TieredStopAtLevel=4' };
  const compiled = { requested: [undefined, undefined], compilers: [undefined, undefined] };

  expect(await roundsOf('java', { environment })).toMatchObject({ ...STARTED_ON_ALL_CORES, ...compiled });
});

test('members compile as the entry does, and count if the entry runs on something else', async () => {
  const member: Member = {
    ...{ name: 'stock', image: undefined, process: undefined, port: 0, environment: {}, needs: [], fresh: 'slot' },
    ready: { check: { kind: 'usual' }, timeoutSeconds: 20 },
  };
  const other = { ...member, environment: { JAVA_TOOL_OPTIONS: '-XX:TieredStopAtLevel=4' } };
  const compiledBy = async (members: readonly Member[]) => (await roundsOf('java', { members })).compilers;
  const { bench } = fakeRounds({});
  const { head } = bench.versions;
  const services = new Map([...head.services].map(([name, one]) => [name, { ...one, members: [member, other] }]));
  const versions = { ...bench.versions, head: { ...head, services } };

  const [subject] = versionTrial({ ...bench, versions }, 'first', ['head']).subjects;

  expect(subject?.service.members?.map(({ compiler }) => compiler)).toEqual(['C1', undefined]);
  expect(await compiledBy([member])).toEqual(['C1', 'C1']);
  expect(await compiledBy([other])).toEqual([undefined, undefined]);
});

test.each([
  [['first'], 'rounds take 2.0 times as long as planned: 2 rounds end after about 33 s'],
  [['first', 'second'], 'rounds take 2.0 times as long as planned: 2 rounds end after about 1 min 5 s'],
])(
  'rounds that take much longer than planned change the forecast, which is logged once: %j',
  async (services, line) => {
    const { forecasts } = await roundsOf('node', { readySeconds: 15, services });

    expect(forecasts).toEqual([line]);
  },
);
