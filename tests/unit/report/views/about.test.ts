import { describe, expect, it } from 'vitest';
import { aboutFinding, aboutOf, filtersOf } from '../../../../src/report/views/about.ts';
import { finding } from '../../../support/sample-findings.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';
import { sampleRun } from '../../../support/sample-run.ts';

const RUN = sampleRun({ services: ['rest', 'rest-development', 'grpc'] });

describe('what a row is about', () => {
  it('has the numbers of its services, its tier and its metric in the filters of the run', () => {
    const { services: s, tiers: t, metrics: m } = filtersOf(RUN, 'Changed only');

    const about = aboutOf(RUN, { services: ['grpc', 'rest'], tier: 'saturation', metric: 'latencyP95Ms' });

    const names = about.split(' ').map((word) => ({ s, t, m })[word[0] as 's' | 't' | 'm'][Number(word.slice(1))]);
    expect(names).toEqual(['gRPC', 'REST', 'saturation', 'p95']);
  });

  it('has none for what the run does not know, such as all tiers together', () => {
    const about = aboutOf(RUN, { services: ['gone', 'grpc'], tier: 'all', metric: 'of-others' });

    expect(about).toBe('s2');
  });

  it.each([
    ['regressed', { verdict: 'regressed', accepted: undefined }, true],
    ['improved', { verdict: 'improved' }, true],
    ['slower, below the threshold', { verdict: 'slower-within-limit' }, true],
    ['unchanged', { verdict: 'unchanged' }, false],
    ['inconclusive', { verdict: 'inconclusive', reason: 'too-noisy', moreRounds: 3 }, false],
  ] as const)('has changed if its verdict says so: %s', (_words, said, isChanged) => {
    expect(aboutFinding({ run: sampleRounds() }, finding(said))).toMatch(isChanged ? /^s0 .*c1$/ : /^s0 .*c0$/);
  });

  it('cannot be said of figures that were measured elsewhere', () => {
    expect(aboutFinding({ run: undefined }, finding())).toBeUndefined();
  });
});
