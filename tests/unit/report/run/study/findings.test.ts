import { describe, expect, it } from 'vitest';
import { judgeRun } from '../../../../../src/judge/verdict/judge.ts';
import type { StudyFinding } from '../../../../../src/model/run/study.ts';
import { REPORTS } from '../../../../../src/report/run/reports.ts';
import { sampleMainJob, sampleVersus } from '../../../../support/sample-versus.ts';

const SATURATION = { service: 'grpc', against: 'rest', tier: 'saturation' };

const FINDINGS: readonly StudyFinding[] = [
  { says: 'half of the <b>CPU|time</b>', holdsIf: [{ ...SATURATION, metric: 'cpuMicrosPerRequest', atMost: 0.7 }] },
  { says: 'ten times the rate', holdsIf: [{ ...SATURATION, metric: 'achievedRps', atLeast: 10 }] },
  {
    says: 'less at night',
    holdsIf: [{ ...SATURATION, tier: 'night', metric: 'achievedRps', atLeast: 1, atMost: 2.5 }],
  },
];

const OPTIONS = { worse: [{ metric: 'cpuMicrosPerRequest' as const, side: 'base' as const, by: 1 }] };

function study(findings: readonly StudyFinding[]) {
  return { source: 'A study', note: 'Another machine.', figures: [], findings };
}

function reports(findings: readonly StudyFinding[]) {
  const paired = sampleVersus(OPTIONS);
  const job = sampleMainJob(OPTIONS);
  const run = { ...paired, suite: { ...paired.suite, published: study(findings) } };
  const published = { run: { ...job.run, suite: run.suite }, versus: { run, compared: judgeRun(run) } };
  return Object.entries(REPORTS).flatMap(([name, report]) => [
    [`${name} of versus`, report({ run, against: undefined, compared: judgeRun(run) })] as const,
    [`${name} of the main job`, report({ ...job, ...published })] as const,
  ]);
}

describe('the findings of a study', () => {
  it.each(reports(FINDINGS))('stand in the %s with what was measured, wanted, and cannot be told', (name, text) => {
    const plain = text.replaceAll(/<[^>]*>|\\|\*\*|\s+/g, ' ').replaceAll(/\s+/g, ' ');

    expect(plain).toMatch(/half of the .*holds.*gRPC against REST: CPU per request, saturation 0\.[45]\d*/);
    expect(plain).toMatch(
      /ten times the rate.*does not hold.*requests\/s, saturation [\d.]+ \[.*\], wanted at least 10/,
    );
    expect(plain).toMatch(/less at night.*cannot tell.*not compared, wanted at least 1 and at most 2\.5/);
    // A terminal knows no markup.
    expect(text.includes('<b>CPU')).toBe(name.startsWith('terminal'));
  });

  it.each(reports([]))('are left out of the %s where there are none', (_, text) => {
    expect(text).not.toMatch(/the study found|tested here/i);
  });
});
