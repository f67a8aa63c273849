import { describe, expect, test } from 'vitest';
import { presentNames } from '../../../src/model/suite/former-names.ts';

const NAMES = { services: { gateway: ['edge', 'api'] }, operations: { ListUsers: ['GetUsers'] } };

const renamed = (places: readonly (readonly [service: string, operation: string])[]) => {
  const all = places.map(([service, operation]) => ({ service, operation }));
  return all.map(presentNames(NAMES, all)).map(({ service, operation }) => `${service} ${operation}`);
};

describe('the names of today', () => {
  test('represent former ones, of services and of operations', () => {
    expect(
      renamed([
        ['api', 'all'],
        ['api', 'GetUsers'],
        ['web', 'GetUsers'],
      ]),
    ).toEqual(['gateway all', 'gateway ListUsers', 'web ListUsers']);
  });

  test('stay what they are in a run that has both', () => {
    expect(
      renamed([
        ['api', 'all'],
        ['gateway', 'all'],
      ]),
    ).toEqual(['api all', 'gateway all']);
    expect(
      renamed([
        ['web', 'GetUsers'],
        ['web', 'ListUsers'],
        ['api', 'GetUsers'],
      ]),
    ).toEqual(['web GetUsers', 'web ListUsers', 'gateway ListUsers']);
  });

  test('represent the newest former name that a run has, and only one', () => {
    expect(
      renamed([
        ['api', 'all'],
        ['edge', 'all'],
      ]),
    ).toEqual(['api all', 'gateway all']);
  });

  test('are no other ones if nothing was renamed', () => {
    const place = { service: 'api', operation: 'all', tier: 'low' };

    expect(presentNames(undefined, [place])(place)).toBe(place);
  });

  test('are not taken from what JavaScript gives to every object', () => {
    const place = { service: 'constructor', operation: 'toString' };

    expect(presentNames(NAMES, [place])(place)).toEqual(place);
  });
});
