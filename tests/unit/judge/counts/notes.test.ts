import { describe, expect, test } from 'vitest';
import { isDecided, judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { tooSlowToCount } from '../../../../src/model/run/instructions.ts';
import type { RunInRounds } from '../../../../src/model/run/run.ts';
import { notesOf } from '../../../../src/report/views/notes.ts';
import { listsOf } from '../../../support/result-lists.ts';
import { REST_STARTS, type SampleCounts, SLOWER_STARTS, withCounts } from '../../../support/sample-counts.ts';
import { type SampleRoundsOptions, sampleRounds } from '../../../support/sample-rounds.ts';

const QUIET: SampleRoundsOptions = { services: ['rest'], rounds: 12, noise: 0.3 };
const DEARER: SampleRoundsOptions = { ...QUIET, worse: [{ service: 'rest', tier: 'saturation', by: 0.08 }] };

const judged = (rounds: SampleRoundsOptions, counts: SampleCounts) =>
  judgeRun(withCounts(sampleRounds(rounds), counts));

const textOf = (run: RunInRounds) => notesOf({ result: judgeRun(run), run }).notes.join('\n');

const notesOn = (rounds: SampleRoundsOptions, counts: SampleCounts) => textOf(withCounts(sampleRounds(rounds), counts));

describe('counts with rounds', () => {
  test('fail a pull request by themselves, and the report says how the rounds can disagree', () => {
    expect(judged(QUIET, { head: SLOWER_STARTS })).toMatchObject({ outcome: 'regressed', exitCode: 1 });
    expect(notesOn(QUIET, { head: SLOWER_STARTS })).toMatch(
      /REST: instructions per request \+1\.4%, but service CPU time per request .*: counts show smaller changes/,
    );
  });

  test('are explained if only the rounds got worse', () => {
    expect(notesOn(DEARER, {})).toMatch(/REST: instructions per request 0%, but .* \+\d.*%: check kernel time/);
  });

  test.each<[string, SampleRoundsOptions, SampleCounts]>([
    ['agree that nothing changed', QUIET, {}],
    ['agree that it got worse', DEARER, { head: SLOWER_STARTS }],
  ])('need no explanation if both %s', (_, rounds, counts) => {
    expect(notesOn(rounds, counts)).not.toMatch(/instructions per request/);
  });

  test('hold up no rounds: only a regression ends a service', () => {
    const near = { head: REST_STARTS.map((start) => start.map((count) => Math.round(count * 1.0098))) };

    expect(listsOf(judged(QUIET, near)).findings[0]).toMatchObject({ metric: 'instructionsPerRequest' });
    expect(isDecided(judged(QUIET, near), 'rest')).toBe(isDecided(judgeRun(sampleRounds(QUIET)), 'rest'));
    expect(isDecided(judged(QUIET, { head: SLOWER_STARTS }), 'rest')).toBe(true);
  });

  test('do not replace rounds that are too few', () => {
    expect(judged({ ...QUIET, rounds: 3 }, {})).toMatchObject({ outcome: 'incomplete', exitCode: 2 });
  });

  const noteOnStarts = (starts: number, change: Partial<RunInRounds['rounds']> = {}) => {
    const own = REST_STARTS.slice(0, starts);
    const run = withCounts(sampleRounds(QUIET), { base: own, head: own });
    return textOf({ ...run, rounds: { ...run.rounds, ...change } });
  };

  test('say that time was too short for another start if each version was started once', () => {
    expect(noteOnStarts(1)).toContain(
      'REST: instructions were not counted: each version has to be started 2 times, and the first start left too little time for another. The rounds',
    );
    expect(noteOnStarts(1, { versus: { reference: 'soap' } })).toContain('each service has to be started 2 times');
    expect(noteOnStarts(0)).toContain('not counted: there was too little time left to start both versions. The rounds');
  });

  test('do not blame the time if someone ended the measurement, or a job counted nothing', () => {
    expect(noteOnStarts(1, { ended: 'interrupted', rounds: [] })).toContain(
      'the measurement was interrupted before each version had been started 2 times',
    );
    expect(noteOnStarts(0, { shards: { kind: 'merged', of: 1, services: [['rest']], measured: [] } })).toContain(
      'not counted: the job that measured it counted nothing; see its log for the reason. The rounds',
    );
  });

  test('are noted, and not reported as missing, if a service could not be counted', () => {
    const failures = [{ service: 'rest', side: 'base' as const, message: 'it ended by itself', next: 'Look.' }];
    const counts = { base: [], head: [], failures };

    expect(listsOf(judged(QUIET, counts)).uncompared).toEqual([]);
    expect(notesOn(QUIET, counts)).toContain(
      'REST: instructions were not counted, base: it ended by itself. The rounds do not need them.',
    );
  });

  test('are a remark and no note of a service on a JVM, which is never counted with rounds', () => {
    const brief = tooSlowToCount('a JVM');
    const failures = [{ service: 'rest', side: 'base' as const, message: `rest: ${brief}`, brief }];
    const run = withCounts(sampleRounds(QUIET), { base: [], head: [], failures });
    const { notes, remarks } = notesOf({ result: judgeRun(run), run });

    expect(notes.join('\n')).not.toContain('JVM');
    expect(remarks.join('\n')).toContain(brief);
  });

  test('are a note of a failure whose text only ends like that', () => {
    const brief = `it exited: ${tooSlowToCount('a JVM')}`;
    const failures = [{ service: 'rest', side: 'base' as const, message: `rest: ${brief}`, brief }];

    expect(notesOn(QUIET, { base: [], head: [], failures })).toContain(brief);
  });
});
