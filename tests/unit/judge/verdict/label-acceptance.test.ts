import { describe, expect, test } from 'vitest';
import { isAccepted } from '../../../../src/judge/verdict/finding.ts';
import { judgedRun, judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { acceptedByLabel, acceptedBySize, shownRows } from '../../../../src/judge/verdict/label.ts';
import { formatRun, parseRun, type RunInRounds } from '../../../../src/model/run/run.ts';
import { type SampleRoundsOptions, sampleRounds } from '../../../support/sample-rounds.ts';

const EVENT = { by: 'ada', at: '2026-11-21T00:50:00Z' };
const SEEN = 'a'.repeat(40);
const LATER = 'b'.repeat(40);

/** REST needs so much more CPU at saturation in that commit. */
function slower(by: number, commit = SEEN, options: SampleRoundsOptions = {}): RunInRounds {
  const worse = [{ service: 'rest' as const, tier: 'saturation', metric: 'cpuMicrosPerRequest' as const, by }];
  const run = sampleRounds({ noise: 0.3, rounds: 15, worse, ...options });
  return { ...run, rounds: { ...run.rounds, head: { ...run.rounds.head, commit, dirty: false } } };
}

const shown = (run: RunInRounds) => ({ head: run.rounds.head.commit ?? '', rows: shownRows(judgeRun(run)) });

describe('what a comment shows', () => {
  test('is nothing without a regression', () => {
    expect(shownRows(judgeRun(slower(0)))).toEqual([]);
  });

  test('is each regression up to the worse end of its interval, before what only got worse', () => {
    const result = judgeRun(slower(0.08));
    const rows = shownRows(result);
    const cpu = result.findings.find(
      ({ metric, verdict }) => metric === 'cpuMicrosPerRequest' && verdict === 'regressed',
    );

    expect(rows[0]).toEqual({
      ...{ service: 'rest', operation: 'all', tier: 'saturation', metric: 'cpuMicrosPerRequest' },
      upTo: cpu?.change.high,
      isRed: true,
    });
    expect(rows.map(({ isRed }) => isRed)).toEqual(
      rows
        .map(({ isRed }) => isRed)
        .toSorted()
        .toReversed(),
    );
    expect(rows.every(({ upTo }) => upTo > 0)).toBe(true);
  });

  test('goes on to be shown once it is accepted', () => {
    const run = slower(0.08);
    const accepted = judgeRun(acceptedByLabel(judgedRun(run), EVENT, shown(run)));

    expect(accepted.outcome).toBe('passed');
    expect(shownRows(accepted)).toEqual(shownRows(judgeRun(run)));
  });
});

describe('the label', () => {
  test('accepts what was shown, with who and when, and the commit that was shown', () => {
    const run = slower(0.08);
    expect(judgeRun(run)).toMatchObject({ outcome: 'regressed', exitCode: 1 });

    const result = judgeRun(acceptedByLabel(judgedRun(run), EVENT, shown(run)));

    expect(result.exitCode).toBe(0);
    expect(result.findings.filter(isAccepted)[0]?.accepted).toMatchObject({
      ...EVENT,
      why: 'label "wiregauge: accepted", set when aaaaaaaaaa was shown',
    });
  });

  test('goes on for a later commit that is no slower, and is red again for one that is', () => {
    const same = judgedRun(slower(0.08, LATER));
    const worse = judgedRun(slower(0.16, LATER));
    const seen = shown(slower(0.08));

    expect(judgeRun(acceptedByLabel(same, EVENT, seen)).outcome).toBe('passed');
    const again = judgeRun(acceptedByLabel(worse, EVENT, seen));
    expect([again.outcome, again.exitCode]).toEqual(['regressed', 1]);
    expect(again.notes.join('\n')).toMatch(/is EXCEEDED: cpuMicrosPerRequest of rest at saturation changed by 1[56]/);
  });

  test('accepts nothing of a later commit that was shown as no regression, and of the same commit at its size only', () => {
    const seen = shown(slower(0.08));
    const rows = seen.rows.map((row) => ({ ...row, isRed: false }));

    expect(judgeRun(acceptedByLabel(judgedRun(slower(0.08, LATER)), EVENT, { ...seen, rows })).outcome).toBe(
      'regressed',
    );
    expect(judgeRun(acceptedByLabel(judgedRun(slower(0.08)), EVENT, { ...seen, rows })).outcome).toBe('passed');
    expect(judgeRun(acceptedByLabel(judgedRun(slower(0.16)), EVENT, { ...seen, rows })).outcome).toBe('regressed');
  });

  test('leaves a file from which the same verdict follows', () => {
    const seen = slower(0.08);
    const run = acceptedByLabel(judgedRun(seen), EVENT, shown(seen));
    const read = parseRun(formatRun(run), 'run.json') as RunInRounds;
    expect(judgeRun(read)).toEqual(judgeRun(run));
  });

  test('accepts no failures, and nothing where nothing regressed', () => {
    const failing = slower(0.08, SEEN, {
      failed: [{ service: 'grpc', side: 'head', times: 2 }],
      services: ['rest', 'grpc'],
    });
    const before = judgeRun(failing);
    expect(before.outcome).toBe('failed');
    expect(judgeRun(acceptedByLabel(judgedRun(failing), EVENT, shown(failing)))).toMatchObject({ outcome: 'failed' });
    const quiet = sampleRounds();
    expect(acceptedByLabel(judgedRun(quiet), EVENT, { head: SEEN, rows: [] })).toEqual(quiet);
  });
});

describe('a size', () => {
  test('accepts every regression up to it, in whichever commit, and none beyond it', () => {
    const within = judgeRun(acceptedBySize(judgedRun(slower(0.08, LATER)), EVENT, 0.1));
    const beyond = judgeRun(acceptedBySize(judgedRun(slower(0.16, LATER)), EVENT, 0.1));

    expect(within.outcome).toBe('passed');
    expect(within.findings.filter(isAccepted)[0]?.accepted).toMatchObject({
      ...EVENT,
      upTo: 0.1,
      why: 'comment "/wiregauge accept 10%"',
    });
    expect(beyond.outcome).toBe('regressed');
    expect(beyond.notes.join('\n')).toMatch(/up to 10 % \(comment "\/wiregauge accept 10%"\) is EXCEEDED/);
  });
});
