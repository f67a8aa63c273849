import { describe, expect, test } from 'vitest';
import { parseProject } from '../../../../src/config/parse.ts';
import { suiteFor, suiteOfServices } from '../../../../src/model/suite/groups.ts';

const HEAD = '  protocol: rest, port: 8080, image: { context: . }';

/** A wiregauge.yml of services with their operations, if they have any, and whatever follows. */
function project(services: Readonly<Record<string, string>>, rest = '') {
  const entries = Object.entries(services).map(
    ([name, own]) => `  ${name}: { ${HEAD}${own === '' ? '' : `, operations: [${own}]`} }\n`,
  );
  const lines: string[] = [];
  const text = `services:\n${entries.join('')}${rest}`;
  const { suite } = parseProject({ file: 'wiregauge.yml', text }, { remark: (line) => lines.push(line) });
  return { suite, lines };
}

const LIST = '{ name: List, rest: GET /orders, weight: 3 }, { name: Get, rest: GET /orders/1 }';
const USERS = '{ name: List, rest: GET /users }';
const SHARED = 'operations: [{ name: Index, rest: GET / }]\n';

const requested = (suite: ReturnType<typeof project>['suite'], service: string) =>
  suiteFor(suite, service).operations.map(({ name, share }) => [name, share]);

describe('operations of single services', () => {
  test('are sent to them only, with their own weights, and others share those of the file', () => {
    const { suite } = project({ orders: LIST, a: '', users: USERS, b: '' }, SHARED);

    expect(requested(suite, 'orders')).toEqual([
      ['List', 0.75],
      ['Get', 0.25],
    ]);
    expect(requested(suite, 'users')).toEqual([['List', 1]]);
    expect(suite.groups?.map(({ services }) => services)).toEqual([['orders'], ['a', 'b'], ['users']]);
    expect(suite.operations.map(({ name }) => name)).toEqual(['List', 'Get', 'Index']);
  });

  test('keep the bindings of each service under one name', () => {
    const { suite } = project({ orders: LIST, users: USERS });
    const paths = ['orders', 'users'].map((name) => suiteFor(suite, name).operations[0]?.bindings.rest);

    expect(paths).toMatchObject([{ path: '/orders' }, { path: '/users' }]);
  });

  test('of the only service are those of the suite, as if they stood in the file', () => {
    const alone = project({ users: USERS }).suite;

    expect(alone).toEqual(project({ users: '' }, `operations: [${USERS}]\n`).suite);
    expect(alone.groups).toBeUndefined();
  });

  test.each([
    [
      'a service has none, nor the file',
      project.bind(null, { orders: LIST, users: '' }),
      /operations: is missing.*sent to users/,
    ],
    ['nobody is left for those of the file', project.bind(null, { orders: LIST }, SHARED), /operations: is unused/],
    [
      'one is given twice',
      project.bind(null, { orders: `${USERS}, ${USERS}`, users: '' }, SHARED),
      /:2:\d+: services\.orders\.operations: must not contain duplicate names/,
    ],
    [
      'one names a file that there is not',
      project.bind(null, { orders: '{ from: openapi.yaml }', users: USERS }),
      /:2:\d+: services\.orders\.operations\.0\.from: openapi\.yaml: there is no such file/,
    ],
    [
      'a tier names one that no service has',
      project.bind(
        null,
        { orders: LIST, users: USERS },
        'tiers: [{ name: one, requestsPerSecond: 10, operations: [Lost] }]\n',
      ),
      /there is no operation Lost/,
    ],
    [
      'a sweep compares services',
      project.bind(
        null,
        { orders: '{ name: List, rest: "GET /{n}", arguments: [{ n: 3 }] }', users: USERS },
        'tiers: [{ name: one, requestsPerSecond: 10, operations: [List] }]\nsweep: { argument: n, title: N, panels: [{ title: All, services: [orders] }] }\n',
      ),
      /sweep: compares services, but these have their own operations/,
    ],
  ])('are refused if %s', (_what, parse, message) => {
    expect(parse).toThrow(message);
  });

  test('that a tier names and a service lacks are reported as skipped', () => {
    const tiers = [
      '{ name: gets, requestsPerSecond: 10, operations: [Get] }',
      '{ name: both, requestsPerSecond: 10, operations: [Get, List] }',
      '{ name: all, requestsPerSecond: 10 }',
    ];
    const { suite, lines } = project({ orders: LIST, users: USERS }, `tiers: [${tiers.join(', ')}]\n`);

    expect(lines).toEqual([
      'tier gets: skipped for users (no matching operations)',
      'tier both: Get skipped for users (no such operation)',
    ]);
    expect(suiteFor(suite, 'users').tiers.map(({ name, operations }) => [name, operations])).toEqual([
      ['both', ['List']],
      ['all', undefined],
    ]);
  });

  test('go with the services that are chosen', () => {
    const tiers =
      'tiers: [{ name: gets, requestsPerSecond: 10, operations: [Get] }, { name: all, requestsPerSecond: 2 }]\n';
    const { suite } = project({ orders: LIST, users: USERS }, tiers);
    const users = suiteOfServices(suite, ['users']);

    expect(users.operations.map(({ bindings }) => bindings.rest)).toMatchObject([{ path: '/users' }]);
    expect(users.tiers.map(({ name }) => name)).toEqual(['all']);
    expect(users.groups).toBeUndefined();
  });
});
