import { expect, test } from 'vitest';
import { refuseOtherOperations, versusSides } from '../../../../src/measure/session/one-build.ts';
import { suiteFor } from '../../../../src/model/suite/groups.ts';
import { restBinding, restService, usersSuite } from '../../../support/suite.ts';

const users = usersSuite();
const named = (path: string, ...names: readonly string[]) =>
  names.map((name) => ({
    ...{ name, share: 1 / names.length, arguments: [{}] },
    bindings: { rest: restBinding(`GET /${path}`) },
  }));

function suiteOf(orders: ReturnType<typeof named>, carts: ReturnType<typeof named>) {
  const groups = [
    { services: ['orders'], operations: orders },
    { services: ['carts'], operations: carts },
  ];
  return { ...users, services: ['orders', 'carts'], operations: [...orders, ...carts], groups };
}

test('services with other operations are not compared, and the refusal names both lists', () => {
  const suite = suiteOf(named('orders', 'List', 'Get'), named('carts', 'List'));

  expect(() => refuseOtherOperations(suite)).toThrow(
    'orders and carts have different operations, so they cannot be compared: List and Get, and List',
  );
  expect(() => refuseOtherOperations(users)).not.toThrow();
});

test('services with operations of the same names are, each with its own requests', async () => {
  const suite = suiteOf(named('orders', 'List', 'Get'), named('carts', 'Get', 'List'));
  const services = new Map(suite.services.map((name) => [name, restService(name)]));
  const files = { root: '.', suite, ownServices: suite.services, services, configHash: '', secrets: [] };

  expect(() => refuseOtherOperations(suite)).not.toThrow();
  const { suites } = await versusSides(files);
  const paths = [suites.base, suites.head].map(
    (side) => suiteFor(side.suite, 'carts').operations.find(({ name }) => name === 'Get')?.bindings.rest,
  );
  expect(paths).toMatchObject([{ path: '/orders' }, { path: '/carts' }]);
});
