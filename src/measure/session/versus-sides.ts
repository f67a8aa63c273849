import { readCommit } from '../../host/git/git.ts';
import type { RoundsRecord } from '../../model/run/run-rounds.ts';
import type { Service } from '../../model/service.ts';
import type { SuiteFiles } from '../../project/suite.ts';
import type { OneBuild } from './one-build.ts';

/** The services of a suite against the first of them, as the two sides of one build: the working tree as it is. */
export async function versusSides(files: SuiteFiles): Promise<Pick<OneBuild, 'suites' | 'record' | 'versus'>> {
  const [first = '', ...names] = files.suite.services;
  const reference = files.services.get(first) as Service;
  const suite = { ...files.suite, services: names };
  const head = { ...files, suite };
  // The reference takes the place of the base of every other service, under its name: so samples of both are of one cell.
  const base = { ...head, services: new Map(names.map((name) => [name, { ...reference, name }])) };
  return { suites: { suite, base, head }, record: await recordOf(head), versus: { reference: first } };
}

async function recordOf({ root, suite, configHash }: SuiteFiles): Promise<RoundsRecord['base']> {
  const { head: commit, dirty } = await readCommit(root);
  return {
    ref: 'working tree',
    ...(commit !== undefined && { commit }),
    dirty,
    configHash,
    services: suite.services,
    operations: suite.operations.map(({ name }) => name),
  };
}
