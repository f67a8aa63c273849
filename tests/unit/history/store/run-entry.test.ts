import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decodeHistogram, mergeHistograms } from '../../../../src/foundation/histogram.ts';
import { columnsLine } from '../../../../src/history/store/entry.ts';
import { entryOf, identityOf } from '../../../../src/history/store/run-entry.ts';
import { appendedAll, readSegment, runHistograms } from '../../../../src/history/store/segment.ts';
import type { HistoryResult } from '../../../../src/judge/stored/comparison.ts';
import { judgeByStored } from '../../../../src/judge/stored/judge.ts';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { DEFAULT_POLICY } from '../../../../src/model/policy.ts';
import { listsOf } from '../../../support/result-lists.ts';
import { servicesWithMembers, withMembers } from '../../../support/sample-members.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';
import { judgedAgainstBaseline, sampleRun } from '../../../support/sample-run.ts';
import { storedRunOf } from '../../../support/stored-run.ts';

const FACTS = { run: 'a', branch: 'main', subject: 'Cache\u001b[31m users', committedAt: '2026-11-21T10:58:00+01:00' };

describe('the entry of a run', () => {
  it('has the medians over the rounds, and a spread from 3 rounds on', () => {
    const one = entryOf(sampleRun({ rounds: 1 }), FACTS);
    const three = entryOf(sampleRun({ rounds: 3 }), FACTS);

    expect(new Set(one.spreads)).toEqual(new Set([null]));
    expect(three.spreads.filter((spread) => spread !== null && spread > 0).length).toBeGreaterThan(10);
    expect(three).toMatchObject({ kind: 'run', rounds: 3, suite: 'users', branch: 'main', tags: [] });
  });

  it('says what services and operations were named before, and no hashes', () => {
    const { suite } = sampleRun();
    const names = { services: { rest: ['api'] }, operations: { ListUsers: ['GetUsers'] } };
    const run = sampleRun({ change: { suite: { ...suite, wasNamed: { ...names, configHashes: ['abc'] } } } });
    const entry = entryOf(run, FACTS);

    expect(entry.wasNamed).toEqual(names);
    expect(readSegment(appendedAll('', [entry], 'a'), 'a')).toEqual([entry]);
    expect(entryOf(sampleRun(), FACTS)).not.toHaveProperty('wasNamed');
  });

  it('says what its tiers ask for, in the words of reports', () => {
    const entry = entryOf(sampleRun(), FACTS);
    const loads = new Map(entry.series.map(({ tier, load }) => [tier, load]));

    expect(Object.fromEntries(loads)).toEqual({
      low: '100 users',
      medium: '500 users',
      high: '1,000 users',
      saturation: undefined,
      all: undefined,
    });
    expect(readSegment(appendedAll('', [entry], 'a'), 'a')).toEqual([entry]);
  });

  it('says of the commit what git says, without control characters', () => {
    expect(entryOf(sampleRun(), FACTS).commit).toMatchObject({
      subject: 'Cache [31m users',
      at: '2026-11-21T09:58:00.000Z',
    });
  });

  it.each(['2023-11-19T02:52:20+99:99', '10000-01-01T00:01:40+00:00', ''])(
    'has no time of its commit where that is none: %j',
    (committedAt) => {
      const entry = entryOf(sampleRun(), { ...FACTS, committedAt });

      expect(entry.commit).toMatchObject({ subject: 'Cache [31m users' });
      expect(entry.commit).not.toHaveProperty('at');
      expect(readSegment(appendedAll('', [entry], 'x'), 'x')).toEqual([entry]);
    },
  );

  it('is read from a segment as it was added', () => {
    const entry = entryOf(sampleRun({ rounds: 3 }), {
      ...FACTS,
      tags: ['v1'],
      pullRequest: 3,
      links: { run: 'https://x' },
    });

    expect(readSegment(appendedAll('', [entry], 'x'), 'x')).toEqual([entry]);
  });

  it.each([
    [{ image: 'ubuntu24-20261101.1' }, 'ubuntu24-20261101.1'],
    [{ image: 'a\u001b[31m'.padEnd(2000, 'x') }, `a [31m${'x'.repeat(393)}…`],
    [{}, undefined],
  ])('has the image of the runner that measured it: %#', (change, image) => {
    const run = sampleRun();
    const entry = entryOf({ ...run, runner: { ...run.runner, ...change } }, FACTS);

    expect(entry.runner?.image).toBe(image);
    expect(readSegment(appendedAll('', [entry], 'x'), 'x')).toEqual([entry]);
  });

  it('has nothing but the error rate of cells that are else no measure of their service', () => {
    const run = sampleRun();
    const samples = run.samples.map((sample) =>
      sample.cell.tier === 'high' ? { ...sample, marks: ['saturated' as const] } : sample,
    );

    const { series } = entryOf({ ...run, samples }, FACTS);
    const own = (name: string) =>
      series
        .filter(({ service, tier }) => service === 'rest' && tier === name)
        .map(({ operation, metric }) => `${operation} ${metric}`);

    expect(own('high')).toEqual(['all errorRate']);
    expect(own('low').length).toBeGreaterThan(5);
  });

  it('is suspicious where half of the requests fail, from the second run on', () => {
    const first = sampleRun({ change: { startedAt: '2026-11-01T00:00:00Z' } });
    const run = sampleRun({ shapes: { 'rest/high': { errorRate: 0.5, held: 0.5, marks: ['saturated', 'failing'] } } });
    const runs = [storedRunOf(first)];
    const against = judgeByStored(run, runs, DEFAULT_POLICY);

    const entry = entryOf(run, { ...FACTS, against });

    const said = entry.verdicts.map(({ series, verdict, ...rest }) => [entry.series[series], verdict, rest]);
    expect(entry.outcome).toBe('suspicious');
    expect(said).toEqual([[expect.objectContaining({ tier: 'high', metric: 'errorRate' }), 'suspicious', {}]]);
    expect(readSegment(appendedAll('', [entry], 'x'), 'x')).toEqual([entry]);
  });

  it('names what was suspicious against the runs before', () => {
    const { run, against } = judgedAgainstBaseline();

    const entry = entryOf(run, { ...FACTS, against: against as HistoryResult });

    const named = entry.verdicts.map(({ series, verdict }) => [entry.series[series]?.metric, verdict]);
    expect(entry.outcome).toBe('suspicious');
    expect(named).toEqual([['cpuMicrosPerRequest', 'suspicious']]);
  });

  it('has no outcome if nothing could be compared', () => {
    const against = { past: judgedAgainstBaseline().against?.past, verdicts: [] } as unknown as HistoryResult;

    expect(entryOf(sampleRun(), { ...FACTS, against }).outcome).toBeUndefined();
    expect(entryOf(sampleRun(), FACTS).outcome).toBeUndefined();
  });

  it('is of another run where anything that makes it one differs', () => {
    const run = sampleRun();
    const others = [{ seed: run.seed + 1 }, { startedAt: '2026-01-01T00:00:00Z' }, { configHash: 'x' }].map((change) =>
      identityOf({ ...run, ...change }),
    );

    expect(new Set([identityOf(run), ...others]).size).toBe(4);
    expect(identityOf(structuredClone(run))).toBe(identityOf(run));
  });

  it('adds a few kilobytes', () => {
    const entry = entryOf(sampleRun({ rounds: 3 }), FACTS);
    const text = appendedAll('', [entry], 'x');
    const line = text.slice(columnsLine(1, entry.series).length);

    expect(line.length).toBeLessThan(4000);
    expect(gzipSync(line).length).toBeLessThan(2000);
  });
});

describe('the entry of a comparison', () => {
  it('has the outcome and every verdict that is not unchanged, of the figures that it has', () => {
    const run = sampleRounds({ rounds: 12 });
    const { outcome, findings } = listsOf(judgeRun(run));

    const entry = entryOf(run, FACTS);

    const names = new Set(
      entry.series.map(({ service, operation, tier, metric }) => [service, operation, tier, metric].join()),
    );
    const expected = findings
      .filter(({ verdict }) => verdict !== 'unchanged')
      .map(({ cell, metric, verdict }) => [[cell.service, cell.operation, cell.tier, metric].join(), verdict] as const)
      .filter(([name]) => names.has(name));
    const said = entry.verdicts.map(({ series, verdict }) => {
      const one = entry.series[series];
      return [[one?.service, one?.operation, one?.tier, one?.metric].join(), verdict] as const;
    });
    expect(entry).toMatchObject({ kind: 'compare', outcome });
    expect(entry.commit?.sha).toBe(run.rounds.head.commit);
    expect(said).toEqual(expected);
    expect(readSegment(appendedAll('', [entry], 'x'), 'x')).toEqual([entry]);
  });

  it('names errors that rose, though they have no relative change', () => {
    const errors = [{ service: 'rest' as const, tier: 'low', side: 'head' as const, rate: 0.5 }];

    const entry = entryOf(sampleRounds({ rounds: 12, errors }), FACTS);

    const said = entry.verdicts.map(({ series, ...rest }) => [entry.series[series], rest]);
    expect(entry.outcome).toBe('regressed');
    expect(said).toContainEqual([
      expect.objectContaining({ service: 'rest', operation: 'all', tier: 'low', metric: 'errorRate' }),
      { verdict: 'regressed' },
    ]);
  });
});

describe('the members of a service', () => {
  const run = sampleRun({ rounds: 3 });
  const chain = {
    ...run,
    services: servicesWithMembers(run.services),
    samples: run.samples.map((sample) => withMembers(sample)),
  };
  const entry = entryOf(chain, FACTS);
  const cpuOf = (operation: string) =>
    entry.series.flatMap(({ service, operation: own, tier, metric }, place) =>
      service === 'rest' && own === operation && metric === 'cpuMicrosPerRequest' ? [[tier, entry.values[place]]] : [],
    );

  it('have their CPU time for a request as series, at each load', () => {
    const whole = cpuOf('all');

    expect(whole.length).toBeGreaterThan(1);
    expect(cpuOf('.orders')).toEqual(
      whole.map(([tier, value]) => [tier, expect.closeTo(0.3 * Number(value), 2 - Math.log10(Number(value)))]),
    );
    expect(entry.series.filter(({ operation }) => operation.startsWith('.')).map(({ metric }) => metric)).toEqual(
      Array(3 * whole.length).fill('cpuMicrosPerRequest'),
    );
    expect(entry.series.length).toBe(entryOf(run, FACTS).series.length + 3 * whole.length);
    expect(readSegment(appendedAll('', [entry], 'x'), 'x')).toEqual([entry]);
  });

  it('are compared with their own past, and watched', () => {
    const stored = (day: number) => storedRunOf({ ...chain, startedAt: `2026-10-${day}T00:00:00Z` });
    const runs = Array.from({ length: 22 }, (_, index) => stored(10 + index));

    const { verdicts } = judgeByStored(chain, runs, DEFAULT_POLICY);

    const own = verdicts.filter((one) => 'comparison' in one && one.comparison.cell.operation === '.orders');
    expect(own.length).toBe(cpuOf('.orders').length);
    expect(own).toEqual(own.map(() => expect.objectContaining({ kind: 'judged', family: 'watch' })));
  });

  it('have the verdicts of a comparison', () => {
    const slower = sampleRounds({
      services: ['rest'],
      rounds: 20,
      mend: (sample) => withMembers(sample, { orders: 1.4 }),
    });

    const { series, verdicts } = entryOf({ ...slower, services: servicesWithMembers(slower.services) }, FACTS);

    const named = verdicts.map((one) => [series[one.series]?.operation, one.verdict]);
    expect(named).toContainEqual(['.orders', 'regressed']);
    expect(named.map(([operation]) => operation)).not.toContain('.gateway');
  });
});

describe('the distributions of a run', () => {
  it('have the quantiles of all rounds together within one per cent, in few bytes', () => {
    const run = sampleRun({ rounds: 3 });

    const cells = runHistograms(run);

    const own = run.samples.filter(
      ({ cell }) => `${cell.service}/${cell.operation}/${cell.tier}` === 'rest/all/medium',
    );
    const exact = decodeHistogram(mergeHistograms(own.map(({ histogram }) => histogram)));
    const kept = decodeHistogram(cells['rest/all/medium'] ?? '');
    expect(kept.requests).toBe(exact.requests);
    for (const share of [0.5, 0.9, 0.99]) {
      const ratio = (kept.quantileMs(share) ?? 0) / (exact.quantileMs(share) ?? 0);
      expect(Math.abs(Math.log(ratio))).toBeLessThan(0.015);
    }
    expect(JSON.stringify(cells).length).toBeLessThan(20_000);
  });
});
