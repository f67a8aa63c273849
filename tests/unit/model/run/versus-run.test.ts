import { describe, expect, test } from 'vitest';
import { foreignRun } from '../../../../src/judge/verdict/foreign-run.ts';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { DEFAULT_POLICY } from '../../../../src/model/policy.ts';
import { versusRun, withVersus } from '../../../../src/model/run/comparison.ts';
import { mergeRuns } from '../../../../src/model/run/merge.ts';
import { formatRun, parseRun } from '../../../../src/model/run/run.ts';
import { listsOf } from '../../../support/result-lists.ts';
import { sampleSuite } from '../../../support/sample-cells.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';
import { sampleRun } from '../../../support/sample-run.ts';
import { sampleVersus } from '../../../support/sample-versus.ts';
import { storedRunOf } from '../../../support/stored-run.ts';

const slots = sampleRun();
const paired = sampleVersus();
const run = withVersus(slots, paired);

describe('a main job with the rounds of its services', () => {
  test('comes back from its file as it was, and gives its rounds as a run that is judged the same', () => {
    const read = parseRun(formatRun(run), 'run.json');
    const rounds = versusRun(read);

    expect(read).toEqual(run);
    expect(rounds?.samples).toEqual(paired.samples);
    expect(rounds && listsOf(judgeRun(rounds)).findings).toEqual(
      listsOf(judgeRun({ ...paired, seed: run.seed })).findings,
    );
  });

  test('is a comparison where its file says that it is one, too', () => {
    const both = JSON.stringify({ ...run, rounds: paired.rounds });

    expect(parseRun(both, 'run.json')).toEqual({ ...slots, rounds: paired.rounds });
  });

  test('stays a single run: its slots alone are the past of later runs', () => {
    expect(run.rounds).toBeUndefined();
    expect(storedRunOf(run)).toEqual(storedRunOf(slots));
  });

  test('is never taken for base against head', () => {
    const rules = { headSha: '1df183b0c4a7e2f9d8b6a5c4e3f2019876543210', policy: DEFAULT_POLICY, suite: sampleSuite() };

    expect(() => foreignRun(run, rules)).toThrow(/contains no comparison of two versions/);
  });

  test('keeps its rounds when it is merged, and has those of one file only', () => {
    const other = withVersus(slots, sampleVersus({ seed: 2 }));

    expect(
      mergeRuns([
        { file: 'a', run },
        { file: 'b', run: other },
      ]).versus,
    ).toEqual(run.versus);
    expect(
      mergeRuns([
        { file: 'a', run: slots },
        { file: 'b', run: other },
      ]).versus,
    ).toEqual(other.versus);
  });

  test('is refused where the mark of its rounds is gone, by which they differ from those of versions', () => {
    const unmarked = formatRun(run).replace('"versus":{"reference":"rest"}', '"other":1');

    expect(() => parseRun(unmarked, 'run.json')).toThrow(/versus/);
  });
});

test('versusRun takes the run of `wiregauge versus` as it is, and finds nothing in others', () => {
  expect(versusRun(paired)).toEqual(paired);
  expect(versusRun(slots)).toBeUndefined();
  expect(versusRun(sampleRounds())).toBeUndefined();
});

test('withVersus takes no rounds of versions', () => {
  expect(() => withVersus(slots, sampleRounds())).toThrow(RangeError);
});
