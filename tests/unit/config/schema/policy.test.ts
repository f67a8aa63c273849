import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseSuite, parseSuitePolicy } from '../../../../src/config/parse.ts';
import { parseAlpha, parsePolicy, policyOf } from '../../../../src/config/schema/policy.ts';
import { ConfigError } from '../../../../src/foundation/errors.ts';
import { changedPolicy, DEFAULT_POLICY, policySchema } from '../../../../src/model/policy.ts';

const users = readFileSync('suites/users.yml', 'utf8');
const suite = (block: string) => parseSuite({ file: 'suites/mine.yml', text: `${users}${block}` });
const file = (text: string) => parsePolicy({ file: 'policy.yml', text });

function complaint(parse: () => unknown): string {
  try {
    parse();
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(ConfigError);
    return (thrown as ConfigError).message;
  }
  throw new Error('nothing was refused');
}

const BLOCK = `policy:
  alpha: 1%
  floor: 0.02
  proof: strict
  inconclusive: fail
  answers: ignore
  thresholds:
    - { threshold: 8% }
    - { metric: p95, tier: high, threshold: 0.15, gate: false }
    - { cell: rest/*/saturation, metric: cpu, threshold: 2.5% }
  budgets:
    - { metric: p95, tier: medium, atMost: 50 }
    - { metric: rps, service: rest, tier: saturation, atLeast: 4000 }
  drift:
    - { metric: cpu, atMost: 5% }
    - { metric: rps, service: rest, tier: saturation, atMost: 0.1 }
`;

const ACCEPTED = `- cell: rest/GetUser/high
  metric: p95
  upTo: 8%
  until: 2027-01-31
  why: signatures are checked now
- { service: grpc, metric: cpuMicrosPerRequest, upTo: 0.05, until: 2026-12-01, why: a new library }
`;

describe('the policy of a suite', () => {
  test('is the usual one where the suite says nothing', () => {
    expect(policyOf(suite(''), undefined)).toEqual(DEFAULT_POLICY);
  });

  test('is read from its block, with what is accepted', () => {
    const policy = policyOf(suite(BLOCK), { file: '.wiregauge/accepted.yml', text: ACCEPTED });

    expect(policy).toEqual({
      alpha: 0.01,
      floor: 0.02,
      proof: 'strict',
      inconclusive: 'fail',
      answers: 'ignore',
      thresholds: [
        { threshold: 0.08 },
        { metric: 'latencyP95Ms', tier: 'high', threshold: 0.15, gate: false },
        { service: 'rest', tier: 'saturation', metric: 'cpuMicrosPerRequest', threshold: 0.025 },
      ],
      budgets: [
        { metric: 'latencyP95Ms', tier: 'medium', limit: 50 },
        { metric: 'achievedRps', service: 'rest', tier: 'saturation', limit: 4000 },
      ],
      drift: [
        { metric: 'cpuMicrosPerRequest', limit: 0.05 },
        { metric: 'achievedRps', service: 'rest', tier: 'saturation', limit: 0.1 },
      ],
      accepted: [
        {
          service: 'rest',
          operation: 'GetUser',
          tier: 'high',
          metric: 'latencyP95Ms',
          upTo: 0.08,
          until: '2027-01-31',
          why: 'signatures are checked now',
        },
        {
          service: 'grpc',
          metric: 'cpuMicrosPerRequest',
          upTo: 0.05,
          until: '2026-12-01',
          why: 'a new library',
        },
      ],
    });
    expect(policySchema.parse(policy)).toEqual(policy);
  });

  test.each(['', '# nothing yet\n', '[]\n'])('takes an empty list of acceptances: %j', (text) => {
    expect(policyOf(suite(''), { file: 'accepted.yml', text }).accepted).toEqual([]);
  });

  test.each([
    ['an unknown key', 'tresholds: []', /tresholds: is an unknown key; did you mean thresholds\?/],
    [
      'a bare number of per cent',
      'thresholds: [{ threshold: 5 }]',
      /:2:16: thresholds\.0\.threshold: must be a share like/,
    ],
    ['no slowdown at all', 'thresholds: [{ threshold: 0% }]', /must be above 0%/],
    ['a line that says nothing', 'thresholds: [{ metric: p95 }]', /needs threshold, gate or both/],
    [
      'a slip of the finger',
      'thresholds: [{ metric: latencyP59Ms, gate: true }]',
      /did you mean latencyP50Ms\?|did you mean latencyP95Ms\?/,
    ],
    [
      'what is several metrics here',
      'thresholds: [{ metric: latency, gate: true }]',
      /there is no metric "latency": did you mean p50, p95 or p99\?/,
    ],
    [
      'a metric that is none',
      'thresholds: [{ metric: happiness, gate: true }]',
      /there is no metric "happiness": expected one of latencyMeanMs, .*, cpu/,
    ],
    ['a bound on the wrong side', 'budgets: [{ metric: rps, atMost: 4000 }]', /has the wrong bound/],
    ['two bounds', 'budgets: [{ metric: p95, atMost: 4, atLeast: 2 }]', /needs either atMost or atLeast/],
    ['no bound', 'budgets: [{ metric: p95 }]', /needs either atMost or atLeast/],
    ['a bound of nothing', 'budgets: [{ metric: p95, atMost: 0 }]', /budgets\.0\.atMost/],
    ['an unknown way', 'inconclusive: ignore', /:2:1: inconclusive/],
    ['another unknown way', 'answers: pass', /:2:1: answers/],
    ['an alpha that is none', 'alpha: 50%', /must be above 0% and at most 20%/],
    ['a place twice', 'thresholds: [{ cell: a/b/c, tier: low, gate: true }]', /cannot combine cell with service/],
    ['a cell that is none', 'thresholds: [{ cell: rest/low, gate: true }]', /must be service\/operation\/tier/],
    ['a name that is none', 'thresholds: [{ service: "a b", gate: true }]', /must be a name/],
  ])('refuses %s, with file, line and path', (_what, line, message) => {
    const at = users.split('\n').length + 1;

    expect(complaint(() => suite(`policy:\n  ${line}\n`))).toMatch(new RegExp(`^suites/mine\\.yml:${at}:\\d+: policy`));
    expect(complaint(() => file(`# a comment\n${line}\n`))).toMatch(message);
  });

  test.each([
    ['no reason', ACCEPTED.replace('why: signatures are checked now', 'why: ""'), /:5:3: 0\.why: needs a reason/],
    ['no day', ACCEPTED.replace('2027-01-31', 'soon'), /:4:3: 0\.until: must be a date/],
    ['a day that is none', ACCEPTED.replace('2027-01-31', '2027-02-30'), /:4:3: 0\.until: must be a date/],
    ['no size', ACCEPTED.replace('  upTo: 8%\n', ''), /0\.upTo: must be a share/],
    ['no metric', ACCEPTED.replace('  metric: p95\n', ''), /0\.metric/],
    ['no list', 'metric: p95\n', /:1: the file/],
    ['an alias without end', '&a [*a]\n', /accepted\.yml/],
  ])('refuses an acceptance with %s', (_what, text, message) => {
    expect(complaint(() => policyOf(suite(''), { file: 'accepted.yml', text }))).toMatch(message);
  });
});

describe('a policy file', () => {
  test('replaces the keys that it has', () => {
    const policy = changedPolicy(
      { ...DEFAULT_POLICY, inconclusive: 'fail', thresholds: [{ threshold: 0.2 }] },
      file('thresholds: [{ metric: p50, threshold: 7% }]\naccepted: []\n'),
    );

    expect(policy).toEqual({
      ...DEFAULT_POLICY,
      inconclusive: 'fail',
      thresholds: [{ metric: 'latencyP50Ms', threshold: 0.07 }],
    });
  });

  test('may name the metrics of its samples, whose budgets must fit their directions', () => {
    const known = new Map([['frames', 'higher' as const]]);
    const parse = (text: string) => parsePolicy({ file: 'policy.yml', text }, known);

    expect(parse('budgets: [{ metric: frames, atLeast: 60 }]').budgets).toEqual([{ metric: 'frames', limit: 60 }]);
    expect(complaint(() => parse('budgets: [{ metric: frames, atMost: 60 }]'))).toMatch(/wrong bound/);
    expect(complaint(() => parse('budgets: [{ metric: p95, atMost: 60 }]'))).toMatch(/expected frames$/);
  });
});

describe('parseAlpha', () => {
  test.each([
    ['1%', 0.01],
    ['0.05', 0.05],
  ])('reads %s', (text, alpha) => {
    expect(parseAlpha(text)).toBe(alpha);
  });

  test.each(['0', '5', 'much', '', '-1%', '30%'])('refuses "%s"', (text) => {
    expect(complaint(() => parseAlpha(text))).toMatch(/^--alpha ".*": must be/);
  });
});

test('the policy of a suite is read where files that its operations name are not there', () => {
  const text = `${users.replace('rest: GET /users', 'feed: { file: none.csv }')}policy: { alpha: 1% }\n`;
  const source = { file: 'suites/mine.yml', text };

  expect(parseSuitePolicy(source).alpha).toBe(0.01);
  expect(() => parseSuite(source)).toThrow('none.csv: there is no such file');
});
