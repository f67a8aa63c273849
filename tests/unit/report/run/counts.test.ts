import { expect, test } from 'vitest';
import { judgedByItself } from '../../../../src/commands/runs/report.ts';
import type { InstructionsRecord } from '../../../../src/model/run/instructions.ts';
import { REPORTS } from '../../../support/reports.ts';
import { withHeadCounts } from '../../../support/sample-counts.ts';
import { sampleRun } from '../../../support/sample-run.ts';
import { sampleMainJob } from '../../../support/sample-versus.ts';

const RUN = withHeadCounts(sampleRun());

test('a report has the counts of each service and operation in one table', () => {
  const text = REPORTS.terminal({ run: RUN, against: undefined });

  expect(text).toContain('Counted by Valgrind 3.19.0 (x64) with one user');
  expect(text).toMatch(/^REST +889k +9\.40 +– +2 +0\.0\d%$/m);
  expect(text).toMatch(/^REST, GetUser +889k +9\.40 +– +2 +0\.0\d%$/m);
});

test('a report has the queries of each operation', () => {
  const counts = { connections: [0], roundTrips: [9], bytes: [9], commands: { 'select 1': [30] } };
  const operations = [{ operation: 'GetUser', need: 'db', requests: 10, ...counts }];
  const start = { service: 'rest', side: 'head' as const, start: 1, idle: [], unread: [] };
  const calls = { starts: [{ ...start, operations }], failures: [] };

  expect(REPORTS.terminal({ run: { ...sampleRun(), calls }, against: undefined })).toMatch(/^REST, GetUser +3$/m);
  expect(REPORTS.terminal({ run: sampleRun(), against: undefined })).not.toContain('Queries per request');
});

test('a report says what could not be counted, and nothing if counting was off', () => {
  const failures = [{ service: 'rest', side: 'head' as const, message: 'rest: ended | before it was ready' }];
  const instructions = { ...(RUN.instructions as InstructionsRecord), starts: [], failures };
  const text = REPORTS.markdown({ run: { ...RUN, instructions }, against: undefined });

  expect(text).toContain('Not counted:');
  expect(text).toContain('REST: rest: ended');
  expect(REPORTS.markdown({ run: sampleRun(), against: undefined })).not.toContain('nstructions');
});

test('a main job says nothing of counts that its rounds lack: each service is counted by itself', () => {
  const { run } = sampleMainJob();
  const judged = judgedByItself({ run: withHeadCounts(run), against: undefined });

  expect(REPORTS.terminal(judged)).toMatch(/^REST +889k/m);
  expect(REPORTS.terminal(judged)).not.toContain('were not counted');
});

test('a report names services that were still warming up when they were counted', () => {
  const starts = (RUN.instructions?.starts ?? []).map(({ warmFrom: _, ...start }) => start);
  const instructions = { ...(RUN.instructions as InstructionsRecord), starts };

  expect(REPORTS.markdown({ run: { ...RUN, instructions }, against: undefined })).toContain(
    'REST did not reach a steady number of instructions per request',
  );
});
