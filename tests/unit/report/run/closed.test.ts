import { expect, test } from 'vitest';
import { REPORTS } from '../../../support/reports.ts';
import { sampleRun } from '../../../support/sample-run.ts';

test('users at full rate have what wrk prints of them, and others have not', () => {
  const run = sampleRun();
  const tiers = run.suite.tiers.map((tier) =>
    tier.name === 'low' ? { name: 'low', users: 10, rampSeconds: 0, limitSeconds: 10 } : tier,
  );
  const judgment = { run: { ...run, suite: { ...run.suite, tiers } }, against: undefined };

  const text = REPORTS.terminal(judgment);
  const [, table = ''] = text.split('Users at full rate\n');

  expect(table).toMatch(/mean +standard deviation +within one std\. dev\. +maximum +requests\/s +requests/);
  expect(table).toMatch(/10 users at full rate\n +REST +[\d.]+ ms +[\d.]+ ms +\d\d\.\d% +[\d.]+ ms +333\/s +[\d,]+\n/);
  expect(REPORTS.terminal({ run, against: undefined })).not.toContain('Users at full rate');
});
