import { describe, expect, test } from 'vitest';
import { isDecided, judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { REST_STARTS, type SampleCounts, SLOWER_STARTS, withCounts } from '../../../support/sample-counts.ts';
import { type SampleRoundsOptions, sampleRounds } from '../../../support/sample-rounds.ts';

const QUIET: SampleRoundsOptions = { services: ['rest'], rounds: 12, noise: 0.3 };
const DEARER: SampleRoundsOptions = { ...QUIET, worse: [{ service: 'rest', tier: 'saturation', by: 0.08 }] };

const judged = (rounds: SampleRoundsOptions, counts: SampleCounts) =>
  judgeRun(withCounts(sampleRounds(rounds), counts));

const notesOn = (rounds: SampleRoundsOptions, counts: SampleCounts) => judged(rounds, counts).notes.join('\n');

describe('counts beside rounds', () => {
  test('fail a pull request by themselves, and the report says how the rounds can disagree', () => {
    expect(judged(QUIET, { head: SLOWER_STARTS })).toMatchObject({ outcome: 'regressed', exitCode: 1 });
    expect(notesOn(QUIET, { head: SLOWER_STARTS })).toMatch(
      /rest executes more instructions per request \(\+1\.4 %\), and the rounds show no regression \(CPU time per request at saturation /,
    );
  });

  test('are explained if only the rounds got worse', () => {
    expect(notesOn(DEARER, {})).toMatch(
      /rest got worse in the rounds \(.* \+\d.* %\), and its instructions per request did not \(0 %\): look for time in the kernel/,
    );
  });

  test.each<[string, SampleRoundsOptions, SampleCounts]>([
    ['agree that nothing changed', QUIET, {}],
    ['agree that it got worse', DEARER, { head: SLOWER_STARTS }],
  ])('need no explanation if both %s', (_, rounds, counts) => {
    expect(notesOn(rounds, counts)).not.toMatch(/instructions per request/);
  });

  test('hold up no rounds: only a regression ends a service', () => {
    const near = { head: REST_STARTS.map((start) => start.map((count) => Math.round(count * 1.0098))) };

    expect(judged(QUIET, near).findings[0]).toMatchObject({ metric: 'instructionsPerRequest' });
    expect(isDecided(judged(QUIET, near), 'rest')).toBe(isDecided(judgeRun(sampleRounds(QUIET)), 'rest'));
    expect(isDecided(judged(QUIET, { head: SLOWER_STARTS }), 'rest')).toBe(true);
  });

  test('do not stand for rounds that are too few', () => {
    expect(judged({ ...QUIET, rounds: 3 }, {})).toMatchObject({ outcome: 'incomplete', exitCode: 2 });
  });

  test('are noted and missed by nobody if a service could not be counted', () => {
    const failures = [{ service: 'rest', side: 'base' as const, message: 'it ended by itself', next: 'Look.' }];
    const result = judged(QUIET, { base: [], head: [], failures });

    expect(result.uncompared).toEqual([]);
    expect(result.notes).toContain(
      'rest: instructions were not counted, base: it ended by itself. The rounds do not need them.',
    );
  });
});
