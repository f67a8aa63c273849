import { describe, expect, it } from 'vitest';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { compareVersions } from '../../../../src/measure/plans/compare.ts';
import { parseRun } from '../../../../src/model/run/run.ts';
import { fakeRounds } from '../../../support/fake-rounds.ts';
import { recordedFile, recordFile } from '../../../support/record-file.ts';

/** A recording, but nothing of the parts for which it is said; they are counted from 0. */
function recordsUnless(isEmpty: (part: number) => boolean) {
  let part = -1;
  return () => {
    part += 1;
    return isEmpty(part) ? recordFile([]) : recordedFile('ok');
  };
}

const operations = fakeRounds().bench.suite.operations.length;

async function measured(isEmpty: (part: number) => boolean) {
  const fake = fakeRounds({ head: { records: recordsUnless(isEmpty) } });
  const run = await compareVersions(fake.bench, fake.head);
  return { run, rounds: run.rounds?.rounds ?? [], file: fake.written.at(-1) ?? '' };
}

describe('a block that the load tool got no turn in', () => {
  it('fails its round, which is run again, and neither version is blamed', async () => {
    const { run, rounds } = await measured((part) => part < operations);

    const [failed, ...others] = rounds.filter(({ outcome }) => outcome === 'failed');
    expect(failed?.failure?.message).toMatch(/no request was sent to \w+ in a block of 0.1 s/);
    expect([failed?.failure?.side, others, run.rounds?.ended]).toEqual([undefined, [], 'rounds']);
    expect(rounds.filter(({ outcome }) => outcome === 'kept')).toHaveLength(8);
  });

  it('ends a service if it does not end, and nothing passes', async () => {
    const { run, rounds } = await measured(() => true);

    expect(rounds.map(({ outcome, failure }) => [outcome, failure?.side])).toEqual(
      Array.from({ length: 8 }, () => ['failed', undefined]),
    );
    expect(judgeRun(run)).toMatchObject({ outcome: 'incomplete' });
  });

  it('counts if it was that of one operation, and the others were sent', async () => {
    const { run, rounds, file } = await measured((part) => part % operations === 0);

    expect(rounds.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 8 }, () => 'kept'));
    expect(parseRun(file, 'run.json').samples).toHaveLength(run.samples.length);
    const requests = run.samples.map((sample) => (sample.side === 'head' ? sample.blockSums?.requests : []) ?? []);
    expect(requests).toContainEqual([0, 0]);
  });
});
