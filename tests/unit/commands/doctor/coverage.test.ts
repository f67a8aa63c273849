import { expect, test } from 'vitest';
import { coverageBy, coverageDiagnoses, measuredRoutes } from '../../../../src/commands/doctor/coverage.ts';
import { TrafficCollector } from '../../../../src/commands/init/traffic/traffic.ts';
import { parseProject } from '../../../../src/config/parse.ts';

const CONFIGURATION = `services: { api: { protocol: rest, port: 8080, image: nginx:1.27 } }
operations:
  - { name: Item, weight: 3, rest: "GET /items/{item}", arguments: [{ item: 1 }] }
  - { name: Items, weight: 1, rest: "GET /items/?page=2" }
  - { name: Add, weight: 0, rest: POST /items }
`;

function coverageFor(requests: readonly string[]) {
  const { suite } = parseProject({ file: 'wiregauge.yml', text: CONFIGURATION });
  const collector = new TrafficCollector(['/items/{item}', '/items/']);
  for (const request of requests) {
    const [method = '', target = ''] = request.split(' ');
    collector.add({ method, target });
  }
  return coverageBy(measuredRoutes(suite), collector.end());
}

const times = (count: number, request: string) => Array.from({ length: count }, () => request);

test('is the share of requests with an operation that is sent', () => {
  const coverage = coverageFor([
    ...times(6, 'GET /items/abc'),
    ...times(2, 'GET /items?page=7'),
    'POST /items',
    'GET /users/7',
  ]);

  expect(coverage).toEqual({
    requests: 10,
    share: 0.8,
    missing: [
      { route: 'POST /items', share: 0.1 },
      { route: 'GET /users/{id}', share: 0.1 },
    ],
    drifted: [],
  });
});

test('names weights that have drifted, and says what to do', () => {
  const coverage = coverageFor([...times(1, 'GET /items/7'), ...times(9, 'GET /items/')]);

  expect(coverage.drifted).toEqual([
    { route: 'GET /items/{id}', weight: 0.75, share: 0.1 },
    { route: 'GET /items', weight: 0.25, share: 0.9 },
  ]);
  expect(coverageDiagnoses(coverage, 0.8).map(({ state, says }) => `${state} ${says}`)).toEqual([
    'ok 100% of 10 requests are of measured operations',
    'warning GET /items/{id}: 10% of the measured requests, and a weight of 75%',
    'warning GET /items: 90% of the measured requests, and a weight of 25%',
  ]);
  expect(coverageDiagnoses({ ...coverage, share: 0.5 }, 0.8)[0]).toMatchObject({ state: 'warning' });
});
