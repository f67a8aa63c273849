import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseProject } from '../../../../src/config/parse.ts';
import { startOrder } from '../../../../src/config/schema/needs.ts';
import { ConfigError } from '../../../../src/foundation/errors.ts';

/** A project whose one service needs what the lines say. */
const project = (needs: string, environment = '{}') => `services:
  shop:
    protocol: rest
    port: 8000
    image: shop:1
    environment: ${environment}
    needs:
${needs
  .split('\n')
  .map((line) => `      ${line}`)
  .join('\n')}
operations:
  - { name: Index, rest: GET / }
`;

function serviceOf(text: string) {
  const found = parseProject({ file: 'wiregauge.yml', text }).services.get('shop');
  expect(found).toBeDefined();
  return found;
}

function complaint(text: string): string {
  try {
    serviceOf(text);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(ConfigError);
    return (thrown as ConfigError).message;
  }
  throw new Error('nothing was refused');
}

describe('the needs of a service', () => {
  test('are restarted for each slot, and ready when their port takes a connection, unless they say otherwise', () => {
    const found = serviceOf(project('db: { image: "postgres:17", port: 5432 }'));

    expect(found?.needs).toEqual([
      {
        name: 'db',
        image: { reference: 'postgres:17' },
        process: undefined,
        port: 5432,
        environment: {},
        ready: { check: { kind: 'usual' }, timeoutSeconds: 60 },
        needs: [],
        fresh: 'slot',
      },
    ]);
  });

  test('have a port if they run in a container, and else a free one', () => {
    const found = serviceOf(project('db: { process: { command: [db] } }'));

    expect(found?.needs?.[0]).toMatchObject({ name: 'db', port: 0, image: undefined });
    expect(complaint(project('db: { image: "postgres:17" }'))).toMatch(/needs\.db\.port: is missing$/);
  });

  test('come in start order, independent of their order in the file', () => {
    const found = serviceOf(
      project(`api: { image: api, port: 1, needs: [cache, db] }
cache: { image: redis, port: 2, needs: [db] }
db: { image: postgres, port: 3 }`),
    );

    expect(found?.needs?.map(({ name }) => name)).toEqual(['db', 'cache', 'api']);
  });

  test('may be commands that have their address in the environment', () => {
    const found = serviceOf(
      project('db: { port: 1, process: { command: [sh, -c, serve] }, environment: { LEVEL: 2 }, fresh: run }'),
    );

    expect(found?.needs?.[0]).toMatchObject({
      image: undefined,
      process: { build: [], command: ['sh', '-c', 'serve'] },
      environment: { LEVEL: '2' },
      fresh: 'run',
    });
  });

  test('know each other by placeholders, where they come later', () => {
    const found = serviceOf(
      project(
        'db: { image: a, port: 1 }\napi: { image: b, port: 2, needs: [db], environment: { URL: "${needs.db.host}" } }',
        '{ URL: "http://${needs.api.host}:${needs.api.port}/${HOME}" }',
      ),
    );

    expect(found?.environment).toEqual({ URL: 'http://${needs.api.host}:${needs.api.port}/${HOME}' });
  });

  test.each([
    [
      'needs that need each other',
      project(
        'a: { image: i, port: 1, needs: [b] }\nb: { image: i, port: 2, needs: [c] }\nc: { image: i, port: 3, needs: [a] }',
      ),
      /^wiregauge\.yml:8:\d+: services\.shop\.needs\.a\.needs: cannot be started, .* each other: a -> b -> c -> a$/,
    ],
    [
      'one that needs itself',
      project('a: { image: i, port: 1, needs: [a] }'),
      /needs\.a\.needs: cannot be started, .*: a -> a$/,
    ],
    [
      'a name among its needs that there is not',
      project('db: { image: i, port: 1 }\napi: { image: i, port: 2, needs: [bd] }'),
      /^wiregauge\.yml:9:\d+: services\.shop\.needs\.api\.needs\.0: there is no bd; expected db$/,
    ],
    [
      'one that is kept and needs one that is not',
      project('db: { image: i, port: 1 }\napi: { image: i, port: 2, needs: [db], fresh: run }'),
      /needs\.api\.needs\.0: is kept for the whole run, but db is not/,
    ],
    ['a name that is no host name', project('my_db: { image: i, port: 1 }'), /needs\.my_db: must be a host name/],
    ['one that nothing says how to start', project('db: { port: 1 }'), /needs\.db: needs image or process/],
    ['one without a port', project('db: { image: i }'), /needs\.db\.port: is missing/],
    [
      'a misspelt key of one',
      project('db: { image: i, port: 1, freshh: run }'),
      /^wiregauge\.yml:8:\d+: services\.shop\.needs\.db\.freshh: is an unknown key; did you mean fresh\?/,
    ],
    [
      'a variable that is none',
      project('db: { image: i, port: 1, environment: { A-B: 1 } }'),
      /needs\.db\.environment\.A-B: must be letters, digits, underscores and dots/,
    ],
    [
      'two checks of one',
      project('db: { image: i, port: 1, ready: { path: /, command: [x] } }'),
      /needs\.db\.ready: must have only one/,
    ],
    [
      'a placeholder of the service that names none of its needs',
      project('db: { image: i, port: 1 }', '{ A: "${needs.bd.host}" }'),
      /^wiregauge\.yml:6:\d+: services\.shop\.environment\.A: \$\{needs\.bd\.host\} cannot be resolved: there is no bd in its needs; expected db$/,
    ],
    [
      'a placeholder for what no need has',
      project('db: { image: i, port: 1 }', '{ A: "${needs.db.address}" }'),
      /environment\.A: \$\{needs\.db\.address\} cannot be resolved: write \$\{needs\.<name>\.host\}/,
    ],
    [
      'a placeholder of a need for one that is not up by then',
      project('db: { image: i, port: 1 }\napi: { image: i, port: 2, environment: { A: "${needs.db.port}" } }'),
      /needs\.api\.environment\.A: \$\{needs\.db\.port\} cannot be resolved yet: add db to its needs$/,
    ],
  ])('are refused with the place where there is %s', (_what, text, message) => {
    expect(complaint(text)).toMatch(message);
  });
});

describe('startOrder', () => {
  const graphs = fc.dictionary(
    fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    fc.record({ needs: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e')) }),
  );

  test('puts everything behind what it needs, once, or shows a circle that is really there', () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const { programs, circle } = startOrder(graph, 'needs');
        if (circle.length > 0) {
          expect(circle.at(0)).toBe(circle.at(-1));
          circle.slice(1).forEach((name, index) => {
            expect(graph[circle[index] ?? '']?.needs).toContain(name);
          });
          return;
        }
        const names = programs.map(([name]) => name);
        expect([...names].sort()).toEqual(Object.keys(graph).sort());
        programs.forEach(([, { needs }], index) => {
          const known = needs.filter((one) => Object.hasOwn(graph, one));
          expect(names.slice(0, index)).toEqual(expect.arrayContaining(known));
        });
      }),
    );
  });
});
