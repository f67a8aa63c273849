import { describe, expect, test } from 'vitest';
import { comparisonOutputs } from '../../../../src/commands/action/outcome.ts';
import { isFullPass } from '../../../../src/judge/verdict/coverage.ts';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { mergeRuns } from '../../../../src/model/run/merge.ts';
import { formatRun, parseRun, type RunInRounds } from '../../../../src/model/run/run.ts';
import { comparisonComment } from '../../../../src/report/comment/comment.ts';
import { comparisonDocument } from '../../../../src/report/comparison/document.ts';
import { headline } from '../../../../src/report/comparison/sentences.ts';
import { viewComparison } from '../../../../src/report/comparison/view.ts';
import { markdownOf } from '../../../../src/report/render/markdown.ts';
import { listsOf } from '../../../support/result-lists.ts';
import { CONTEXT } from '../../../support/sample-comment.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';
import { threeShards } from '../../../support/sample-shards.ts';

/** The run without the figures of these services, as a comparison leaves it that did not measure them. */
function withIdentical(run: RunInRounds, services: readonly string[]): RunInRounds {
  const { base, head, rounds } = run.rounds;
  const isLeft = (name: string): boolean => !services.includes(name);
  return {
    ...run,
    samples: run.samples.filter(({ cell }) => isLeft(cell.service)),
    rounds: {
      ...run.rounds,
      base: { ...base, services: base.services.filter(isLeft) },
      head: { ...head, services: head.services.filter(isLeft) },
      rounds: rounds.filter(({ service }) => isLeft(service)),
      identical: services.map((service) => ({ service })),
    },
  };
}

const BOTH = sampleRounds({ services: ['rest', 'grpc'] });
const NOTHING = withIdentical(BOTH, ['rest', 'grpc']);

describe('a comparison of versions that run the same files', () => {
  const result = judgeRun(NOTHING);

  test('passes in full, with a sentence that says so', () => {
    expect([result.outcome, result.exitCode, isFullPass(result)]).toEqual(['passed', 0, true]);
    expect(headline(viewComparison(result, NOTHING))).toBe('Nothing to measure: both versions run the same files.');
    expect(result.identical).toEqual(['rest', 'grpc']);
    expect(comparisonOutputs({ run: NOTHING, result })).toMatchObject({
      outcome: 'passed',
      identical: '["rest","grpc"]',
    });
  });

  test('names the services in the comment and in the report', () => {
    for (const text of [comparisonComment(NOTHING, result, CONTEXT), markdownOf(comparisonDocument(NOTHING, result))]) {
      expect(text).toContain('Nothing to measure: both versions run the same files');
      expect(text).toMatch(/Not measured: .*REST.* and .*gRPC.* run the same files in both versions\./);
      expect(text).not.toMatch(/gating row|rounds of the profile/);
    }
    expect(comparisonComment(NOTHING, result, CONTEXT)).toMatch(/✅/);
  });

  test('has no acceptance and no budget to miss a figure', () => {
    const acceptance = { metric: 'latencyP50Ms', upTo: 0.1, until: '2999-01-01', why: 'wanted' } as const;
    const { policy } = NOTHING.rounds;
    const accepted = [acceptance, { ...acceptance, service: 'rest' }];

    const judged = judgeRun({ ...NOTHING, rounds: { ...NOTHING.rounds, policy: { ...policy, accepted } } });

    expect(judged.notes).toEqual([]);
  });

  test('is the same after its file was written and read', () => {
    const unopened = ['/README.md'];
    const run = { ...NOTHING, rounds: { ...NOTHING.rounds, identical: [{ service: 'rest', unopened }] } };

    expect(parseRun(formatRun(run), 'run.json').rounds?.identical).toEqual([{ service: 'rest', unopened }]);
  });
});

test('with one service that differs, that one alone is judged, and the other is named', () => {
  const run = withIdentical(
    sampleRounds({ services: ['rest', 'grpc'], worse: [{ service: 'rest', tier: 'saturation', by: 0.2 }] }),
    ['grpc'],
  );
  const result = judgeRun(run);

  expect(result.outcome).toBe('regressed');
  expect(new Set(listsOf(result).findings.map(({ cell }) => cell.service))).toEqual(new Set(['rest']));
  expect(listsOf(result).uncompared).toEqual([]);
  expect(comparisonComment(run, result, CONTEXT)).toMatch(
    /Not measured: .*gRPC.* runs the same files in both versions\./,
  );
});

test('does not pass for a service of which nothing was seen', () => {
  const run = withIdentical(BOTH, ['grpc']);
  const result = judgeRun({ ...run, samples: [], rounds: { ...run.rounds, rounds: [] } });

  expect(result.outcome).toBe('incomplete');
});

test('shards whose services all run the same files are merged to the same', () => {
  const shards = threeShards([{}, {}, {}]).map(({ file, run }) => ({
    file,
    run: withIdentical(run as RunInRounds, (run as RunInRounds).rounds.head.services),
  }));
  const merged = mergeRuns(shards as [(typeof shards)[number]]) as RunInRounds;

  expect(listsOf(judgeRun(merged))).toMatchObject({ outcome: 'passed', exitCode: 0, uncompared: [] });
  expect(merged.rounds.identical).toHaveLength(3);
});
