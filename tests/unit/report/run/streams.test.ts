import { expect, test } from 'vitest';
import { REPORTS } from '../../../support/reports.ts';
import { sampleRun } from '../../../support/sample-run.ts';

test('streams have a table of their own, of the tiers that have any, and other runs have none', () => {
  const run = sampleRun();
  const streamed = {
    firstMessageP50Ms: 0.52,
    firstMessageP99Ms: 1.25,
    messagesPerSecond: 41_230,
    cpuMicrosPerMessage: 2.4,
  };
  const samples = run.samples.map((sample) => ({
    ...sample,
    values: { ...sample.values, ...(sample.cell.tier === 'low' && streamed) },
  }));

  const text = REPORTS.terminal({ run: { ...run, samples }, against: undefined });
  const [, table = ''] = text.split('Streams at each tier: ');

  expect(table).toMatch(/first +first +p50 +messages\/s +CPU per +peak/);
  expect(table).toMatch(/REST +0\.52 ms +1\.25 ms +[\d.]+ ms +41,200\/s +2\.4 µs/);
  expect(table.split('By operation')[0]).not.toContain('500 users');
  expect(REPORTS.terminal({ run, against: undefined })).not.toContain('Streams at each tier');
});
