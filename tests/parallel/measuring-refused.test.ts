import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, test } from 'vitest';
import { expectRefusal } from '../integration/refusal.ts';
import { calledIn } from '../support/called-in.ts';

const PROJECT = `services:
  cheap: { protocol: rest, port: 5000, process: { command: [node, cheap.mjs] } }
  dear: { protocol: rest, port: 5000, process: { command: [node, dear.mjs] } }
operations:
  - { name: Get, rest: GET / }
`;

let root = '';

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'refused-'));
  writeFileSync(join(root, 'wiregauge.yml'), PROJECT);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

test.each([
  [['compare', '--budget=10'], /a duration/],
  [['compare', '--budget=0s'], /a duration/],
  [['compare', '--budget=-5m'], /a duration/],
  [['compare', '--budget=ten minutes'], /a duration/],
  [['compare', '--budget=5d'], /a duration/],
  [['saturate', 'daer'], /there is no service "daer"/],
  [['saturate', 'dear', 'dear'], /a service is named twice/],
  [['saturate', '--step', '1s', '--budget', '1m'], /a budget of 1 min is too small: 2 searches take about/],
  [['saturate', 'dear', '--p99', '50'], /Use a latency like 50ms or 1\.5s/],
  [['saturate', 'dear', '--at-least', 'many'], /Use a rate like 3000 or 3000\/s/],
  [['versus', 'cheap'], /needs two services or more/],
  [['versus', 'cheap', 'cheap'], /each named once/],
  [['versus', 'cheap', 'dear', '--profile', 'smoke', '--rounds', '5'], /at least 8 rounds are needed/],
  [['versus', 'cheap', 'dera'], /there is no service "dera"/],
])('refuses %j', async (argv, words) => {
  const end = await calledIn(root, [...argv, '--runtime', 'process']);

  expectRefusal(end, words);
});
