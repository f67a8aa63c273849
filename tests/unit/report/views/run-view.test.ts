import { describe, expect, test } from 'vitest';
import { tierLabels, viewRun } from '../../../../src/report/views/run-view.ts';
import { sampleRun } from '../../../support/sample-run.ts';

/** The labels of services with these names and titles. */
function labelsOf(services: readonly (readonly [name: string, title: string])[]): readonly string[] {
  const run = sampleRun();
  const [first = expect.unreachable()] = run.services;
  return viewRun({ ...run, services: services.map(([name, title]) => ({ ...first, name, title })) }).services.map(
    ({ label }) => label,
  );
}

describe('the label of a tier', () => {
  const run = sampleRun();
  const users = { spawnPerSecond: 10, thinkSeconds: 0.3 };
  const rate = { rampSeconds: 10, inFlight: 100 };
  const tiers = [
    { name: 'low', users: 100, ...users },
    { name: 'slow', users: 100, ...users },
    { name: 'peak', requestsPerSecond: 1600, ...rate },
    { name: 'burst', requestsPerSecond: 800, ...rate },
  ];
  const view = viewRun({ ...run, suite: { ...run.suite, tiers } });

  test('is what it offers, with its name if another offers as much', () => {
    expect(view.tiers.map(({ label }) => label)).toEqual([
      '100 users (low)',
      '100 users (slow)',
      '1,600/s',
      '800/s',
      'saturation',
    ]);
  });

  test('has its name in its title, which saturation does not need', () => {
    expect(view.tiers.map(({ title }) => title)).toEqual([
      '100 users (low)',
      '100 users (slow)',
      '1,600/s (peak)',
      '800/s (burst)',
      'saturation',
    ]);
  });

  test('has the distance of its services, and so has saturation', () => {
    const network = { rttMs: 20, by: 'driver' } as const;
    const far = viewRun({
      ...run,
      suite: { ...run.suite, network, tiers: tiers.map((tier) => ({ ...tier, network })) },
    });

    expect(far.tiers.map(({ label }) => label)).toEqual([
      '100 users with rtt 20 ms (low)',
      '100 users with rtt 20 ms (slow)',
      '1,600/s with rtt 20 ms',
      '800/s with rtt 20 ms',
      'saturation with rtt 20 ms',
    ]);
    expect(tierLabels(far, ['peak', 'burst'])).toBe('1,600/s with rtt 20 ms and 800/s with rtt 20 ms');
  });

  test('is next to those of other tiers', () => {
    expect(tierLabels(view, ['peak', 'burst'])).toBe('1,600/s and 800/s');
  });
});

describe('the label of a service', () => {
  test.each([
    ['its title, also if it is the only one', [['pages', 'Static pages']], ['Static pages']],
    ['its name if it has no title', [['pages', 'pages']], ['pages']],
    ['the protocol for a reference service', [['rest', 'REST (Flask, gunicorn)']], ['REST']],
    ['the protocol and the rest of its name', [['rest-development', 'REST (Flask)']], ['REST development']],
    [
      'its name if two have one title',
      [
        ['a', 'Shop'],
        ['b', 'Shop'],
      ],
      ['a', 'b'],
    ],
    [
      'its name if its title is the name of another',
      [
        ['a', 'b'],
        ['b', 'Shop'],
      ],
      ['a', 'Shop'],
    ],
    [
      'its name if its title is the word for the other one',
      [
        ['rest', 'Flask'],
        ['a', 'REST'],
      ],
      ['REST', 'a'],
    ],
    [
      'its name if its title could be markup',
      [
        ['a', '[x](https://example.com)'],
        ['b', '<b>'],
      ],
      ['a', 'b'],
    ],
    ['its name if its title is long', [['a', 'x'.repeat(41)]], ['a']],
  ] as const)('is %s', (_what, services, labels) => {
    expect(labelsOf(services)).toEqual(labels);
  });
});

test('the view has what the run was to load, and no more', () => {
  const run = sampleRun();
  const loadsOf = (...modes: ('open' | 'saturate')[]) =>
    viewRun({ ...run, plan: { ...run.plan, modes } }).tiers.map(({ name }) => name);

  expect(loadsOf('saturate')).toEqual(['saturation']);
  expect(loadsOf('open')).toEqual(run.suite.tiers.map(({ name }) => name));
  expect(loadsOf('open', 'saturate')).toEqual([...loadsOf('open'), 'saturation']);
});
