import { describe, expect, test } from 'vitest';
import { judgedRun, judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { shownRows, withAcceptedRows } from '../../../../src/judge/verdict/label.ts';
import { formatRun, parseRun, type RunInRounds } from '../../../../src/model/run/run.ts';
import { notesOf } from '../../../../src/report/views/notes.ts';
import { listsOf } from '../../../support/result-lists.ts';
import { type SampleRoundsOptions, sampleRounds } from '../../../support/sample-rounds.ts';

const EVENT = { by: 'ada', at: '2026-11-21T00:50:00Z' };
const LABELED = 'label "wiregauge: accepted"';
const SEEN = 'a'.repeat(40);
const LATER = 'b'.repeat(40);

/** REST needs so much more CPU at saturation in that commit. */
function slower(by: number, commit = SEEN, options: SampleRoundsOptions = {}): RunInRounds {
  const worse = [{ service: 'rest' as const, tier: 'saturation', metric: 'cpuMicrosPerRequest' as const, by }];
  const run = sampleRounds({ noise: 0.3, rounds: 8, worse, ...options });
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
    const cpu = listsOf(result).findings.find(
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
    const accepted = judgeRun(withAcceptedRows(judgedRun(run), { ...EVENT, how: LABELED, shown: shown(run) }));

    expect(accepted.outcome).toBe('passed');
    expect(shownRows(accepted)).toEqual(shownRows(judgeRun(run)));
  });
});

describe('the label', () => {
  test('accepts what was shown, with who and when, and the commit that was shown', () => {
    const run = slower(0.08);
    expect(judgeRun(run)).toMatchObject({ outcome: 'regressed', exitCode: 1 });

    const result = judgeRun(withAcceptedRows(judgedRun(run), { ...EVENT, how: LABELED, shown: shown(run) }));

    expect(result.exitCode).toBe(0);
    expect(listsOf(result).findings.filter((one) => one.accepted)[0]?.accepted).toMatchObject({
      ...EVENT,
      why: 'label "wiregauge: accepted", when aaaaaaa was shown',
    });
  });

  test('goes on for a later commit that is not slower, and is red again for one that is', () => {
    const same = judgedRun(slower(0.08, LATER));
    const worse = judgedRun(slower(0.16, LATER));
    const seen = shown(slower(0.08));

    expect(judgeRun(withAcceptedRows(same, { ...EVENT, how: LABELED, shown: seen })).outcome).toBe('passed');
    const again = judgeRun(withAcceptedRows(worse, { ...EVENT, how: LABELED, shown: seen }));
    expect([again.outcome, again.exitCode]).toEqual(['regressed', 1]);
    expect(notesOf({ result: again }).notes.join('\n')).toMatch(
      /is EXCEEDED: cpuMicrosPerRequest of rest at saturation changed by 1[56]/,
    );
  });

  test('accepts nothing of a later commit that was shown as no regression, and of the same commit at its size only', () => {
    const seen = shown(slower(0.08));
    const rows = seen.rows.map((row) => ({ ...row, isRed: false }));

    expect(
      judgeRun(
        withAcceptedRows(judgedRun(slower(0.08, LATER)), {
          ...EVENT,
          how: LABELED,
          shown: { ...seen, rows },
        }),
      ).outcome,
    ).toBe('regressed');
    expect(
      judgeRun(
        withAcceptedRows(judgedRun(slower(0.08)), {
          ...EVENT,
          how: LABELED,
          shown: { ...seen, rows },
        }),
      ).outcome,
    ).toBe('passed');
    expect(
      judgeRun(
        withAcceptedRows(judgedRun(slower(0.16)), {
          ...EVENT,
          how: LABELED,
          shown: { ...seen, rows },
        }),
      ).outcome,
    ).toBe('regressed');
  });

  test('leaves a file from which the same verdict follows', () => {
    const seen = slower(0.08);
    const run = withAcceptedRows(judgedRun(seen), { ...EVENT, how: LABELED, shown: shown(seen) });
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
    expect(
      judgeRun(withAcceptedRows(judgedRun(failing), { ...EVENT, how: LABELED, shown: shown(failing) })),
    ).toMatchObject({ outcome: 'failed' });
    const quiet = sampleRounds();
    expect(
      withAcceptedRows(judgedRun(quiet), {
        ...EVENT,
        how: LABELED,
        shown: { head: SEEN, rows: [] },
      }),
    ).toEqual(quiet);
  });
});

describe('a size', () => {
  const sized = (by: number, upTo: number) => {
    const judged = judgedRun(slower(by, LATER));
    const seen = { head: LATER, rows: shownRows(judged.result) };
    const how = 'comment "/wiregauge accept 10%"';
    return judgeRun(withAcceptedRows(judged, { ...EVENT, how, upTo, shown: seen }));
  };

  test('accepts what was shown up to it, and none beyond it', () => {
    const [within, beyond] = [sized(0.08, 0.1), sized(0.16, 0.1)];

    expect(within.outcome).toBe('passed');
    const [accepted] = listsOf(within).findings.filter((one) => one.accepted);
    expect(accepted?.accepted).toMatchObject({
      ...EVENT,
      why: `comment "/wiregauge accept 10%", when ${LATER.slice(0, 7)} was shown`,
    });
    // The end of the interval that was shown, which is below the size.
    expect(accepted?.accepted?.upTo).toBe(accepted?.change.high);
    expect(accepted?.accepted?.upTo).toBeLessThan(0.1);
    expect(beyond.outcome).toBe('regressed');
    expect(notesOf({ result: beyond }).notes.join('\n')).toMatch(
      /up to 10% \(comment "\/wiregauge accept 10%", when \w+ was shown\) is EXCEEDED/,
    );
  });
});
