import { describe, expect, it } from 'vitest';
import { parseProject } from '../../../../src/config/parse.ts';
import { ConfigError } from '../../../../src/foundation/errors.ts';
import { isClosed, isStaged } from '../../../../src/model/suite/suite.ts';

const project = (...tiers: readonly string[]) => {
  const list = tiers.map((tier) => `  - { ${tier} }\n`).join('');
  const text = `services:\n  api: { protocol: rest, port: 8080, image: nginx:1.27 }\noperations:\n  - { name: Index, rest: GET / }\ntiers:\n${list}`;
  return parseProject({ file: 'wiregauge.yml', text }).suite;
};
const USERS = 'name: low, users: 100, spawnPerSecond: 10, thinkSeconds: 0.3';

describe('tiers', () => {
  it('say users with or without think time, or a rate, side by side', () => {
    const { tiers } = project(
      USERS,
      'name: peak, requestsPerSecond: 800',
      'name: burst, requestsPerSecond: 40, rampSeconds: 0, inFlight: 5',
      'name: full, users: 16, limitSeconds: 8',
      'name: warm, users: 1, warmupSeconds: 2, limitSeconds: 8',
      'name: study, users: 500, requestsPerUser: 100, rampSeconds: 10, limitSeconds: 40',
      'name: rush, thinkSeconds: 0.1, stages: [{ seconds: 30, users: 100 }, { seconds: 0, users: 0 }]',
      'name: spike, stages: [{ seconds: 5, users: 9 }]',
    );

    expect(tiers).toEqual([
      { name: 'low', users: 100, spawnPerSecond: 10, thinkSeconds: 0.3 },
      { name: 'peak', requestsPerSecond: 800, rampSeconds: 10, inFlight: 240 },
      { name: 'burst', requestsPerSecond: 40, rampSeconds: 0, inFlight: 5 },
      { name: 'full', users: 16, rampSeconds: 0, limitSeconds: 8 },
      { name: 'warm', users: 1, rampSeconds: 0, warmupSeconds: 2, limitSeconds: 8 },
      { name: 'study', users: 500, requestsPerUser: 100, rampSeconds: 10, limitSeconds: 40 },
      {
        name: 'rush',
        thinkSeconds: 0.1,
        stages: [
          { seconds: 30, users: 100 },
          { seconds: 0, users: 0 },
        ],
      },
      { name: 'spike', stages: [{ seconds: 5, users: 9 }] },
    ]);
    expect(tiers.map(isClosed)).toEqual([false, false, false, true, true, true, false, false]);
    expect(tiers.map(isStaged)).toEqual([false, false, false, false, false, false, true, true]);
  });

  it.each([USERS, 'name: a, requestsPerSecond: 9', 'name: a, users: 9, limitSeconds: 8'])(
    'may name the operations that they ask for, however their load is said: %s',
    (load) => {
      expect(project(`${load}, operations: [Index]`).tiers).toMatchObject([{ operations: ['Index'] }]);
      expect(project(load).tiers[0]).not.toHaveProperty('operations');
    },
  );

  it.each([
    [
      'that there is none of',
      'Indes',
      /^wiregauge\.yml:6:\d+: tiers\.0\.operations\.1: there is no operation Indes in this suite$/,
    ],
    ['twice', 'Index', /^wiregauge\.yml:6:\d+: tiers\.0\.operations: must not contain duplicates$/],
  ])('refuse an operation %s', (_what, second, message) => {
    const refused = () => project(`${USERS}, operations: [Index, ${second}]`);

    expect(refused).toThrow(ConfigError);
    expect(refused).toThrow(message);
  });

  it('say which operation was meant, or which there are', () => {
    const adviceFor = (name: string) => {
      try {
        return project(`${USERS}, operations: [${name}]`);
      } catch (thrown) {
        return thrown instanceof ConfigError && thrown.next;
      }
    };

    expect([adviceFor('Indes'), adviceFor('Something')]).toEqual([
      'Did you mean Index?',
      'Available operations: Index.',
    ]);
  });

  it('refuse a warm-up that would use up what the users send', () => {
    const tier = 'name: a, users: 1, requestsPerUser: 10, warmupSeconds: 2, limitSeconds: 8';

    expect(() => project(tier)).toThrow(/tiers\.0\.warmupSeconds: cannot be combined with requestsPerUser: /);
  });

  it('refuse to ask for nothing', () => {
    expect(() => project(`${USERS}, operations: []`)).toThrow(/tiers\.0\.operations: /);
  });

  it.each([
    ['neither', 'name: a', /^wiregauge\.yml:6:\d+: tiers\.0: has no load: set either users, .* or requestsPerSecond/],
    [
      'both',
      `${USERS}, requestsPerSecond: 9`,
      /^wiregauge\.yml:6:\d+: tiers\.0\.requestsPerSecond: cannot be combined with users: set either users, spawnPerSecond and thinkSeconds, or requestsPerSecond/,
    ],
    [
      'think time beside a ramp',
      `${USERS}, rampSeconds: 9`,
      /tiers\.0\.rampSeconds: cannot be combined with spawnPerSecond/,
    ],
    [
      'think time beside a time limit',
      'name: a, users: 9, thinkSeconds: 1, limitSeconds: 8',
      /^wiregauge\.yml:6:\d+: tiers\.0\.limitSeconds: cannot be combined with thinkSeconds: set either .*, or users and limitSeconds \(optionally rampSeconds and one of requestsPerUser and warmupSeconds\), or stages \(optionally thinkSeconds\)$/,
    ],
    [
      'a rate beside a number of requests',
      'name: a, requestsPerSecond: 9, requestsPerUser: 8',
      /tiers\.0\.requestsPerUser: cannot be combined with requestsPerSecond/,
    ],
    [
      'a time limit beside a bound on the requests under way',
      'name: a, users: 9, limitSeconds: 8, inFlight: 3',
      /tiers\.0\.inFlight: cannot be combined with users/,
    ],
    [
      'a number of requests without a time limit',
      'name: a, users: 9, requestsPerUser: 5',
      /tiers\.0\.limitSeconds: is missing \(required with users\)/,
    ],
    [
      'a time limit without users',
      'name: a, limitSeconds: 9',
      /tiers\.0\.users: is missing \(required with limitSeconds\)/,
    ],
    ['users alone', 'name: a, users: 9', /tiers\.0\.spawnPerSecond: is missing \(required with users\): set either/],
    [
      'a ramp alone',
      'name: a, rampSeconds: 9',
      /tiers\.0\.requestsPerSecond: is missing \(required with rampSeconds\)/,
    ],
    ['more than an hour', 'name: a, users: 9, limitSeconds: 3601', /tiers\.0\.limitSeconds: /],
    ['no time', 'name: a, users: 9, limitSeconds: 0', /tiers\.0\.limitSeconds: /],
    ['no requests', 'name: a, users: 9, limitSeconds: 8, requestsPerUser: 0', /tiers\.0\.requestsPerUser: /],
    ['parts of requests', 'name: a, users: 9, limitSeconds: 8, requestsPerUser: 1.5', /tiers\.0\.requestsPerUser: /],
    [
      'more requests than anybody sends',
      'name: a, users: 9, limitSeconds: 8, requestsPerUser: 100001',
      /tiers\.0\.requestsPerUser: /,
    ],
    [
      'more than an hour of warm-up',
      'name: a, users: 9, limitSeconds: 8, warmupSeconds: 3601',
      /tiers\.0\.warmupSeconds: /,
    ],
    [
      'a ramp that is as long as the time',
      'name: a, users: 9, limitSeconds: 8, rampSeconds: 8',
      /^wiregauge\.yml:6:\d+: tiers\.0\.rampSeconds: must be below limitSeconds: users that start later send nothing$/,
    ],
    [
      'more users than files may be open',
      'name: a, users: 1001, limitSeconds: 8',
      /tiers\.0\.users: must be at most 1000 with limitSeconds/,
    ],
    [
      'a rate beside think time',
      'name: a, requestsPerSecond: 9, thinkSeconds: 1',
      /cannot be combined with thinkSeconds/,
    ],
    [
      'users without their time',
      'name: a, users: 5, spawnPerSecond: 1',
      /tiers\.0\.thinkSeconds: is missing \(required with users\)/,
    ],
    [
      'think time without users',
      'name: a, thinkSeconds: 1',
      /tiers\.0\.users: is missing \(required with thinkSeconds\)/,
    ],
    [
      'a bound without a rate',
      'name: a, inFlight: 1',
      /tiers\.0\.requestsPerSecond: is missing \(required with inFlight\)/,
    ],
    [
      'a misspelt rate',
      'name: a, requestPerSecond: 9',
      /requestPerSecond: is an unknown key; did you mean requestsPerSecond\?$/,
    ],
    ['a rate that is no whole number', 'name: a, requestsPerSecond: 0.5', /tiers\.0\.requestsPerSecond: /],
    ['a rate of nothing', 'name: a, requestsPerSecond: 0', /tiers\.0\.requestsPerSecond: /],
    ['a ramp that goes back', 'name: a, requestsPerSecond: 9, rampSeconds: -1', /tiers\.0\.rampSeconds: /],
    [
      'stages beside users',
      'name: a, users: 9, stages: [{ seconds: 1, users: 9 }]',
      /tiers\.0\.stages: cannot be combined with users/,
    ],
    [
      'stages that nobody comes in',
      'name: a, stages: [{ seconds: 1, users: 0 }]',
      /tiers\.0\.stages: have no users in any/,
    ],
    ['stages of no time', 'name: a, stages: [{ seconds: 0, users: 9 }]', /tiers\.0\.stages: last 0 s in total/],
    [
      'stages of more than an hour',
      'name: a, stages: [{ seconds: 3600, users: 9 }, { seconds: 0.5, users: 0 }]',
      /tiers\.0\.stages: last 3600\.5 s in total, which must be above 0 and at most 3600 s/,
    ],
    [
      'more users at once than files may be open',
      'name: a, stages: [{ seconds: 1, users: 1001 }]',
      /^wiregauge\.yml:6:\d+: tiers\.0\.stages\.0\.users: must be at most 1000/,
    ],
    ['a stage without its users', 'name: a, stages: [{ seconds: 1 }]', /tiers\.0\.stages\.0\.users: /],
    ['no stages', 'name: a, stages: []', /tiers\.0\.stages: /],
    ['the name of the closed loop', 'name: saturation, requestsPerSecond: 9', /must not be "saturation"/],
  ])('refuse %s, with the place', (_what, tier, message) => {
    expect(() => project(tier)).toThrow(message);
  });

  it('refuse a name twice, whichever way they are said', () => {
    expect(() => project(USERS, 'name: low, requestsPerSecond: 9')).toThrow(/tiers: must not contain duplicate names/);
  });

  it.each([
    ['name: low, requestsPerSecond: 1', '2 operations cannot share 1 request per second: each gets at least 1'],
    ['name: low, users: 3, spawnPerSecond: 1, thinkSeconds: 2', '2 operations cannot share 1.5 requests per second'],
  ])('are refused if their rate is lower than the number of their operations: %s', (tier, says) => {
    const list = (load: string) =>
      parseProject({
        file: 'wiregauge.yml',
        text: `services:\n  api: { protocol: rest, port: 8080, image: nginx:1.27 }\noperations:\n  - { name: Index, rest: GET / }\n  - { name: Other, rest: GET /other }\ntiers:\n  - { ${load} }\n`,
      });

    expect(() => list(tier)).toThrow(says);
    expect(() => list(tier)).toThrow(/^wiregauge\.yml:\d+:\d+: tiers\.0: /);
    expect(list(`${tier}, operations: [Index]`).suite.tiers).toHaveLength(1);
    expect(list('name: low, requestsPerSecond: 2').suite.tiers).toHaveLength(1);
  });
});
