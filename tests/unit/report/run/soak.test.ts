import { expect, test } from 'vitest';
import { judgmentData } from '../../../../src/commands/runs/report.ts';
import { SOAK } from '../../../../src/model/plan.ts';
import { REPORTS } from '../../../support/reports.ts';
import { sampleRun } from '../../../support/sample-run.ts';

const { plan, samples, ...run } = sampleRun();

/** A soak in which REST keeps 1 MiB a second, and gRPC nothing. */
const soak = {
  ...run,
  plan: { ...plan, profile: { ...plan.profile, name: SOAK } },
  samples: samples
    .filter(({ cell }) => cell.tier === 'medium')
    .map((sample) => {
      const { series, cell } = sample;
      const growth = cell.service === 'rest' ? 1 : 0;
      return { ...sample, series: series && { ...series, memoryMiB: series.second.map((at) => 50 + growth * at) } };
    }),
};

test('a soak shows in each medium what changes per minute, and which memory grows', () => {
  const judgment = { run: soak, against: undefined };
  const [terminal, markdown, html] = [REPORTS.terminal, REPORTS.markdown, REPORTS.html].map((make) => make(judgment));

  expect(terminal).toContain('REST: memory grows, +60.0 MiB per minute (95% interval +60.0 MiB to +60.0 MiB).');
  expect(terminal).toContain('gRPC: memory does not keep growing, +0.0 MiB per minute');
  expect(terminal).toMatch(/REST, memory +\+60\.0 MiB +\+60\.0 MiB to \+60\.0 MiB +grows\n/);
  expect(markdown).toMatch(/\| gRPC, memory \| \\\+0\.0\sMiB \|.*\| does not keep growing \|/);
  expect(html).toContain('REST, p99 latency');
  expect(judgmentData(judgment)).toMatchObject({
    trends: expect.arrayContaining([expect.objectContaining({ metric: 'peakMemoryMiB', grows: true })]),
  });
});

test('any other run has no trends', () => {
  const judgment = { run: { ...soak, plan }, against: undefined };

  expect(REPORTS.terminal(judgment)).not.toContain('per minute');
  expect(judgmentData(judgment)).not.toHaveProperty('trends');
});
