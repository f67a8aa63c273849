import { counted } from '../../foundation/numbers.ts';
import { isSameGroup, operationsFor } from '../../model/suite/groups.ts';
import type { Suite } from '../../model/suite/suite.ts';
import { type Answered, refuseDifference, type ServiceAnswer } from './answers.ts';
import type { BuildBench } from './bench.ts';
import { type ReadySubject, runTrial } from './runner.ts';

/** Responses of every service, started once. Throws MeasurementError if one refuses, or two of a group respond differently. */
export async function verify(
  bench: Pick<BuildBench, 'client' | 'clock' | 'progress' | 'signal' | 'services' | 'runtime'> & {
    readonly suite: Suite;
  },
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
  const groups = groupsOf(suite, [...bench.services.keys()]);
  for (const names of groups) {
    const answers = found.get(names[0] ?? '')?.answers.values() ?? [];
    bench.progress.line(`verified: ${verifiedWords(names, [...answers])}`);
  }
  if (groups.length > 1) {
    bench.progress.line('services with different operations are not compared with each other');
  }
  return found;
}

function groupsOf(suite: Suite, names: readonly string[]): readonly (readonly string[])[] {
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
