import { expect, test } from 'vitest';
import type { Run } from '../../../../src/model/run/run.ts';
import { REPORTS } from '../../../support/reports.ts';
import { sampleRun } from '../../../support/sample-run.ts';

const STAGES = [
  { seconds: 10, users: 500 },
  { seconds: 60, users: 500 },
];

/** A run whose tiers are users who come and go, with figures of each stage. */
function stagedRun(change: Partial<Run['samples'][number]> = {}): Run {
  const run = sampleRun();
  const tiers = run.suite.tiers.map(({ name }, index) => ({
    name,
    thinkSeconds: 0.3,
    stages: STAGES.map(({ seconds, users }) => ({ seconds, users: users * (index + 1) })),
  }));
  const stage = { requests: 10, values: { achievedRps: 123, latencyP95Ms: 4.5, loadCpuShare: 0.25 } };
  const samples = run.samples.map((sample) => {
    const { offeredRps: _offered, ...kept } = sample;
    const stages = [
      { ...stage, fromSeconds: 0, seconds: 10, fromUsers: 0, users: 500 },
      { ...stage, fromSeconds: 10, seconds: 60, fromUsers: 500, users: 500 },
    ];
    const series = sample.series && {
      ...sample.series,
      users: sample.series.second.map(() => 499.6),
      latencyP95Ms: sample.series.second.map(() => 7),
    };
    return { ...kept, ...(series !== undefined && { series, stages }), ...change };
  });
  return { ...run, suite: { ...run.suite, tiers }, plan: { ...run.plan, modes: ['open'] }, samples };
}

const textOf = (run: Run, name: 'terminal' | 'markdown' | 'html') => REPORTS[name]({ run, against: undefined });

test('a report has totals and a table of the stages, with who was on whose core', () => {
  const text = textOf(stagedRun(), 'markdown');

  expect(text).toContain('Users by stage');
  expect(text).toMatch(
    /requests \| failed \| mean latency \| p50 \| p90 \| p99 \| min latency \| max latency \| requests\/s/,
  );
  expect(text).toContain('0 to 10 s, 0 to 500 users');
  expect(text).toContain('10 to 70 s, 500 users');
  expect(text).toMatch(/123\/s.*4\.50.*25\.0/);
});

test('a page draws users, rate and p95 over time, and has them in a table', () => {
  const text = textOf(stagedRun(), 'html');

  for (const id of ['users', 'achievedRps', 'latencyP95Ms']) {
    expect(text).toContain(`time-${id}-low`);
  }
  expect(text).not.toContain('time-latencyP50Ms-low');
  expect(text).toContain(' to 500.');
  expect(text).toMatch(/<th[^>]*>users</);
});

test('a run with other loads has no such section', () => {
  expect(textOf(sampleRun(), 'html')).not.toContain('Users by stage');
});
