import { expect, test } from 'vitest';
import type { Published } from '../../../src/model/suite/published.ts';
import { publishedIn } from '../../../src/model/suite/published.ts';

const figure = { tier: 'low', metric: 'latencyMeanMs' } as const;

const PUBLISHED: Published = {
  source: 'a study',
  note: 'another machine',
  figures: [
    { ...figure, service: 'rest', text: '1' },
    { ...figure, service: 'rest', text: '2', runtime: 'docker' },
    { ...figure, service: 'rest', text: '3', runtime: 'process' },
  ],
  findings: [
    {
      says: 'anywhere',
      of: 'one case',
      published: '12 ms',
      holdsIf: [{ ...figure, service: 'rest', against: 'grpc', atMost: 1 }],
    },
    {
      says: 'containers',
      holdsIf: [
        { ...figure, service: 'rest', runtime: 'docker', against: 'rest', againstRuntime: 'process', atLeast: 1 },
      ],
    },
    { says: 'in containers', holdsIf: [{ ...figure, service: 'rest', runtime: 'docker', against: 'grpc', atMost: 1 }] },
  ],
};

test.each([
  ['process', ['rest 1', 'rest 3'], ['rest grpc', 'rest-docker rest', 'rest-docker grpc-docker']],
  ['docker', ['rest 1', 'rest 2'], ['rest grpc', 'rest rest-process', 'rest grpc']],
  [
    'both',
    ['rest-process 1', 'rest-docker 2', 'rest-process 3'],
    ['rest-process grpc-process', 'rest-docker rest-process', 'rest-docker grpc-docker'],
  ],
] as const)('in %s, figures and tests are those of its services', (place, figures, tests) => {
  const found = publishedIn(PUBLISHED, place);

  expect(found.figures.map(({ service, text }) => `${service} ${text}`)).toEqual(figures);
  expect(found.findings?.map(({ holdsIf: [test] }) => `${test?.service} ${test?.against}`)).toEqual(tests);
  expect(found.findings?.[0]).toMatchObject({ says: 'anywhere', of: 'one case', published: '12 ms' });
  expect(JSON.stringify(found)).not.toMatch(/untime"/);
});
