import { describe, expect, test } from 'vitest';
import { comparedOf } from '../../../../src/judge/verdict/compared.ts';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { memberOf } from '../../../../src/model/metric.ts';
import { DEFAULT_POLICY, type Policy } from '../../../../src/model/policy.ts';
import { formatRun, parseRun, type RunInRounds } from '../../../../src/model/run/run.ts';
import type { Sample } from '../../../../src/model/run/sample.ts';
import { comparisonDocument } from '../../../../src/report/comparison/document.ts';
import { PLAIN } from '../../../../src/report/render/lines.ts';
import { terminalOf } from '../../../../src/report/render/terminal.ts';
import { notesOf } from '../../../../src/report/views/notes.ts';
import { listsOf } from '../../../support/result-lists.ts';
import { type Slowness, servicesWithMembers, withMembers } from '../../../support/sample-members.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';

const GATING: Policy = { ...DEFAULT_POLICY, thresholds: [{ operation: '.orders', gate: true }] };

function chainRun(slowness: Slowness = {}, mend = (sample: Sample): Sample => sample): RunInRounds {
  const run = sampleRounds({ services: ['rest'], rounds: 20, mend: (sample) => mend(withMembers(sample, slowness)) });
  return { ...run, services: servicesWithMembers(run.services) };
}

const ofMembers = (run: RunInRounds) =>
  comparedOf(run, run.rounds.policy).compared.filter(({ cell }) => memberOf(cell) !== undefined);

describe('the members of a service in a comparison', () => {
  test('are compared by their CPU time under each load, and only watched', () => {
    const found = ofMembers(chainRun());

    expect(found).toHaveLength(12);
    expect(found.every(({ metric, gate }) => metric === 'cpuMicrosPerRequest' && !gate)).toBe(true);
    expect(found.slice(0, 3).map(({ cell }) => `${cell.tier} ${cell.operation}`)).toEqual([
      'saturation .gateway',
      'saturation .orders',
      'saturation .bus',
    ]);
  });

  test('are not compared if only one version has them, or a load was lost', () => {
    const withoutBus = chainRun({}, (sample) => {
      const { bus: _bus, ...members } = sample.members ?? {};
      return sample.side === 'base' ? { ...sample, members } : sample;
    });

    const { remarks } = notesOf({ result: judgeRun(withoutBus), run: withoutBus });
    expect(remarks).toContain('Of the members of REST, only head has bus.');
    expect(new Set(ofMembers(withoutBus).map(({ cell }) => memberOf(cell)))).toEqual(new Set(['gateway', 'orders']));
  });

  test('name the one that became slower, and clear the others', () => {
    const run = chainRun({ orders: 1.4 });
    const { findings, outcome } = listsOf(judgeRun(run));
    const verdict = (operation: string) =>
      findings.find(({ cell }) => cell.tier === 'saturation' && cell.operation === operation);

    expect(outcome).toBe('regressed');
    expect(verdict('.orders')).toMatchObject({ verdict: 'regressed', family: 'watch' });
    expect(verdict('.orders')?.change.estimate).toBeCloseTo(0.4, 1);
    expect(verdict('.gateway')?.verdict).toBe('unchanged');
    const text = terminalOf(comparisonDocument(run, judgeRun(run)), PLAIN);
    expect(text).toMatch(/- REST, saturation: .*\(CPU per request; also\s+orders CPU per request \+40/);
    expect(text).toMatch(/^gateway CPU per request,\s+saturation\s+same \(not gating\)/m);
  });

  test('may fail a pull request alone, if the policy says so', () => {
    // The bus got faster by as much as the orders became slower: the whole stays as it was.
    const slowness = { orders: 1.1, bus: 0.85 };

    expect(judgeRun(chainRun(slowness)).outcome).toBe('passed');
    const gated = chainRun(slowness);
    const rounds = { ...gated.rounds, policy: GATING };
    expect(judgeRun({ ...gated, rounds })).toMatchObject({ outcome: 'regressed' });
  });

  test('are too many in the file of a stranger', () => {
    const many = Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`m${index}`, {}]));
    const text = formatRun(chainRun({}, (sample) => ({ ...sample, members: many })));

    expect(() => parseRun(text, 'run.json')).toThrow(/members: has more than 32 members/);
  });

  test('go through run.json', () => {
    const run = chainRun();
    expect(parseRun(formatRun(run), 'run.json')).toEqual(JSON.parse(formatRun(run)));
  });
});
