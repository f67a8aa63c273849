import { counted } from '../../foundation/numbers.ts';
import type { Service } from '../../model/service.ts';
import { isSameGroup, operationsFor } from '../../model/suite/groups.ts';
import type { Suite } from '../../model/suite/suite.ts';
import type { Runtime } from '../../runtime/port.ts';
import { type Answered, refuseDifference, type ServiceAnswer } from './answers.ts';
import type { TrialBench } from './bench.ts';
import { type ReadySubject, runTrial } from './runner.ts';

interface Questioning extends Pick<TrialBench, 'client' | 'clock' | 'progress' | 'signal'> {
  readonly suite: Suite;
  readonly services: ReadonlyMap<string, Service>;
  readonly runtime: Runtime;
}

/** Answers of every service, started once. Throws MeasurementError if one refuses, or two of a group answer differently. */
export async function verify(
  bench: Questioning,
  use: (ready: ReadySubject) => Promise<void> = async () => undefined,
): Promise<ReadonlyMap<string, Answered>> {
  const { suite, runtime } = bench;
  const found = new Map<string, Answered>();
  for (const service of bench.services.values()) {
    await runTrial(bench, {
      subjects: [{ side: 'head', service, runtime, operations: operationsFor(suite, service.name) }],
      verify: (_, answers) => {
        const answered = { service, answers };
        const alike = [...found.values()].find((one) => isSameGroup(suite, one.service.name, service.name));
        refuseDifference(answered, alike ?? answered);
        found.set(service.name, answered);
      },
      use: ([ready]) => use(ready),
    });
  }
  for (const names of groupsOf(bench)) {
    const answers = found.get(names[0] ?? '')?.answers.values() ?? [];
    bench.progress.line(`verified: ${verifiedWords(names, [...answers])}`);
  }
  if (groupsOf(bench).length > 1) {
    bench.progress.line('services with different operations are not compared with each other');
  }
  return found;
}

function groupsOf({ suite, services }: Pick<Questioning, 'suite' | 'services'>): readonly (readonly string[])[] {
  const names = [...services.keys()];
  const isFirst = (name: string) => names.find((one) => isSameGroup(suite, one, name)) === name;
  return names.filter(isFirst).map((first) => names.filter((name) => isSameGroup(suite, first, name)));
}

function verifiedWords(names: readonly string[], answers: readonly ServiceAnswer[]): string {
  const [name] = names;
  if (names.length === 1) {
    return `${name} answers ${counted(answers.length, 'request')}`;
  }
  const uncompared = answers.filter(({ canonical }) => canonical === undefined).length;
  const same = `give the same answers to ${counted(answers.length - uncompared, 'request')}`;
  const expected = `answer ${counted(uncompared, 'request')} as expected, not compared`;
  const done = [
    ...(uncompared < answers.length || uncompared === 0 ? [same] : []),
    ...(uncompared > 0 ? [expected] : []),
  ];
  return `${names.join(', ')} ${done.join(' and ')}`;
}
