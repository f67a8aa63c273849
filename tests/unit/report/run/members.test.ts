import { expect, test } from 'vitest';
import { REPORTS } from '../../../support/reports.ts';
import { servicesWithMembers, withMembers } from '../../../support/sample-members.ts';
import { sampleRun } from '../../../support/sample-run.ts';

function judgment(services = servicesWithMembers(sampleRun().services)) {
  const run = sampleRun();
  const samples = run.samples.map((sample) => withMembers(sample));
  return { run: { ...run, services, samples }, against: undefined };
}

test('a report has a table of the members of a service, with what each calls', () => {
  const text = REPORTS.terminal(judgment());

  expect(text).toMatch(/^ +gateway +111 µs +50\.0% +40\.0 MiB +420 B +610 B +orders and bus$/m);
  expect(text).toMatch(/^ +bus +44\.2 µs +20\.0% +10\.0 MiB +– +–$/m);
  expect(text).toMatch(/^ +total +221 µs +100% +80\.0 MiB +– +–$/m);
});

test('a service of one program has none', () => {
  expect(REPORTS.terminal({ run: sampleRun(), against: undefined })).not.toMatch(/member/i);
});
