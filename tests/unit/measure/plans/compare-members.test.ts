import { expect, test } from 'vitest';
import { compareVersions } from '../../../../src/measure/plans/compare.ts';
import { type FakeRounds, fakeRounds } from '../../../support/fake-rounds.ts';
import { recordedFile } from '../../../support/record-file.ts';

const AILMENT = 'orders (member of first) is no longer ready: GET /health: timeout; it printed nothing';

/** The same rounds, with a member of each service in the head that no longer answers. */
function withAilingMember({ bench }: FakeRounds): FakeRounds['bench'] {
  const { runtime } = bench.versions.head;
  const start: typeof runtime.start = async (service) => ({
    ...(await runtime.start(service)),
    ailing: async () => AILMENT,
  });
  return {
    ...bench,
    versions: { ...bench.versions, head: { ...bench.versions.head, runtime: { ...runtime, start } } },
  };
}

test('a round in which requests failed names the member that no longer answers', async () => {
  const fake = fakeRounds({ head: { records: () => recordedFile('refused') } });

  const run = await compareVersions(withAilingMember(fake), fake.head);

  const failed = run.rounds?.rounds.filter(({ outcome }) => outcome === 'failed') ?? [];
  expect(failed.length).toBeGreaterThan(0);
  expect(failed.every(({ failure }) => failure?.side === 'head')).toBe(true);
  expect(failed[0]?.failure?.message).toBe(`requests failed: ${AILMENT}`);
});

test('a member is asked for nothing as long as requests are answered', async () => {
  const fake = fakeRounds();

  const run = await compareVersions(withAilingMember(fake), fake.head);

  expect(run.rounds?.rounds.map(({ outcome }) => outcome)).not.toContain('failed');
});
