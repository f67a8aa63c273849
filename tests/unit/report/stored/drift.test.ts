import { describe, expect, it } from 'vitest';
import { anchoredPolicy } from '../../../../src/judge/drift/drift.ts';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { DEFAULT_POLICY } from '../../../../src/model/policy.ts';
import type { StoredDrift } from '../../../../src/model/run/anchor.ts';
import type { RunInRounds } from '../../../../src/model/run/run.ts';
import { comparisonComment } from '../../../../src/report/comment/comment.ts';
import { headline } from '../../../../src/report/comparison/sentences.ts';
import { viewComparison } from '../../../../src/report/comparison/view.ts';
import { chainSentence } from '../../../../src/report/stored/drift.ts';
import { CONTEXT } from '../../../support/sample-comment.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';

const WORSE = { noise: 0.3, worse: [{ service: 'rest', tier: 'saturation', by: 0.08 }] };
const COMMIT = 'a'.repeat(40);

const CPU = {
  service: 'rest',
  operation: 'all',
  tier: 'saturation',
  metric: 'cpuMicrosPerRequest',
  ratio: 1.03,
  spread: 0.004,
};

const STORED: StoredDrift = {
  anchor: { name: 'v1.4.0', commit: COMMIT },
  commit: 'b'.repeat(40),
  ratios: [CPU],
  recent: { runs: 20, ratios: [{ ...CPU, ratio: 1.02, spread: 0.001 }] },
};

function commentWith(stored: StoredDrift | undefined, policy: Partial<typeof DEFAULT_POLICY> = {}): string {
  const run = sampleRounds({ noise: 0.3 });
  const rounds = {
    ...run.rounds,
    policy: { ...run.rounds.policy, ...policy },
    ...(stored !== undefined && { stored }),
  };
  return comparisonComment({ ...run, rounds }, judgeRun({ ...run, rounds }), CONTEXT);
}

const lineOf = (comment: string) => comment.split('\n').find((line) => line.startsWith('- Drift'));

describe('the line of a comment about the drift', () => {
  it('has the drift since the anchor, and against the newest runs', () => {
    expect(lineOf(commentWith(STORED))).toMatch(
      /^- Drift since v1\.4\.0, with this change, measured at bbbbbbb: REST \+3\.\d% CPU per request \\\[\+2\.\d, \+3\.\d\\\], \+1\.\d% \\\[\+0\.\d, \+1\.\d\\\] against the last 20 runs there\.$/,
    );
  });

  it('names the limit of the policy', () => {
    const drift = [{ metric: 'cpuMicrosPerRequest', limit: 0.05 }];

    expect(lineOf(commentWith(STORED, { drift }))).toContain('(limit +5.0%)');
    expect(lineOf(commentWith({ ...STORED, ratios: [{ ...CPU, ratio: 1.09 }] }, { drift }))).toContain(
      'over the limit of',
    );
  });

  it('is not there without a history, and collects as long as nothing is anchored', () => {
    expect(lineOf(commentWith(undefined))).toBeUndefined();
    expect(lineOf(commentWith({ ratios: [], recent: { runs: 0, ratios: [] } }))).toMatch(/^- Drift: collecting;/);
  });

  it('escapes the name of the anchor, which anybody who may write to the branch has chosen', () => {
    const name = '[x](https://evil.example) <img src=x> @team `v1`';
    const line = lineOf(commentWith({ ...STORED, anchor: { name, commit: COMMIT } })) ?? '';

    expect(line).toContain('\\[x\\](https:\u200b//');
    expect(line).not.toContain('<img');
    expect(line).not.toMatch(/(^|[^\\\w])@team/);
  });
});

describe('the headline of a comparison with an anchor', () => {
  function anchored(change: Partial<NonNullable<RunInRounds['rounds']['anchor']>>, limit?: number) {
    const run = sampleRounds(WORSE);
    const drift = limit === undefined ? [] : [{ metric: 'cpuMicrosPerRequest', limit }];
    const anchor = { name: 'v1.4.0', commit: COMMIT, ...change };
    const whole = { ...run, rounds: { ...run.rounds, anchor, policy: anchoredPolicy({ ...DEFAULT_POLICY, drift }) } };
    return viewComparison(judgeRun(whole), whole);
  }

  it('says how far each service is from it, the worst first', () => {
    expect(headline(anchored({}))).toMatch(
      /^Since v1\.4\.0: REST \+[78]\.\d% CPU per request \[\+[78]\.\d, \+[89]\.\d\]; gRPC /,
    );
  });

  it('says what is over its limit', () => {
    expect(headline(anchored({}, 0.05))).toMatch(
      /^Drift: REST, CPU per request, saturation: \+.* since v1\.4\.0, over the limit of \+5\.0%/,
    );
  });

  it('says that the chain goes on from another commit', () => {
    expect(chainSentence(anchored({}))).toBeUndefined();
    expect(chainSentence(anchored({ through: { commit: 'c'.repeat(40), ratios: [CPU] } }))).toContain(
      'The base is ccccccc',
    );
  });
});
