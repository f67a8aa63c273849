import { describe, expect, test } from 'vitest';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { mergeRuns } from '../../../../src/model/run/merge.ts';
import { formatRun, parseRun, type RunInRounds } from '../../../../src/model/run/run.ts';
import { comparisonComment } from '../../../../src/report/comment/comment.ts';
import { REPORTS } from '../../../../src/report/run/reports.ts';
import { CONTEXT } from '../../../support/sample-comment.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';
import { threeShards } from '../../../support/sample-shards.ts';

const FAILURE = {
  message: 'rest cannot be built: `make` ended with exit code 2; its last lines:\nmake: error: no rule',
  brief: 'rest cannot be built: `make` ended with exit code 2',
  printed: 'make: error: no rule',
  next: 'Run `make` in the root of the repository, and fix the errors that it reports.',
};

function unbuilt(run: RunInRounds, services: readonly string[]): RunInRounds {
  const { rounds } = run;
  return {
    ...run,
    samples: [],
    rounds: { ...rounds, rounds: [], ended: 'decided', unbuilt: [{ ...FAILURE, services }] },
  };
}

/** A head that crashes in each of its rounds. */
const CRASHES = sampleRounds({ services: ['rest'], failed: [{ service: 'rest', side: 'head', times: 2 }], rounds: 0 });

describe('a head that does not build', () => {
  const run = unbuilt(sampleRounds({ services: ['rest', 'grpc'] }), ['rest', 'grpc']);

  test('has the outcome, the exit code and the words of one that crashes', () => {
    const result = judgeRun(run);
    const crashed = judgeRun(CRASHES);

    expect([result.outcome, result.exitCode]).toEqual(['failed', 1]);
    expect([crashed.outcome, crashed.exitCode]).toEqual(['failed', 1]);
    for (const [one, judged] of [
      [run, result],
      [CRASHES, crashed],
    ] as const) {
      expect(comparisonComment(one, judged, CONTEXT).split('\n')[1]).toMatch(/^❌ \*\*Failed in head only: REST \(/);
    }
  });

  test('is told with its exit code and what it printed in every report, and once for all services', () => {
    const result = judgeRun(run);
    const comment = comparisonComment(run, result, CONTEXT);

    expect(comment.split('\n')[1]).toContain('ended with exit code 2');
    expect(comment).toContain('```text\nmake: error: no rule\n```');
    expect(comment.match(/make: error: no rule/g)).toHaveLength(1);
    for (const render of Object.values(REPORTS)) {
      expect(render({ run, against: undefined, compared: result })).toContain('make: error: no rule');
    }
  });

  test('leaves a file from which the same follows', () => {
    const read = parseRun(formatRun(run), 'run.json') as RunInRounds;

    expect(judgeRun(read)).toEqual(judgeRun(run));
  });

  test('of one shard fails the whole, and the other shards are judged', () => {
    const files = threeShards().map((file, place) => {
      const { shards } = (file.run as RunInRounds).rounds;
      const own = shards?.kind === 'shard' ? (shards.services[shards.index - 1] ?? []) : [];
      return place === 1 ? { ...file, run: unbuilt(file.run as RunInRounds, own) } : file;
    });
    const merged = mergeRuns(files as unknown as Parameters<typeof mergeRuns>[0]) as RunInRounds;
    const result = judgeRun(merged);

    expect(result.outcome).toBe('failed');
    expect(result.uncompared).toMatchObject([{ cell: { service: 'two' }, reason: 'head-failed' }]);
    expect(result.findings.length).toBeGreaterThan(0);
  });
});
