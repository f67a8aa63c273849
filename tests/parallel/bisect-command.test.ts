import { describe, expect, it, vi } from 'vitest';
import { bisect } from '../../src/commands/measure/bisect.ts';
import type { compare } from '../../src/commands/measure/compare.ts';
import { EnvironmentError, MeasurementError } from '../../src/foundation/errors.ts';
import { commitsBetween } from '../../src/host/git/commits.ts';
import { changeAnswer, type Finding } from '../../src/judge/verdict/finding.ts';
import { DEFAULT_POLICY, isGate, thresholdOf } from '../../src/model/policy.ts';
import { useVersions } from '../integration/git-versions.ts';
import { catchPrinted } from '../support/printed.ts';
import { finding } from '../support/sample-findings.ts';

const bench = useVersions();
const printed = catchPrinted();

type BisectFlags = Parameters<typeof bisect>[0];

const FLAGS: BisectFlags = {
  good: '',
  bad: 'HEAD',
  profile: 'quick',
  budget: 3600,
  runtime: 'process',
  out: 'out/bisect',
};

type Flags = Parameters<typeof compare>[0];

/** A repository with so many commits after a good one, and a comparison that says of a commit by its place, from 1, what was found. */
function scene(count: number, findingsAt: (place: number, flags: Flags) => readonly Finding[]) {
  const { repository } = bench.scene;
  vi.spyOn(process, 'cwd').mockReturnValue(repository);
  const good = bench.scene.git('rev-parse', 'HEAD');
  const commits = Array.from({ length: count }, (_, index) => {
    bench.scene.commit(`Change ${index + 1}`);
    return bench.scene.git('rev-parse', 'HEAD');
  });
  const requested: Flags[] = [];
  const compareVersions = async (flags: Flags) => {
    requested.push(flags);
    const findings = findingsAt(commits.indexOf(flags.head ?? '') + 1, flags);
    return { exitCode: 0, written: { judgment: { compared: { answers: findings.map(changeAnswer) } }, reports: [] } };
  };
  const search = (flags: Partial<BisectFlags> = {}) =>
    bisect({ ...FLAGS, good, ...flags }, compareVersions as unknown as typeof compare);
  return { good, commits, requested, search };
}

const changed = (estimate: number) => ({ change: { estimate, low: estimate - 0.01, high: estimate + 0.01 } });

const STEP = (first: number) => (place: number) => [
  finding(changed(place >= first ? 0.06 : 0)),
  finding({ metric: 'latencyP50Ms', ...changed(0.01) }, { service: 'grpc' }),
];

describe('wiregauge bisect', () => {
  it('finds the commit, and follows what got worse most surely in its service alone', async () => {
    const { good, requested, search } = scene(12, STEP(5));

    expect(await search()).toBe(0);
    expect(printed.all).toContain('12 commits after');
    expect(printed.all).toMatch(
      /First worse commit \(probability 9\d(\.\d+)?%\): rest: service CPU time per request \+6\.0%/,
    );
    expect(printed.all).toMatch(/^ {2}[0-9a-f]{7} Change 5$/m);
    expect(requested[0]).toMatchObject({
      ...{ base: good, profile: 'quick', services: undefined, out: 'out/bisect/1', profiler: 'auto', counts: true },
    });
    expect(requested[1]).toMatchObject({
      ...{ base: good, services: ['rest'], out: 'out/bisect/2', profiler: 'none', counts: false },
    });
  });

  it('lets what it follows alone decide when a comparison ends, by half of the change', async () => {
    const { requested, search } = scene(4, STEP(2));
    await search();
    const usual = { ...DEFAULT_POLICY, budgets: [{ metric: 'latencyP95Ms', limit: 5 }] };
    const policy = requested[1]?.changedPolicy?.(usual) ?? usual;
    const cell = { suite: 'users', service: 'rest', operation: 'all', tier: 'saturation' };
    const gates = (metric: string, tier = 'saturation') => isGate(policy, { cell: { ...cell, tier }, metric }, true);

    expect(requested[0]?.changedPolicy).toBeUndefined();
    expect(gates('cpuMicrosPerRequest')).toBe(true);
    expect(thresholdOf(policy, { cell, metric: 'cpuMicrosPerRequest' })).toBe(0.03);
    expect(gates('latencyP50Ms') || gates('cpuMicrosPerRequest', 'medium')).toBe(false);
    expect(policy.budgets).toEqual([]);
  });

  it('follows a metric and a service that were asked for', async () => {
    const { requested, search } = scene(4, (place) => [
      finding(changed(0.2)),
      finding({ metric: 'achievedRps', better: 'higher', ...changed(place >= 2 ? -0.06 : 0) }, { service: 'grpc' }),
    ]);

    expect(await search({ metric: 'rps', service: 'grpc', json: true })).toBe(0);
    const data = JSON.parse(printed.out);
    expect(data).toMatchObject({ outcome: 'found', metric: 'achievedRps', service: 'grpc' });
    expect(data.commits).toMatchObject([{ subject: 'Change 2' }]);
    expect(requested.every(({ services, counts }) => services?.[0] === 'grpc' && counts === false)).toBe(true);
  });

  it('counts instructions alone as soon as they are what it follows', async () => {
    const { requested, search } = scene(4, (place) => [
      finding({ metric: 'instructionsPerRequest', ...changed(place >= 2 ? 0.03 : 0) }, { tier: 'all' }),
    ]);

    expect(await search()).toBe(0);
    expect(requested.map(({ profile }) => profile).slice(0, 2)).toEqual(['quick', 'instructions']);
    expect(requested.map(({ counts }) => counts).slice(0, 2)).toEqual([true, true]);
  });

  it('passes a commit that does not build, but not a machine that cannot measure', async () => {
    const breaking = (thrown: Error) => (place: number) => {
      if (place === 2) {
        throw thrown;
      }
      return STEP(3)(place);
    };
    const broken = scene(4, breaking(new MeasurementError('rest: it does not build', { next: 'Look.' })));

    expect(await broken.search()).toBe(0);
    expect(printed.all).toContain('cannot be compared: rest: it does not build');
    expect(printed.all).toContain('1 commit could not be compared');

    const unfit = scene(4, breaking(new EnvironmentError('the engine does not answer', { next: 'Start it.' })));
    await expect(unfit.search()).rejects.toThrow('the engine does not answer');
  });

  it('says that nothing is worse, or that there is no such figure, and fails', async () => {
    const same = scene(4, () => [finding(changed(0))]);
    expect(await same.search()).toBe(2);
    expect(printed.all).toMatch(/HEAD is not worse than [0-9a-f]{40}: rest: service CPU time per request 0%/);

    const without = scene(4, () => []);
    await expect(without.search({ service: 'grpc' })).rejects.toThrow('has no figures of grpc');
  });

  it('begins nothing that has no time', async () => {
    const { requested, search } = scene(4, STEP(2));

    expect(await search({ budget: -1 })).toBe(2);
    expect(printed.all).toContain('The search ended without a result');
    expect(requested).toEqual([]);
  });

  it('refuses a metric that there is none of, and commits in the wrong order', async () => {
    const { good, commits, search } = scene(2, STEP(1));

    await expect(search({ metric: 'speed' })).rejects.toThrow('there is no metric "speed"');
    await expect(search({ good: 'HEAD', bad: good })).rejects.toThrow('is not an ancestor of');
    await expect(search({ good: 'HEAD' })).rejects.toThrow('is not an ancestor of');
    await expect(search({ good: 'nothing' })).rejects.toMatchObject({ name: 'ConfigError' });
    expect(await commitsBetween(bench.scene.repository, good, 'HEAD')).toEqual({
      good,
      commits: commits.map((commit, index) => ({ commit, subject: `Change ${index + 1}` })),
    });
  });
});
