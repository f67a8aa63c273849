import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ALL_OPERATIONS, SATURATION } from '../../../../src/model/metric.ts';
import { operationsAt } from '../../../../src/model/plan.ts';
import { isClosed } from '../../../../src/model/suite/suite.ts';
import { readSuite } from '../../../../src/project/suite.ts';
import { PROTOCOLS } from '../../../../src/protocols/protocols.ts';

const NAMES = readdirSync('suites').map((file) => file.replace(/\.yml$/, ''));

describe.each(NAMES)('the suite %s of this repository', (name) => {
  const { suite, services } = readSuite('.', name);
  const tiers = [...suite.tiers.map((tier) => tier.name), SATURATION];

  it('is called as its file', () => {
    expect(suite.name).toBe(name);
  });

  it('sends every operation to every service', () => {
    for (const service of services.values()) {
      const { target } = PROTOCOLS[service.protocol];
      const requests = suite.operations.map((operation) => target(operation, service, '').requests.length);
      expect(requests).toEqual(suite.operations.map((operation) => operation.arguments.length));
    }
  });

  it('tests findings of what it measures', () => {
    const tests = suite.published?.findings?.flatMap(({ holdsIf }) => holdsIf) ?? [];
    for (const { service, against = service, tier, againstTier = tier, operation } of tests) {
      expect(suite.services).toEqual(expect.arrayContaining([service, against]));
      expect(tiers).toEqual(expect.arrayContaining([tier, againstTier]));
      const loaded = operationsAt(
        suite,
        suite.tiers.find((one) => one.name === tier),
      );
      expect([ALL_OPERATIONS, ...loaded.map((one) => one.name)]).toContain(operation ?? ALL_OPERATIONS);
    }
  });

  it('shows published figures of what it measures', () => {
    for (const { service, tier } of suite.published?.figures ?? []) {
      expect(suite.services).toContain(service);
      expect(tiers).toContain(tier);
    }
  });

  it('reckons the cost of what it measures', () => {
    const { cost } = suite.published ?? {};
    expect([...tiers, undefined]).toContain(cost?.tier);
    expect(suite.services).toEqual(expect.arrayContaining((cost?.totals ?? []).map(({ service }) => service)));
  });

  it('judges what it measures', () => {
    const lines = [...(suite.policy.thresholds ?? []), ...(suite.policy.budgets ?? [])];
    for (const { tier = SATURATION, service = suite.services[0] } of lines) {
      expect(tiers).toContain(tier);
      expect(suite.services).toContain(service);
    }
  });
});

describe('the suite payload', () => {
  const { suite, services } = readSuite('.', 'payload');

  it('has a tier for each load and each count of objects', () => {
    const found = suite.tiers.map((tier) => {
      const [operation, ...others] = operationsAt(suite, tier);
      expect(others).toEqual([]);
      return [tier.name, isClosed(tier) && tier.users, operation?.arguments];
    });

    expect(found).toEqual(
      [
        ['full', 16],
        ['u100', 100],
        ['u500', 500],
      ].flatMap(([load, users]) => [1, 100, 1000].map((count) => [`${load}-${count}`, users, [{ count }]])),
    );
  });

  it('has the counts of its operations in the cache of every service', () => {
    const counts = suite.operations.flatMap((operation) => operation.arguments.map((row) => row['count']));
    for (const { environment } of services.values()) {
      expect(environment['CACHE_COUNTS']).toBe(counts.join(','));
    }
  });
});

describe.each(['payload', 'payload-stress'])('the findings of the suite %s', (name) => {
  const findings = readSuite('.', name).suite.published?.findings ?? [];
  const casesOf = (required: string) => findings.filter(({ says }) => says === required);
  const jsonOf: Readonly<Record<string, string>> = {
    Python: 'payload-json',
    'Python with orjson': 'payload-orjson',
    Go: 'payload-json-go',
    'Go with sonic': 'payload-sonic-go',
  };

  it('have each what was published, and their cases side by side', () => {
    const order = findings.map(({ says }) => says);

    expect(findings.every(({ published }) => published !== undefined)).toBe(true);
    expect(order.filter((says, index) => says !== order[index - 1])).toHaveLength(new Set(order).size);
  });

  it('are tested in both languages, each with its own services', () => {
    for (const { of = '', holdsIf } of findings) {
      const services = holdsIf.flatMap(({ service, against = service }) => [service, against]);
      const required = [
        jsonOf[of],
        ...['protobuf', 'grpc'].map((form) => `payload-${form}${of.startsWith('Go') ? '-go' : ''}`),
      ];
      expect(required).toEqual(expect.arrayContaining(services));
    }
    for (const says of new Set(findings.map((finding) => finding.says))) {
      const isOfJson = casesOf(says).some(({ holdsIf }) =>
        holdsIf.some(
          ({ service, against }) => [service, against].includes('payload-json') && !says.startsWith('An answer'),
        ),
      );
      expect(
        casesOf(says).map(({ of }) => of),
        says,
      ).toEqual(isOfJson ? expect.arrayContaining(Object.keys(jsonOf)) : ['Python', 'Go']);
    }
  });
});

it('the suite payload-stress has its count in the cache, and reads no answer', () => {
  const { suite, services } = readSuite('.', 'payload-stress');

  expect(suite.operations.map(({ verify }) => verify)).toEqual(['status']);
  expect([...services.values()].map(({ environment }) => environment['CACHE_COUNTS'])).toEqual(
    suite.services.map(() => '100000'),
  );
  expect(suite.tiers).toMatchObject([{ users: 10, requestsPerUser: 100, rampSeconds: 10 }]);
  const usual = readSuite('.', 'payload').services.get('payload-json');
  expect(usual?.environment['CACHE_COUNTS']).toBe('1,100,1000');
});

describe('the suite layers', () => {
  const { suite, services } = readSuite('.', 'layers');
  const published = (service: string, tier: string) =>
    suite.published?.figures.filter((one) => one.service === service && one.tier === tier).map(({ metric }) => metric);

  it('has the connections of the study, with its figures for both ways', () => {
    const closed = suite.tiers.filter(isClosed).map(({ users, operations }) => [users, operations]);

    expect(closed).toEqual([100, 500, 1000].map((users) => [users, ['GetUser']]));
    for (const service of suite.services) {
      for (const tier of ['c100', 'c500', 'c1000']) {
        expect(published(service, tier), `${service} ${tier}`).toEqual(['achievedRps']);
      }
      expect(published(service, 'r1000')).toEqual(
        expect.arrayContaining(['latencyP50Ms', 'latencyP95Ms', 'latencyP99Ms', 'serviceCpuShare', 'peakMemoryMiB']),
      );
    }
  });

  it('starts the same three layers for both ways, and sets the way', () => {
    const [http, grpc] = ['layers-http', 'layers-grpc'].map((name) => {
      const service = services.get(name);
      const members = [{ ...service, name: service?.entry }, ...(service?.members ?? [])];
      return members.map(({ name: member, image, process, ports, environment = {} }) => {
        return { member, image, process, ports, way: environment['WAY'] };
      });
    });

    expect(http?.map(({ member, way }) => [member, way])).toEqual([
      ['controller', 'http'],
      // In the order in which they are started.
      ['repository', undefined],
      ['service', 'http'],
    ]);
    expect(grpc).toEqual(http?.map((one) => (one.way === undefined ? one : { ...one, way: 'grpc' })));
  });

  it('is the same in Rust: operations, figures, findings, and settings of the layers', () => {
    const rust = readSuite('.', 'layers-rust');
    const renamed = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll('layers-rust-', 'layers-'));
    const settings = (of: typeof services) =>
      [...of.values()].flatMap((service) =>
        [service, ...(service.members ?? [])].map(({ port, ports, environment }) => ({ port, ports, environment })),
      );

    expect(renamed(rust.suite)).toEqual({ ...suite, name: 'layers-rust', title: rust.suite.title });
    expect(settings(rust.services)).toEqual(settings(services));
  });
});

describe('the suite hops', () => {
  const { suite, services } = readSuite('.', 'hops');
  const published = (service: string, metric: string) =>
    suite.published?.figures.find((one) => one.service === service && one.metric === metric)?.text;

  it('has the load of the study, with its figures for each way', () => {
    expect(suite.tiers[0]).toMatchObject({ users: 10, limitSeconds: 10 });
    for (const service of suite.services) {
      for (const metric of ['latencyMeanMs', 'latencySdMs', 'latencyMaxMs', 'achievedRps']) {
        expect(published(service, metric), `${service} ${metric}`).toMatch(/\d/);
      }
    }
  });

  it.each([
    ['hops-direct', 'api01', []],
    ['hops-grpc', 'api02', ['api01']],
    ['hops-http2', 'api02', ['api01']],
    // In the order in which they are started.
    ['hops-nats', 'api02', ['bus', 'api01']],
  ])('asks %s at %s, with its other members behind it', (name, entry, others) => {
    const service = services.get(name);

    expect([service?.entry, service?.members?.map((member) => member.name)]).toEqual([entry, others]);
  });

  it('starts the same api01 behind every way', () => {
    const behind = [...services.values()].flatMap(({ members = [] }) => members.filter(({ name }) => name === 'api01'));
    const direct = services.get('hops-direct');

    expect(behind).toHaveLength(3);
    for (const { image, process, ports } of behind) {
      expect({ image, process, ports }).toEqual({
        image: direct?.image,
        process: direct?.process,
        ports: direct?.ports,
      });
    }
  });
});

describe('the other suites', () => {
  const membersOf = (suiteName: string) => {
    const { services } = readSuite('.', suiteName);
    return [...services.values()].map(({ name, environment, members = [] }) => ({ name, environment, members }));
  };

  it('give the same api01 to a client with and without TLS', () => {
    const [plain, tls] = membersOf('hops-tls').map(({ environment }) => environment['API01_URL']);

    expect(plain).toBe('http://${members.api01.host}:${members.api01.port}');
    expect(tls).toBe('https://${members.api01.host}:${members.api01.ports.tls}');
  });

  it('put 1, 2 and 4 workers that wait equally long into one queue group', () => {
    const workers = membersOf('hops-queue').map(({ members }) =>
      members.filter(({ name }) => name.startsWith('worker')).map(({ environment = {} }) => environment),
    );

    expect(workers.map(({ length }) => length)).toEqual([1, 2, 4]);
    for (const environment of workers.flat()) {
      expect(environment).toMatchObject({ QUEUE: 'workers', WAIT_MS: '2' });
    }
  });

  it.each([5, 10])('ask %i others at once', (count) => {
    const service = membersOf('hops-fanout').find(({ name }) => name === `hops-fanout-${count}`);
    const others = Array.from({ length: count }, (_, index) => `api01-${index + 1}`);

    expect(service?.members.map(({ name }) => name)).toEqual(others);
    expect(service?.environment['API01_URL']?.split(',')).toEqual(
      others.map((name) => `http://\${members.${name}.host}:\${members.${name}.port}`),
    );
  });

  it.each([5, 10])('ask %i others in a chain, each the next', (count) => {
    const service = membersOf('hops-fanout').find(({ name }) => name === `hops-chain-${count}`);
    const links = [{ name: 'api02', environment: service?.environment }, ...[...(service?.members ?? [])].reverse()];
    const names = links.map(({ name }) => name);

    expect(names).toEqual(['api02', ...Array.from({ length: count - 1 }, (_, index) => `link${index + 1}`), 'api01']);
    for (const [index, { environment }] of links.slice(0, -1).entries()) {
      const next = names[index + 1];
      expect(environment?.['API01_URL']).toBe(`http://\${members.${next}.host}:\${members.${next}.port}`);
    }
  });
});

it('has the layers as users come and go in a suite of its own, by the stages of the study', () => {
  const { suite } = readSuite('.', 'layers-stages');

  expect(suite.services).toEqual(readSuite('.', 'layers').suite.services);
  expect(suite.tiers).toEqual([
    {
      name: 'study',
      thinkSeconds: 0.1,
      stages: [
        { seconds: 30, users: 100 },
        { seconds: 60, users: 500 },
        { seconds: 30, users: 1000 },
        { seconds: 30, users: 0 },
      ],
    },
  ]);
});
