import { describe, expect, test } from 'vitest';
import { isAccepted } from '../../../../src/judge/verdict/finding.ts';
import { judgedRun, judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { acceptedByLabel } from '../../../../src/judge/verdict/label.ts';
import { formatRun, parseRun, type RunInRounds } from '../../../../src/model/run/run.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';

const EVENT = { by: 'ada', at: '2026-11-21T00:50:00Z' };
const SLOWER = [{ service: 'rest', tier: 'saturation', metric: 'cpuMicrosPerRequest' as const, by: 0.12 }];

describe('acceptedByLabel', () => {
  test('turns every regression of the pull request into a noted one, with who and when', () => {
    const run = sampleRounds({ worse: SLOWER });
    expect(judgeRun(run)).toMatchObject({ outcome: 'regressed', exitCode: 1 });

    const result = judgeRun(acceptedByLabel(judgedRun(run), EVENT));

    expect(result.exitCode).toBe(0);
    const noted = result.findings.filter(isAccepted);
    expect(noted.length).toBeGreaterThan(0);
    expect(noted[0]?.accepted).toMatchObject({ ...EVENT, why: 'label "wiregauge: accepted"' });
  });

  test('leaves a file from which the same verdict follows', () => {
    const run = acceptedByLabel(judgedRun(sampleRounds({ worse: SLOWER })), EVENT);
    const read = parseRun(formatRun(run), 'run.json') as RunInRounds;
    expect(judgeRun(read)).toEqual(judgeRun(run));
  });

  test('accepts no failures, and nothing where nothing regressed', () => {
    const failing = sampleRounds({ failed: [{ service: 'rest', side: 'head', times: 2 }], services: ['rest', 'grpc'] });
    const before = judgeRun(failing);
    expect(judgeRun(acceptedByLabel(judgedRun(failing), EVENT))).toMatchObject({
      outcome: before.outcome,
      exitCode: before.exitCode,
    });
    const quiet = sampleRounds();
    expect(acceptedByLabel(judgedRun(quiet), EVENT)).toEqual(quiet);
  });
});
