import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type ConfigFiles, placesIn } from '../../../src/project/places.ts';

const users = `${readFileSync('suites/users.yml', 'utf8')}policy:
  budgets:
    - { metric: p95, atMost: 50 }
    - { metric: p50, atMost: 20 }
`;
const lines = users.split('\n');
const lineWith = (words: string) => lines.findIndex((line) => line.includes(words)) + 1;

const suite = { path: 'suites/users.yml', text: users };
const FILES: ConfigFiles = {
  suite,
  services: new Map([
    ['rest', { path: 'services/rest/service.yml', text: '# A manifest\nname: rest\n', steps: ['name'] }],
  ]),
  accepted: { path: '.wiregauge/accepted.yml', text: '- metric: p95\n  why: so\n- metric: p50\n' },
  policy: undefined,
};

const cell = (place: { service?: string; operation?: string; tier?: string }) => ({
  suite: 'users',
  service: 'rest',
  operation: 'all',
  tier: 'saturation',
  ...place,
});

describe('placesIn', () => {
  test.each([
    ['an operation', { operation: 'ListUsers', tier: 'high' }, lineWith('name: ListUsers')],
    ['an operation at all tiers', { operation: 'GetUser', tier: 'all' }, lineWith('name: GetUser')],
    ['all operations at a tier', { tier: 'medium' }, lineWith('name: medium')],
    ['all operations at saturation', {}, lineWith('saturation:')],
  ])('leads from a finding of %s to its line', (_what, place, line) => {
    expect(placesIn(FILES).cell(cell(place))).toEqual({ path: suite.path, line });
  });

  test('leads from a finding of a whole service to its manifest', () => {
    const path = 'services/rest/service.yml';

    expect(placesIn(FILES).cell(cell({ tier: 'all' }))).toEqual({ path, line: 2 });
  });

  test('has no line for what the suite does not have, and no place for an unknown service', () => {
    expect(placesIn(FILES).cell(cell({ operation: 'Gone' }))).toEqual({ path: suite.path });
    expect(placesIn(FILES).cell(cell({ service: 'unknown', tier: 'all' }))).toBeUndefined();
  });

  test('finds budgets and acceptances by their number', () => {
    const places = placesIn(FILES);

    expect(places.budget(1)).toEqual({ path: suite.path, line: lineWith('metric: p50') });
    expect(places.acceptance(1)).toEqual({ path: '.wiregauge/accepted.yml', line: 3 });
    expect(places.acceptance(-1)).toEqual({ path: '.wiregauge/accepted.yml' });
  });

  test('finds the lists of a policy file in that file, and the others where they were', () => {
    const policy = { path: 'strict.yml', text: 'alpha: 1%\nbudgets:\n  - { metric: p95, atMost: 5 }\n' };
    const places = placesIn({ ...FILES, policy });

    expect(places.budget(0)).toEqual({ path: 'strict.yml', line: 3 });
    expect(places.acceptance(0)).toEqual({ path: '.wiregauge/accepted.yml', line: 1 });
  });

  test('names no line of another file for the list of a policy file that lies outside of the repository', () => {
    const policy = { path: undefined, text: 'budgets:\n  - { metric: p95, atMost: 5 }\n' };

    expect(placesIn({ ...FILES, policy }).budget(0)).toBeUndefined();
  });

  test.each([undefined, '', 'operations: ['])('gives the path alone of a file that has %j', (text) => {
    const places = placesIn({ ...FILES, suite: { path: suite.path, text } });

    expect(places.suite).toEqual({ path: suite.path });
    expect(places.cell(cell({ operation: 'GetUser' }))).toEqual({ path: suite.path });
    expect(places.budget(0)).toEqual({ path: suite.path });
  });
});
