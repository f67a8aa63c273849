import { expect, test } from 'vitest';
import { REPORTS } from '../../../../src/commands/runs/reports.ts';
import { servicesWithMembers, withMembers } from '../../../support/sample-members.ts';
import { sampleRun } from '../../../support/sample-run.ts';

function judgement(services = servicesWithMembers(sampleRun().services)) {
  const run = sampleRun();
  const samples = run.samples.map((sample) => withMembers(sample));
  return { run: { ...run, services, samples }, against: undefined };
}

test('a report draws the chain of a service of several programs, and has a table of its members', () => {
  const text = REPORTS.terminal(judgement());

  expect(text).toContain(`    load tool
    └─ gateway  111 µs  50.0%  40.0 MiB  420 B in  610 B out
       ├─ orders  66.3 µs  30.0%  30.0 MiB  420 B in  610 B out
       │  └─ bus  44.2 µs  20.0%  10.0 MiB
       └─ bus  44.2 µs  20.0%  10.0 MiB`);
  expect(text).toMatch(/^ +total +221 µs +100% +80\.0 MiB +– +–$/m);
});

test('a service of one program has none', () => {
  expect(REPORTS.terminal({ run: sampleRun(), against: undefined })).not.toMatch(/member/i);
});

test('a member that no way from the entry leads to stands for itself', () => {
  const [first, ...others] = servicesWithMembers(sampleRun().services);
  const members = first?.members?.map((member) =>
    member.name === 'gateway' ? { ...member, dependsOn: ['bus'] } : member,
  );

  expect(
    REPORTS.terminal(judgement(first === undefined ? [] : [{ ...first, members }, ...others])),
  ).toContain(`    load tool
    └─ gateway  111 µs  50.0%  40.0 MiB  420 B in  610 B out
       └─ bus  44.2 µs  20.0%  10.0 MiB
    orders  66.3 µs  30.0%  30.0 MiB  420 B in  610 B out
    └─ bus  44.2 µs  20.0%  10.0 MiB`);
});

test('a circle in the file of a stranger is drawn once', () => {
  const services = servicesWithMembers(sampleRun().services).map((service) => ({
    ...service,
    ...(service.members !== undefined && {
      members: service.members.map((member) => ({ ...member, dependsOn: ['gateway', 'orders', 'bus', 'nobody'] })),
    }),
  }));

  expect(REPORTS.terminal(judgement(services)).match(/nobody/g)?.length).toBeLessThan(10);
});
