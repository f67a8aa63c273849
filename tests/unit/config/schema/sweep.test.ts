import { describe, expect, it } from 'vitest';
import { parseProject } from '../../../../src/config/parse.ts';

const SWEEP = `sweep:
  argument: count
  title: objects
  panels:
    - { title: Both, services: [one, two] }
`;

function project(sweep: string, operation = 'arguments: [{ count: 5 }, { count: 5, kind: a }]') {
  const text = `services:
  one: { protocol: rest, port: 8080, image: nginx:1.27 }
  two: { protocol: rest, port: 8081, image: nginx:1.27 }
operations:
  - { name: Five, rest: GET /, ${operation} }
  - { name: Other, rest: GET /other }
tiers:
  - { name: five, users: 2, limitSeconds: 1, operations: [Five] }
  - { name: both, users: 2, limitSeconds: 1 }
${sweep}`;
  return parseProject({ file: 'wiregauge.yml', text }).suite;
}

describe('sweep', () => {
  it('is an argument, and panels of services', () => {
    expect(project(SWEEP).sweep).toEqual({
      argument: 'count',
      title: 'objects',
      panels: [{ title: 'Both', services: ['one', 'two'] }],
    });
    expect(project('').sweep).toBeUndefined();
  });

  it.each([
    [
      'a service that is not in the suite',
      SWEEP.replace('two]', 'twe]'),
      /^wiregauge\.yml:14:\d+: sweep\.panels\.0\.services\.1: there is no service twe in this suite$/,
    ],
    [
      'an argument that is not there',
      SWEEP.replace('count', 'number'),
      /^wiregauge\.yml:11:\d+: sweep\.argument: no tier has a single operation whose number is one number above 0$/,
    ],
    ['a service twice', SWEEP.replace('two]', 'one]'), /sweep\.panels\.0\.services: must not contain duplicates$/],
    [
      'two panels of one title',
      `${SWEEP}    - { title: Both, services: [one] }\n`,
      /sweep\.panels: must not contain two panels with the same title$/,
    ],
    ['no panels', 'sweep: { argument: count, title: objects, panels: [] }\n', /sweep\.panels: /],
    ['no title', SWEEP.replace('  title: objects\n', ''), /sweep\.title: is missing$/],
  ])('refuses %s, with the place', (_what, sweep, message) => {
    expect(() => project(sweep)).toThrow(message);
  });

  it.each([
    ['two]', 'twe]', 'Did you mean two?'],
    ['count', 'number', 'Set `operations` in each tier'],
  ])('says what to do about %s as %s', (right, wrong, next) => {
    const refused = () => project(SWEEP.replace(right, wrong));

    expect(refused).toThrow(expect.objectContaining({ next: expect.stringContaining(next) }));
  });

  it.each([
    ['are two numbers', 'arguments: [{ count: 5 }, { count: 6 }]'],
    ['are no number', 'arguments: [{ count: five }]'],
    ['are nothing', 'arguments: [{ count: 0 }]'],
    ['are left out in one of them', 'arguments: [{ count: 5 }, {}]'],
  ])('refuses arguments that %s', (_what, operation) => {
    expect(() => project(SWEEP, operation)).toThrow(/sweep\.argument: no tier has a single operation/);
  });
});
