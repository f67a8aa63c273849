import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { heldBy } from '../../../../src/commands/action/base-inputs.ts';
import type { StepInputs } from '../../../../src/commands/action/inputs.ts';
import { rulesOf } from '../../../../src/commands/measure/compare.ts';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { readSuites } from '../../../../src/measure/session/versions/suites.ts';
import { policySentences } from '../../../../src/report/comparison/sentences.ts';
import { listsOf } from '../../../support/result-lists.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';

const CONFIG = `name: shop
services:
  shop:
    protocol: rest
    port: 80
    image: shop:1
    needs: { db: { port: 5432, image: "postgres:17" } }
  cart: { protocol: rest, port: 80, image: "cart:1" }
tiers: [{ name: high, requestsPerSecond: 500 }]
saturation: { workers: 20 }
operations:
  - { name: Get, rest: "GET /items/{id}", arguments: [{ id: 1 }, { id: 2 }], weight: 1 }
  - { name: List, rest: GET /items, weight: 1 }
policy:
  inconclusive: fail
  thresholds: [{ metric: cpu, threshold: 5% }]
  budgets: [{ metric: p95, atMost: 50 }]
`;

const INPUTS: StepInputs = { profile: 'standard', 'fail-on': 'inconclusive', budget: 600 };

const ACCEPTED = '- { metric: cpu, upTo: 90%, until: 2027-01-31, why: known }\n';

type Files = Readonly<Record<string, string>>;

/** Which rules judge does not change what was measured. */
const JUDGED = judgeRun(sampleRounds({ rounds: 8 }));

const folder = mkdtempSync(join(tmpdir(), 'loosened-'));

afterAll(() => rmSync(folder, { recursive: true }));

function versionWith(ref: string, files: Files) {
  const root = mkdtempSync(join(folder, 'version-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return { root, ref, commit: '0123456789', dirty: false, subject: 'A version' };
}

const edited = (from: string, to: string): Files => {
  expect(CONFIG).toContain(from);
  return { 'wiregauge.yml': CONFIG.replace(from, to) };
};

/** What the comment says of the rules, and which policy judges. */
function judgedWith(head: Files, change: StepInputs = {}) {
  const folders = { base: versionWith('main', { 'wiregauge.yml': CONFIG }), head: versionWith('topic', head) };
  const suites = readSuites(folders, undefined);
  const { inputs, inputChanges } = heldBy({ ...INPUTS, ...change }, { read: INPUTS, open: [] });
  const { policy, rules } = rulesOf(folders, suites, { file: inputs.policy, inputChanges });
  const text = policySentences({ result: { ...JUDGED, rules } }).join('\n');
  return { policy, text, suites };
}

const SAME = judgedWith({ 'wiregauge.yml': CONFIG });

const LOOSE = CONFIG.replace('threshold: 5%', 'threshold: 900%');

describe('a pull request cannot loosen its own gate', () => {
  test.each<[string, Files, readonly string[]]>([
    ['a threshold', { 'wiregauge.yml': LOOSE }, ['CPU per request 5% → 900%']],
    [
      'the gate of queries',
      edited('5% }]', '5% }, { metric: queries, gate: false }]'),
      ['queries/request', 'not gating'],
    ],
    ['the gate of memory growth', edited('5% }]', '5% }, { metric: growth, gate: false }]'), ['memory growth/request']],
    ['a preset', edited('inconclusive: fail', 'preset: advisory'), ['CPU per request 5% → not gating']],
    ['a budget', edited('atMost: 50', 'atMost: 5000'), ['p95 budget 50 → 5000']],
    ['no budget', edited('  budgets: [{ metric: p95, atMost: 50 }]\n', ''), ['p95 budget 50 → none']],
    [
      'an accepted entry',
      { 'wiregauge.yml': CONFIG, '.wiregauge/accepted.yml': ACCEPTED },
      ['accepted none → up to 90%'],
    ],
    ['inconclusive', edited('inconclusive: fail', 'inconclusive: pass'), ['inconclusive fail → pass']],
    ['a weight', edited('GET /items, weight: 1', 'GET /items, weight: 99'), ['weight of Get 50.0% → 1.00%']],
    ['a load', edited('requestsPerSecond: 500', 'requestsPerSecond: 5'), ['tier high 500']],
    ['fewer workers', edited('workers: 20', 'workers: 1'), ['saturation 20 workers → 1 workers']],
    ['a cheaper request', edited('GET /items,', 'GET /health,'), ['request of List', '/items', '/health']],
    ['fewer arguments', edited('[{ id: 1 }, { id: 2 }]', '[{ id: 1 }]'), ['arguments of Get 2 rows → 1 row']],
    ['answers that are not compared', edited('GET /items,', 'GET /items, verify: none,'), ['verify of List']],
    ['more CPUs', edited('image: shop:1', 'image: shop:1\n    cores: 4'), ['cores of shop 1 → 4']],
    ['more memory', edited('image: shop:1', 'image: shop:1\n    limits: { memoryMiB: 4096 }'), ['limits of shop']],
    ['another need', edited('postgres:17', 'postgres:18'), ['needs of shop db postgres:17 → db postgres:18']],
    ['no need', edited('    needs: { db: { port: 5432, image: "postgres:17" } }\n', ''), ['needs of shop', '→ none']],
    [
      'another command of a need, which may have a secret',
      edited('image: "postgres:17"', 'process: { command: [redis-server, --requirepass, hunter2] }'),
      ['needs of shop db postgres:17 → db redis-server'],
    ],
    ['a renamed suite', { 'wiregauge.yml': LOOSE.replace('name: shop', 'name: other') }, ['5% → 900%']],
    [
      'renamed services',
      { 'wiregauge.yml': LOOSE.replace('  shop:', '  shop2:').replace('  cart:', '  cart2:') },
      ['5% → 900%'],
    ],
    [
      'another folder',
      {
        'suites/shop.yml': LOOSE.replace(/services:[\s\S]*?(?=tiers)/, 'title: Shop\nservices: [shop, cart]\n'),
        'services/shop/service.yml': 'name: shop\nprotocol: rest\nport: 80\nimage: shop:1\n',
        'services/cart/service.yml': 'name: cart\nprotocol: rest\nport: 80\nimage: "cart:1"\n',
      },
      ['5% → 900%', 'needs of shop'],
    ],
  ])('by %s: the base judges, and the comment names it', (_, head, words) => {
    const { policy, text } = judgedWith(head);

    expect(policy).toEqual(SAME.policy);
    expect(text).not.toContain('hunter2');
    expect(words.filter((word) => !text.includes(word))).toEqual([]);
  });

  test.each<[string, StepInputs, string]>([
    ['the profile', { profile: 'smoke' }, 'profile standard → smoke'],
    ['fail-on', { 'fail-on': 'never' }, 'fail-on inconclusive → never'],
    ['the budget, and so the rounds', { budget: 60 }, 'budget 600 → 60'],
    ['a policy file', { policy: 'loose.yml' }, 'policy default → loose.yml'],
    ['fewer services', { services: ['cart'] }, 'services default → cart'],
    ['fewer operations', { operations: ['Get'] }, 'operations default → Get'],
    ['another suite', { suite: 'other' }, 'suite default → other'],
  ])('by an input of its workflow: %s', (_, change, words) => {
    const { policy, text } = judgedWith({ 'wiregauge.yml': CONFIG }, change);

    expect([policy, text.includes(words)]).toEqual([SAME.policy, true]);
  });

  test.each([
    ['an operation', 'head/rest/ListUsers', { service: 'rest', operation: 'ListUsers' }],
    ['a service', 'head/grpc', { service: 'grpc', operation: 'all' }],
  ])('by %s that it removes: it is named as gone', (_, gone, cell) => {
    const { uncompared } = listsOf(judgeRun(sampleRounds({ rounds: 8, without: [gone] })));

    expect(uncompared[0]).toMatchObject({ reason: 'gone', cell });
    expect(new Set(uncompared.map(({ reason }) => reason))).toEqual(new Set(['gone']));
  });

  test('and nothing is named if it changes none of it', () => {
    expect(SAME.text).toBe('');
  });
});
