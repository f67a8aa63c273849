import { describe, expect, it } from 'vitest';
import { chartLines, inOrder, seriesGroups } from '../../../site/model/grouping.ts';
import { choices, isNarrowed, searchRows, selected } from '../../../site/model/selection.ts';
import { parseState } from '../../../site/model/state.ts';
import { seriesLabel } from '../../../site/model/words.ts';
import type { Series } from '../../../src/history/store/entry.ts';
import { aSeries } from './runs.ts';

const ALL: readonly Series[] = ['grpc', 'rest'].flatMap((service) =>
  ['GetUser', 'all'].flatMap((operation) =>
    ['saturation', 'low', 'high'].flatMap((tier) =>
      ['cpuMicrosPerRequest', 'latencyP95Ms'].map((metric) => aSeries({ service, operation, tier, metric })),
    ),
  ),
);

describe('the selection', () => {
  const rows = searchRows(ALL);

  it.each([
    [{}, 24],
    [{ service: 'rest' }, 12],
    [{ service: 'rest', tier: 'low', metric: 'latencyP95Ms' }, 2],
    [{ service: 'unknown' }, 0],
    [{ query: 'REST p95' }, 6],
    [{ query: '  cpu   grpc saturation ' }, 2],
    [{ query: 'all operations', tier: 'low' }, 4],
    [{ query: 'nothing such' }, 0],
  ])('of %j has %i series', (part, count) => {
    expect(selected(rows, { ...parseState(''), ...part }).size).toBe(count);
  });

  it('knows whether it leaves anything out', () => {
    expect(isNarrowed({ ...parseState(''), query: ' ' })).toBe(false);
    expect(isNarrowed({ ...parseState(''), tier: 'low' })).toBe(true);
    expect(choices(ALL, 'service')).toEqual(['grpc', 'rest']);
  });
});

describe('groups', () => {
  it('have all operations first, tiers by their load, and a heading for each service and operation', () => {
    expect(seriesGroups(ALL).map(({ title }) => title)).toEqual([
      'gRPC, all operations',
      'gRPC, GetUser',
      'REST, all operations',
      'REST, GetUser',
    ]);
    expect(
      inOrder(ALL)
        .slice(0, 6)
        .map(({ tier }) => tier),
    ).toEqual(['low', 'low', 'high', 'high', 'saturation', 'saturation']);
  });

  it('say that a series is of a member of a service, and not of the service', () => {
    const series = aSeries({ operation: '.orders', metric: 'cpuMicrosPerRequest', unit: 'µs' });

    expect(seriesGroups([series]).map(({ title }) => title)).toEqual(['REST, member orders']);
    expect(seriesLabel(series)).toBe('REST, member orders, high: CPU time per request');
    expect(selected(searchRows([series, aSeries()]), { ...parseState(''), query: 'member cpu' }).size).toBe(1);
  });

  it('name the suite where there are several', () => {
    expect(seriesGroups([aSeries(), aSeries({ suite: 'orders' })]).map(({ title }) => title)).toEqual([
      'users: REST, all operations',
      'orders: REST, all operations',
    ]);
  });

  it('put all services and tiers of an operation and metric into one chart', () => {
    const lines = chartLines(ALL, aSeries({ tier: 'low' }));

    expect(lines.map(({ series: { service, tier } }) => `${service} ${tier}`)).toEqual([
      'grpc low',
      'grpc high',
      'grpc saturation',
      'rest low',
      'rest high',
      'rest saturation',
    ]);
    expect(new Set(lines.map(({ color, dash }) => `${color} ${dash}`)).size).toBe(6);
    expect(lines.every(({ series }) => series.metric === 'latencyP95Ms' && series.operation === 'all')).toBe(true);
  });

  it('never leave the chosen series out of a crowded chart', () => {
    const many = Array.from({ length: 40 }, (_, index) => aSeries({ service: `s${index}` }));
    const lines = chartLines(many, aSeries({ service: 's39' }));

    expect(lines).toHaveLength(12);
    expect(lines.some(({ series }) => series.service === 's39')).toBe(true);
  });

  it('do not mix figures of two units', () => {
    expect(chartLines([aSeries(), aSeries({ tier: 'low', unit: 's' })], aSeries())).toHaveLength(1);
  });
});
