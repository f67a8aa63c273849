import { describe, expect, test } from 'vitest';
import { conclusionOf } from '../../../../src/commands/pull-request/verdict.ts';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { mergeRuns } from '../../../../src/model/run/merge.ts';
import { formatRun, parseRun, type RunInRounds } from '../../../../src/model/run/run.ts';
import { comparisonComment } from '../../../../src/report/comment/comment.ts';
import { notesOf } from '../../../../src/report/views/notes.ts';
import { REPORTS } from '../../../support/reports.ts';
import { listsOf } from '../../../support/result-lists.ts';
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
      expect(comparisonComment(one, judged, CONTEXT).split('\n')[1]).toMatch(/^### ❌ Failed in head only: REST \(/);
    }
  });

  test('is reported with its exit code and what it printed in every report, and once for all services', () => {
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
    expect(listsOf(result).uncompared).toMatchObject([{ cell: { service: 'two' }, reason: 'head-failed' }]);
    expect(listsOf(result).findings.length).toBeGreaterThan(0);
  });
});

describe('a base that only the configuration of the head describes', () => {
  const adopted = (run: RunInRounds): RunInRounds => {
    const { rounds } = run;
    return { ...run, rounds: { ...rounds, base: { ...rounds.base, adopted: 'no-configuration' } } };
  };
  const both = sampleRounds({ services: ['rest', 'grpc'] });
  const notBuilt = (run: RunInRounds, services: readonly string[]): RunInRounds => ({
    ...run,
    samples: [],
    rounds: { ...run.rounds, rounds: [], ended: 'decided', unbuilt: [{ ...FAILURE, side: 'base', services }] },
  });
  const crashing = sampleRounds({
    services: ['rest'],
    failed: [{ service: 'rest', side: 'base', times: 2 }],
    rounds: 0,
  });

  test.each([
    ['does not build', adopted(notBuilt(both, ['rest', 'grpc']))],
    ['does not start', adopted(crashing)],
  ])('passes as a first run if it %s, neutral and with words of its own', (_what, run) => {
    const result = judgeRun(run);
    const comment = comparisonComment(run, result, CONTEXT);

    expect([result.outcome, result.exitCode]).toEqual(['passed', 0]);
    expect(conclusionOf(result, undefined)).toBe('neutral');
    expect(comment.split('\n')[1]).toContain(
      'First run: this pull request adds Wiregauge. The next one gets a verdict.',
    );
    expect(comment).toContain('The base has no configuration of Wiregauge');
    expect(listsOf(result).uncompared[0]?.detail).toMatchObject({ kind: 'failed', isAdopted: true });
    expect(judgeRun(parseRun(formatRun(run), 'run.json') as RunInRounds)).toEqual(result);
    for (const render of Object.values(REPORTS)) {
      expect(render({ run, against: undefined, compared: result })).toContain('First run: this pull request adds');
    }
  });

  test('names the services that are new to a base that has others', () => {
    const { rounds, ...run } = adopted(crashing);
    const renamed: RunInRounds = {
      ...run,
      rounds: { ...rounds, base: { ...rounds.base, adopted: 'other-configuration' } },
    };

    expect(comparisonComment(renamed, judgeRun(renamed), CONTEXT)).toContain('First run: this pull request adds REST.');
  });

  test('is judged like any other if it answers, and the report names its configuration', () => {
    const run = adopted(both);
    const result = judgeRun(run);

    expect(result).toEqual(judgeRun(both));
    expect(notesOf({ result, run }).notes).toEqual([
      'The base has no configuration of Wiregauge: its code is built and measured with the configuration of the head, whose policy judges.',
    ]);
  });

  test('leaves what fails in the head a failure', () => {
    const failing = sampleRounds({
      services: ['rest'],
      failed: [{ service: 'rest', side: 'head', times: 2 }],
      rounds: 0,
    });

    expect(judgeRun(adopted(failing)).outcome).toBe('failed');
  });

  test.each([
    ['does not build', notBuilt(both, ['rest', 'grpc'])],
    ['does not start', crashing],
  ])('is needed: one with a configuration of its own that %s leaves nothing judged', (_what, run) => {
    expect(judgeRun(run).outcome).toBe('incomplete');
  });
});
