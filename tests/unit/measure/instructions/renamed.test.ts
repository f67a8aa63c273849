import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fingerprintOf, storedBases } from '../../../../src/measure/instructions/stored.ts';
import { readSuites } from '../../../../src/measure/session/versions/suites.ts';
import type { VersionFolder } from '../../../../src/measure/session/versions/words.ts';
import type { KeptCounts } from '../../../../src/model/run/kept-counts.ts';
import { readSuite } from '../../../../src/project/suite.ts';
import { fakeRounds } from '../../../support/fake-rounds.ts';

const COUNTER = { name: 'valgrind' as const, version: '3.19.0', architecture: 'x64' };

const COMMIT = 'abc1234'.padEnd(40, '0');

const BEFORE = `services:
  api: { protocol: rest, port: 80, image: "shop:1", environment: { LOG: "1" } }
operations:
  - { name: Get, rest: GET / }
  - { name: List, rest: GET /items }
`;

const AFTER = BEFORE.replace('  api: {', '  gateway: { wasNamed: [api],').replace(
  '{ name: List,',
  '{ name: ListItems, wasNamed: [List],',
);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'renamed-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function version(ref: string, text: string): VersionFolder {
  const root = join(folder, ref);
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, 'wiregauge.yml'), text);
  return { root, ref, commit: COMMIT, dirty: false, subject: 'A version' };
}

/** The counts that a run of the base has left, with the names that it had. */
function countedBefore(root: string): KeptCounts {
  const { suite, services } = readSuite(root, undefined);
  const { runtime } = fakeRounds().bench.versions.head;
  const [service = ''] = suite.services;
  const start = suite.operations.map(({ name }) => ({
    operation: name,
    requests: 10,
    instructions: [9],
    syscalls: [1],
  }));
  const fingerprint = fingerprintOf({ runtime, suite, services }, COUNTER, { suite, service });
  return { service, fingerprint, starts: [start, start] };
}

/** What is found of the base, whose counts were changed so since. */
async function found({ before = BEFORE, after = AFTER, change = (counts: KeptCounts) => counts } = {}) {
  const [base, head] = [version('main', before), version('topic', after)];
  const counts = [change(countedBefore(base.root))];
  const { suite, base: files } = readSuites({ base, head }, undefined, undefined);
  const { bench, lines } = fakeRounds();
  const versions = { ...bench.versions, base: { ...bench.versions.base, ...files } };
  const storedCounts = async () => [{ commit: COMMIT, source: 'gh-pages', counts }];
  return { bases: await storedBases({ ...bench, suite, versions, storedCounts }, COUNTER), lines };
}

const namesOf = (bases: Awaited<ReturnType<typeof found>>['bases']) =>
  [...bases].map(([name, { record, starts }]) => [
    ...[name, record.service],
    ...new Set(starts.flatMap(({ service, operations }) => [service, ...operations.map(({ operation }) => operation)])),
  ]);

const FOUND = [['gateway', 'gateway', 'gateway', 'Get', 'ListItems']];

describe('stored counts of a base with former names', () => {
  test('replace it under the current names', async () => {
    const { bases, lines } = await found();

    expect(namesOf(bases)).toEqual(FOUND);
    expect(lines).toEqual([]);
  });

  test('do so, too, from a history that knows the names of today by now', async () => {
    const change = (counts: KeptCounts): KeptCounts => ({
      ...counts,
      service: 'gateway',
      starts: counts.starts.map((start) =>
        start.map((one) => ({ ...one, operation: one.operation === 'List' ? 'ListItems' : one.operation })),
      ),
    });

    expect(namesOf((await found({ change })).bases)).toEqual(FOUND);
  });

  test('do so from the second renaming on', async () => {
    const before = AFTER;
    const after = AFTER.replace('gateway: { wasNamed: [api]', 'front: { wasNamed: [gateway, api]');

    expect(namesOf((await found({ before, after })).bases)).toEqual([['front', 'front', 'front', 'Get', 'ListItems']]);
  });

  test('are not taken if more than names was changed', async () => {
    const change = (counts: KeptCounts): KeptCounts => ({
      ...counts,
      fingerprint: { ...counts.fingerprint, requests: 'others' },
    });
    const { bases, lines } = await found({ change });

    expect(bases.size).toBe(0);
    expect(lines.join()).toContain('gateway: base is counted, because the stored counts in gh-pages differ in ');
  });
});
