import { describe, expect, test } from 'vitest';
import type { Acceptance } from '../../../../src/model/policy.ts';
import { notesOf } from '../../../../src/report/views/notes.ts';
import { listsOf } from '../../../support/result-lists.ts';
import { judged, made } from './made-input.ts';

const ACCEPTED: Acceptance = {
  service: 'rest',
  tier: 'saturation',
  metric: 'cpuMicrosPerRequest',
  upTo: 0.2,
  until: '2027-01-31',
  why: 'checks signatures now',
};

const slower = made({ worse: 0.1 });

/** A result with its notes as sentences. */
const said = (...parts: Parameters<typeof judged>) => {
  const result = judged(...parts);
  return { ...listsOf(result), ...notesOf({ result }) };
};

describe('an accepted regression', () => {
  test('is noted, and fails nothing', () => {
    const { findings, outcome, exitCode, notes } = said([slower], { accepted: [ACCEPTED] });

    expect(findings[0]).toMatchObject({ verdict: 'regressed', accepted: ACCEPTED });
    expect({ outcome, exitCode, notes }).toEqual({ outcome: 'passed', exitCode: 0, notes: [] });
  });

  test('holds on its last day, and not after', () => {
    const on = judged([slower], { accepted: [ACCEPTED] }, { day: '2027-01-31' });
    const after = said([slower], { accepted: [ACCEPTED] }, { day: '2027-02-01' });

    expect(on.outcome).toBe('passed');
    expect(after).toMatchObject({ outcome: 'regressed', exitCode: 1 });
    expect(after.findings[0]).not.toHaveProperty('accepted');
    expect(after.notes).toEqual([
      'The acceptance of cpuMicrosPerRequest of rest/*/saturation up to 20% (checks signatures now) EXPIRED on 2027-01-31: what it accepted counts as a regression again.',
    ]);
  });

  test('asks to be removed where it expired and nothing needs it', () => {
    const { notes, outcome } = said([made()], { accepted: [ACCEPTED] }, { day: '2027-02-01' });

    expect(outcome).toBe('passed');
    expect(notes).toEqual([expect.stringMatching(/EXPIRED on 2027-01-31: remove it\.$/)]);
  });

  test('counts again where it is larger than what was accepted', () => {
    const { notes, outcome } = said([slower], { accepted: [{ ...ACCEPTED, upTo: 0.05 }] });

    expect(outcome).toBe('regressed');
    expect(notes).toEqual([
      expect.stringMatching(/ is EXCEEDED: cpuMicrosPerRequest of rest at saturation changed by 10%\.$/),
    ]);
  });

  test('takes the size of a rate as it is shown', () => {
    const fewer = made({ metric: 'achievedRps', better: 'higher', worse: 1 / 0.9 - 1 });

    const accepted = { ...ACCEPTED, metric: 'achievedRps', upTo: 0.105 };

    expect(judged([fewer], { accepted: [accepted] }).outcome).toBe('passed');
  });

  test('counts where another acceptance of it holds', () => {
    const small = { ...ACCEPTED, upTo: 0.05 };

    const { notes, outcome } = said([slower], { accepted: [small, ACCEPTED] });

    expect({ notes, outcome }).toEqual({ notes: [], outcome: 'passed' });
  });

  test('does not cover another place or metric, and says when it matches nothing', () => {
    const other = { ...ACCEPTED, service: 'grpc' };

    const { notes, outcome } = said([slower], { accepted: [other] });

    expect(outcome).toBe('regressed');
    expect(notes).toEqual([expect.stringMatching(/of grpc\/\*\/saturation .* matches no comparison\.$/)]);
  });

  test('never expires if the day is unknown, which is noted', () => {
    const { notes, outcome } = said([slower], { accepted: [ACCEPTED] }, { day: undefined });

    expect(outcome).toBe('passed');
    expect(notes).toEqual([expect.stringContaining('no acceptance expires')]);
  });
});
