import { describe, expect, it } from 'vitest';
import {
  buildDiagnoses,
  counterDiagnosis,
  engineDiagnosis,
  lockDiagnosis,
  machineDiagnoses,
  toolsDiagnosis,
  uncheckedEngineDiagnosis,
} from '../../../../src/commands/doctor/machine.ts';
import { gitDiagnoses, withoutCredentials, workflowDiagnoses } from '../../../../src/commands/doctor/repository.ts';

type MachineFacts = Parameters<typeof machineDiagnoses>[0];

const GOOD: MachineFacts = {
  cpuModel: 'a CPU',
  cores: 2,
  governor: 'performance',
  stealShare: 0.001,
  cgroup: 'v2',
  freeMemoryMiB: 4000,
  temporaryFolder: '/tmp',
  freeDiskMiB: 9000,
  lowestOutgoingPort: 32_768,
};

describe('the machine', () => {
  it('can count instructions if Valgrind is installed, and reports how to install it if not', () => {
    expect(counterDiagnosis({ version: '3.19.0', isForContainers: true })).toEqual({
      about: 'instructions',
      state: 'ok',
      says: 'Valgrind 3.19.0 can count them for plain processes and in containers',
    });
    expect(counterDiagnosis({ version: '3.19.0', isForContainers: false })).toMatchObject({
      state: 'warning',
      says: expect.stringContaining('not in containers'),
    });
    expect(counterDiagnosis(undefined)).toMatchObject({
      state: 'warning',
      next: expect.stringContaining('apt-get install -y valgrind'),
    });
  });

  it('is found good where all is well, and where nothing can be read', () => {
    const unknown = { governor: undefined, stealShare: undefined, freeMemoryMiB: undefined, freeDiskMiB: undefined };

    expect(machineDiagnoses(GOOD)).toHaveLength(7);
    expect(machineDiagnoses(GOOD).every(({ state }) => state === 'ok')).toBe(true);
    expect(machineDiagnoses({ ...GOOD, ...unknown }).map(({ about }) => about)).toEqual([
      'cores',
      'control groups',
      'ports',
    ]);
  });

  it.each<[string, Partial<MachineFacts>]>([
    ['cores', { cores: 1 }],
    ['CPU governor', { governor: 'powersave' }],
    ['CPU steal', { stealShare: 0.08 }],
    ['control groups', { cgroup: 'none' }],
    ['memory', { freeMemoryMiB: 300 }],
    ['disk', { freeDiskMiB: 100 }],
    ['ports', { lowestOutgoingPort: 1024 }],
  ])('has a warning, and a way out, of its %s', (about, worse) => {
    const warned = machineDiagnoses({ ...GOOD, ...worse }).filter(({ state }) => state !== 'ok');

    expect(warned).toMatchObject([{ about, state: 'warning', next: expect.stringMatching(/\w/) }]);
  });
});

describe('the engine', () => {
  const refusal = {
    ok: false,
    why: 'there is no socket',
    next: 'Start the engine, or not.',
    start: 'Start the engine.',
  } as const;

  it.each([
    [{ ok: true, version: '28.0' } as const, ['api'], 'ok'],
    [refusal, [], 'warning'],
    [refusal, ['api'], 'problem'],
  ] as const)('%j with %j in containers only is %s', (answer, only, state) => {
    expect(engineDiagnosis(answer, only, false)).toMatchObject({ state });
  });

  it('is a problem if it is asked for and does not answer', () => {
    expect(engineDiagnosis(refusal, [], true)).toEqual({
      about: 'Docker engine',
      state: 'problem',
      says: '--runtime docker: there is no socket',
      next: 'Start the engine, or not.',
    });
  });

  it('is not asked for plain processes, and missed only by what is a container alone', () => {
    expect(uncheckedEngineDiagnosis([])).toMatchObject({
      state: 'ok',
      says: expect.stringContaining('--runtime process'),
    });
    expect(uncheckedEngineDiagnosis(['db'])).toMatchObject({
      state: 'problem',
      next: expect.stringContaining('to db,'),
    });
  });
});

describe('the builds of images', () => {
  const builder = { name: 'default', driver: 'docker', state: 'running' };
  const good = { builder, usesBuildKit: false, folder: '/var/lib/docker', freeDiskMiB: 9000 };

  it.each([
    [good, 'ok', 'ok'],
    [{ ...good, builder: { ...builder, state: 'inactive' } }, 'ok', 'ok'],
    [{ ...good, builder: { ...builder, state: 'cannot connect' } }, 'warning', 'ok'],
    [{ ...good, builder: 'no buildx' as const }, 'warning', 'ok'],
    [{ ...good, builder: 'no program' as const }, 'warning', 'ok'],
    [{ ...good, freeDiskMiB: 100 }, 'ok', 'warning'],
  ])('%j: %s, with space: %s', (facts, builds, space) => {
    expect(buildDiagnoses(facts).map(({ about, state }) => [about, state])).toEqual([
      ['image builds', builds],
      ['image space', space],
    ]);
  });

  it('say what DOCKER_BUILDKIT=1 comes to without buildx', () => {
    const [found] = buildDiagnoses({ ...good, builder: 'no buildx', usesBuildKit: true, freeDiskMiB: undefined });

    expect(found?.says).toMatch(/cannot build from version 23 on/);
  });
});

it.each([
  [undefined, 'ok', 'no other measurement'],
  ['by process 7: `wiregauge run`, since 2026', 'warning', 'being measured by process 7'],
])('a machine lock that is had %s is %s', (holder, state, says) => {
  expect(lockDiagnosis(holder)).toMatchObject({ state, says: expect.stringContaining(says) });
});

it.each([
  ['good', undefined, /^ok: .* in \/cache$/],
  ['missing', 'go1.26', /^warning: .* downloads it; otherwise go1\.26 builds it$/],
  ['damaged', undefined, /^warning: .* was changed .* Go, which could build it, is missing$/],
] as const)('load tools that are %s, with Go %s: %s', (kind, go, required) => {
  const found = toolsDiagnosis({ title: 'the driver 1', state: kind, folder: '/cache' }, go);

  expect(`${found.state}: ${found.says}`).toMatch(required);
});

describe('the clone', () => {
  const clone = {
    kind: 'clone',
    checkout: '/x',
    isShallow: false,
    hasCommit: true,
    origin: 'https://x.test/y',
  } as const;

  it.each([
    [clone, ['ok', 'ok']],
    [{ ...clone, isShallow: true }, ['warning', 'ok']],
    [{ ...clone, origin: undefined }, ['ok', 'warning']],
    [{ ...clone, hasCommit: false }, ['warning']],
    [{ kind: 'none', why: 'no repository', next: undefined } as const, ['warning']],
  ])('%j: %j', (facts, states) => {
    expect(gitDiagnoses(facts).map(({ state }) => state)).toEqual(states);
  });

  it('is named without the credentials in its address', () => {
    expect(withoutCredentials('https://me:secret@x.test/y@z')).toBe('https://x.test/y@z');
    expect(withoutCredentials('git@x.test:y/z')).toBe('git@x.test:y/z');
  });
});

it.each([
  [{ hasToken: true, event: 'pull_request', isFork: false }, ['ok', 'ok']],
  [{ hasToken: true, event: 'pull_request', isFork: true }, ['ok', 'warning']],
  [{ hasToken: false, event: 'pull_request_target', isFork: false }, ['warning', 'warning']],
])('a workflow with %j: %j', (facts, states) => {
  expect(workflowDiagnoses(facts).map(({ state }) => state)).toEqual(states);
});
