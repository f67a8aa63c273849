import { describe, expect, test } from 'vitest';
import { parseProject } from '../../../../src/config/parse.ts';
import { ConfigError } from '../../../../src/foundation/errors.ts';

/** A project whose one service has the members, and the other keys, that the lines say. */
const project = (members: string, others = '', rest = '') => `services:
  shop:
    protocol: rest
${others}    members:
${members
  .split('\n')
  .map((line) => `      ${line}`)
  .join('\n')}
operations:
  - { name: Index, rest: GET / }
${rest}`;

const CHAIN = `front:
  entry: true
  image: front:1
  port: 8080
  environment: { BACK: "\${members.back.host}:\${members.back.ports.grpc}" }
back:
  process: { build: [[make]], command: [./back] }
  image: back:1
  port: 8080
  ports: { grpc: 9090 }
  limits: { memoryMiB: 64 }
  ready: { path: /health }
  dependsOn: [bus]
  environment: { BUS: "\${members.bus.port}" }
bus: { image: "nats:2", port: 4222, process: { command: [nats-server] } }`;

function serviceOf(text: string) {
  const found = parseProject({ file: 'wiregauge.yml', text }).services.get('shop');
  expect(found).toBeDefined();
  return found;
}

/** The lines of what was refused. */
function complaints(text: string): readonly string[] {
  try {
    serviceOf(text);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(ConfigError);
    return (thrown as ConfigError).message.split('\n').filter((line) => line.startsWith('wiregauge.yml'));
  }
  throw new Error('nothing was refused');
}

const INDEX = 'operations: [{ name: Index, rest: GET / }]\n';

const refuses = (members: string, others = '') => complaints(project(members, others));

const entry = 'front: { entry: true, image: "front:1", port: 8080 }';

describe('the members of a service', () => {
  test('are the entry, which is the service itself, and the others in start order', () => {
    const found = serviceOf(project(CHAIN));

    expect(found).toMatchObject({
      name: 'shop',
      entry: 'front',
      image: { reference: 'front:1' },
      process: undefined,
      port: 8080,
      environment: { BACK: '${members.back.host}:${members.back.ports.grpc}' },
      needs: [],
    });
    expect(found?.members?.map(({ name }) => name)).toEqual(['bus', 'back']);
    expect(found?.members?.[1]).toEqual({
      name: 'back',
      image: { reference: 'back:1' },
      process: { build: [['make']], command: ['./back'] },
      port: 8080,
      ports: { grpc: 9090 },
      environment: { BUS: '${members.bus.port}' },
      limits: { memoryMiB: 64 },
      ready: { check: { kind: 'path', path: '/health' }, timeoutSeconds: 60 },
      needs: ['bus'],
      fresh: 'slot',
    });
  });

  test('are ready when their port takes a connection, and have no port if they only run as a process', () => {
    const found = serviceOf(project(`${entry}\nback: { process: { command: [back] } }`));

    expect(found?.members).toMatchObject([
      { name: 'back', port: 0, ready: { check: { kind: 'usual' }, timeoutSeconds: 60 } },
    ]);
  });

  test('all have the settings that a suite gives to its services', () => {
    const found = serviceOf(project(CHAIN, '', 'environment: { LEVEL: 3, BUS: mine }\n'));

    expect(found?.environment).toMatchObject({ LEVEL: '3', BUS: 'mine' });
    expect(found?.members?.map(({ environment }) => environment)).toEqual([
      { LEVEL: '3', BUS: 'mine' },
      { LEVEL: '3', BUS: 'mine' },
    ]);
  });

  test('reach what the service needs', () => {
    const needs = '    needs:\n      db: { image: "postgres:17", port: 5432 }\n';
    const reaching = `${entry}\nback: { image: "back:1", port: 1, environment: { DB: "\${needs.db.host}" } }`;

    expect(serviceOf(project(reaching, needs))?.members?.[0]?.environment).toEqual({ DB: '${needs.db.host}' });
    expect(refuses(reaching)).toEqual([
      expect.stringMatching(
        /^wiregauge\.yml:6:\d+: services\.shop\.members\.back\.environment\.DB: \$\{needs\.db\.host\} cannot be resolved: there is no db in its needs; it has no needs$/,
      ),
    ]);
  });
});

describe('members that fit nothing', () => {
  test.each<[string, string, RegExp]>([
    ['no entry', 'back: { image: "back:1", port: 1 }', /members: has no entry: set `entry: true` on the member/],
    [
      'two entries',
      `${entry}\nback: { entry: true, image: "back:1", port: 1 }`,
      /members\.back\.entry: must not be true: front is already the entry/,
    ],
    [
      'an unknown member',
      `${entry}\nback: { image: "back:1", port: 1, dependsOn: [buss] }\nbus: { image: "bus:1", port: 1 }`,
      /members\.back\.dependsOn\.0: there is no member buss; did you mean bus\?/,
    ],
    [
      'the entry before another',
      `${entry}\nback: { image: "back:1", port: 1, dependsOn: [front] }`,
      /members\.back\.dependsOn\.0: is the entry, which starts last/,
    ],
    [
      'a circle',
      `${entry}\na: { image: "a:1", port: 1, dependsOn: [b] }\nb: { image: "b:1", port: 1, dependsOn: [a] }`,
      /members\.a\.dependsOn: cannot be started, because they depend on each other: a -> b -> a/,
    ],
    [
      'more of them than can be compared',
      Array.from({ length: 33 }, (_, index) => `m${index}: { image: "m", port: 1 }`).join('\n'),
      /members: has more than 32 members/,
    ],
    ['a high port', `${entry}\nback: { image: "back:1", port: 32768 }`, /back\.port: must be at most 32767/],
    [
      'a high further port',
      `${entry}\nback: { image: "b", port: 1, ports: { a: 40000 } }`,
      /ports\.a: must be at most/,
    ],
    ['no port in a container', `${entry}\nback: { image: "back:1" }`, /members\.back\.port: is missing/],
    ['no way to start', `${entry}\nback: { port: 1 }`, /members\.back: needs image or process/],
    [
      'a key of containers',
      `${entry}\nback: { process: { command: [b] }, user: "1" }`,
      /back\.user: is only for containers/,
    ],
    [
      'a check of the entry',
      'front: { entry: true, image: "front:1", port: 1, ready: { path: / } }',
      /members\.front\.ready: is not for the entry: set `ready` on the service instead/,
    ],
    [
      'a placeholder of what does not run yet',
      `${entry}\na: { image: "a:1", port: 1, environment: { B: "\${members.b.port}" } }\nb: { image: "b:1", port: 1 }`,
      /a\.environment\.B: \$\{members\.b\.port\} cannot be resolved yet: add b to its dependsOn/,
    ],
    [
      'a further port that is not there',
      `front: { entry: true, image: "f", port: 1, environment: { B: "\${members.b.ports.grpc}" } }\nb: { image: "b:1", port: 1 }`,
      /there is no grpc in the `ports` of b/,
    ],
  ])('%s is refused, with its place', (_what, members, words) => {
    const [first, ...others] = refuses(members);

    expect(first).toMatch(words);
    expect(others).toEqual([]);
  });

  test('are reported all at once', () => {
    expect(refuses('a: { port: 1, dependsOn: [x] }\nb: { image: "b:1", dependsOn: [y] }')).toHaveLength(5);
  });

  test.each<[string, string, RegExp]>([
    [
      'an image',
      '    image: "shop:1"\n    port: 1\n',
      /shop\.(image|port): is set per member: move it to `members\.front`/,
    ],
    ['an address', '    address: 127.0.0.1:80\n', /shop\.address: is set per member/],
    ['settings', '    environment: { A: b }\n', /shop\.environment: is set per member/],
    [
      'a need of the same name',
      '    needs:\n      front: { image: "db:1", port: 1 }\n',
      /shop\.members\.front: is also the name of a need/,
    ],
  ])('%s next to them is refused', (_what, others, words) => {
    const found = refuses(entry, others);

    expect(found.length).toBeGreaterThan(0);
    expect(found.every((line) => words.test(line))).toBe(true);
  });
});

describe('the policy about a member', () => {
  const policy = (line: string) => project(entry, '', `policy:\n  thresholds:\n    - ${line}\n`);

  test('has its own place', () => {
    const { suite } = parseProject({
      file: 'wiregauge.yml',
      text: policy('{ member: back, gate: true, threshold: 8% }'),
    });

    expect(suite.policy.thresholds).toEqual([{ operation: '.back', gate: true, threshold: 0.08 }]);
  });

  test.each(['cpu', 'instructions', 'syscalls'])('may be about its %s alone', (metric) => {
    const text = policy(`{ member: back, metric: ${metric}, gate: true }`);

    const { suite } = parseProject({ file: 'wiregauge.yml', text });
    expect(suite.policy.thresholds).toMatchObject([{ operation: '.back', gate: true }]);
  });

  test.each(['{ member: back, metric: p95, gate: true }', '{ member: back, operation: Index, gate: true }'])(
    'is refused next to what is never measured of one: %s',
    (line) => {
      expect(complaints(policy(line))).toEqual([expect.stringMatching(/selects a member, for which only `cpu`/)]);
    },
  );

  test('may have a core each', () => {
    expect(serviceOf(project(entry, '    cores: each\n'))?.cores).toBe('each');
    expect(serviceOf(project(entry, '    cores: shared\n'))?.cores).toBeUndefined();
    expect(complaints(`services: { shop: { protocol: rest, image: "a:1", port: 80, cores: each } }\n${INDEX}`)).toEqual(
      [
        expect.stringContaining(
          'services.shop.cores: must be a number of cores: `each` is only for a service with `members`',
        ),
      ],
    );
  });

  test('are not given a number of cores, nor is a service that runs', () => {
    expect(complaints(project(entry, '    cores: 2\n'))).toEqual([
      expect.stringContaining('services.shop.cores: must be shared or each for a service with `members`'),
    ]);
    const running = `services: { shop: { protocol: rest, address: "127.0.0.1:80", cores: 2 } }\n${INDEX}`;
    expect(complaints(running)).toEqual([
      expect.stringContaining('services.shop.cores: cannot be combined with address'),
    ]);
  });

  test.each([
    ['2', 2],
    ['1', undefined],
    ['shared', undefined],
  ])('a service without any may have several cores: %s', (requested, cores) => {
    const alone = `services: { shop: { protocol: rest, image: "a:1", port: 80, cores: ${requested} } }\n${INDEX}`;

    expect(serviceOf(alone)?.cores).toBe(cores);
  });

  test.each([
    ['0', 'must be at least 1'],
    ['65', 'must be at most 64'],
    ['1.5', 'must be shared, each, or a whole number of cores from 1 to 64'],
    ['many', 'must be shared, each, or a whole number of cores from 1 to 64'],
  ])('are refused as %s cores', (requested, message) => {
    const alone = `services: { shop: { protocol: rest, image: "a:1", port: 80, cores: ${requested} } }\n${INDEX}`;

    expect(complaints(alone)).toEqual([expect.stringContaining(`services.shop.cores: ${message}`)]);
  });

  test('may have metrics of their own', () => {
    const found = serviceOf(
      project(`front: { entry: true, image: "front:1", port: 80, metrics: { names: [up] } }
back: { image: "back:1", port: 80, metrics: { path: /own, names: [seen_total] } }`),
    );

    expect(found?.metrics).toEqual({ path: '/metrics', names: ['up'] });
    expect(found?.members?.[0]?.metrics).toEqual({ path: '/own', names: ['seen_total'] });
    expect(refuses(entry, '    metrics: { names: [up] }\n')).toEqual([
      expect.stringContaining('metrics: is set per member: move it to `members.front` or another member'),
    ]);
    const [unread] = refuses(entry.replace('port', 'metrics: { names: [up] }, port'), '    tls: {}\n');
    expect(unread).toContain('members.front.metrics: is read without TLS, but its port uses TLS');
    expect(refuses(entry.replace('port', 'metrics: { names: ["a b"] }, port'))[0]).toContain(
      'must be the name of a metric',
    );
  });
});
