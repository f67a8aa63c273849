import { expect, test } from 'vitest';
import { factsOf } from '../../../../src/report/views/facts.ts';
import { pairAt, viewRun } from '../../../../src/report/views/run-view.ts';
import { compareServices } from '../../../../src/report/views/service-comparison.ts';
import { cautions, trustSentences } from '../../../../src/report/views/trust.ts';
import { REPORTS } from '../../../support/reports.ts';
import { sampleJudgment, sampleRun } from '../../../support/sample-run.ts';

const run = sampleRun();
const [first, ...others] = run.suite.operations;
const groups = [
  { services: ['rest'], operations: first === undefined ? [] : [first] },
  { services: ['grpc'], operations: others },
];
const grouped = { ...run, suite: { ...run.suite, groups } };

test('services with operations of their own are next to each other, and nothing says how they compare', () => {
  for (const [of, isCompared] of [
    [run, true],
    [grouped, false],
  ] as const) {
    const view = viewRun(of);
    const [tier] = view.tiers;
    const compared = tier === undefined ? [] : compareServices(view, { tier }, 'cpuMicrosPerRequest');
    expect(compared.map(({ figure }) => figure !== undefined)).toEqual([true, true]);
    expect(compared[1]?.change !== undefined).toBe(isCompared);
    expect(pairAt(view, tier?.name ?? '', ['rest', 'grpc']) !== undefined).toBe(isCompared);
  }
});

test('a service that a tier asks for nothing is not missing there', () => {
  const tiers = run.suite.tiers.map((tier, index) => (index === 0 ? { ...tier, operations: ['GetUser'] } : tier));
  const [name] = tiers.map((tier) => tier.name);
  const samples = run.samples.filter(({ cell }) => cell.service !== 'grpc' || cell.tier !== name);
  const words = (of: typeof run) => [...cautions(viewRun(of)), ...trustSentences(viewRun(of))].join(' ');

  expect(words({ ...grouped, suite: { ...grouped.suite, tiers }, samples })).not.toMatch(/not measured/i);
  expect(words({ ...run, samples })).toMatch(/Not measured: gRPC/);
});

test('no note about changes is shown above services that are not compared', () => {
  const noteOf = (of: typeof run) =>
    /Changes are against \w+/.exec(REPORTS.markdown({ ...sampleJudgment(), run: of }))?.[0];

  expect(noteOf(grouped)).toBeUndefined();
  expect(noteOf(run)).toBe('Changes are against REST');
});

test('the mix of requests is reported for each service', () => {
  const mixOf = (of: typeof run) => factsOf(of).find(({ name }) => name === 'Requests')?.value;

  expect(mixOf(grouped)).toMatch(/^\d.* GetUser \(rest\); \d.* ListUsers \(grpc\)$/);
  expect(mixOf(run)).toMatch(/^\d.* GetUser, .* ListUsers$/);
});
