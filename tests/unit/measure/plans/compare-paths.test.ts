import { describe, expect, test } from 'vitest';
import type { KnownError } from '../../../../src/foundation/errors.ts';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { compareVersions } from '../../../../src/measure/plans/compare.ts';
import { wrongPathIn } from '../../../../src/measure/trial/ready.ts';
import type { Reply } from '../../../../src/model/load.ts';
import { type FakeRounds, fakeRounds, type RoundsBehavior } from '../../../support/fake-rounds.ts';
import { listsOf } from '../../../support/result-lists.ts';

/** A version whose service `first` answers nothing but 404. */
const LOST = {
  replies: (service: string, call: string): Reply =>
    service === 'first' ? { status: '404', body: undefined } : { status: '200', body: { call } },
};

/** What is known besides of a service that answers nothing but 404. */
const adviceFor = (failure: KnownError) => wrongPathIn(failure) && 'The sources have routes for GET /users/{id}.';

async function failuresOf({ bench, head }: Pick<FakeRounds, 'bench' | 'head'>) {
  const run = await compareVersions(bench, head);
  const failed = run.rounds.rounds.filter(({ outcome }) => outcome === 'failed');
  return { run, failed: failed.map(({ service, failure }) => ({ service, ...failure })) };
}

const lostIn = (behavior: RoundsBehavior) => fakeRounds({ ...behavior, change: { adviceFor } });

describe('a service that answers nothing but 404', () => {
  test.each(['base', 'head'] as const)('in %s is a failure of that version, with what is known of it', async (side) => {
    const { run, failed } = await failuresOf(lostIn({ [side]: LOST }));

    const failure = {
      ...{ service: 'first', side, code: 'WG-307' },
      message: expect.stringMatching(
        /^first: is up at 127\.0\.0\.1:500\d, and answers 404 to GET \/user\/1 \(GetUser\)$/,
      ),
      next: 'The sources have routes for GET /users/{id}.',
    };
    expect(failed).toEqual([failure, failure]);
    expect(listsOf(judgeRun(run)).uncompared.filter(({ cell }) => cell.service === 'first')).toMatchObject([
      { cell: { service: 'first' }, reason: `${side}-failed`, next: 'The sources have routes for GET /users/{id}.' },
    ]);
  });

  test('in both is a failure of neither, and is not tried a third time', async () => {
    const { run, failed } = await failuresOf(lostIn({ base: LOST, head: LOST }));

    expect(failed.map(({ service, side }) => [service, side])).toEqual([
      ['first', undefined],
      ['first', undefined],
    ]);
    expect(failed[0]).toMatchObject({
      message: expect.stringMatching(/ answers 404 to GET \/user\/1 \(GetUser\), in base and in head$/),
      code: 'WG-307',
      next: 'The sources have routes for GET /users/{id}.',
    });
    expect(listsOf(judgeRun(run)).uncompared.filter(({ cell }) => cell.service === 'first')).toMatchObject([
      { cell: { service: 'first' }, reason: 'missing', next: 'The sources have routes for GET /users/{id}.' },
    ]);
    expect(run.rounds.rounds.filter(({ service, outcome }) => service === 'second' && outcome === 'kept')).toHaveLength(
      4,
    );
  });

  test('is of no version if a build is compared with itself', async () => {
    const { bench, head } = lostIn({ base: LOST, head: LOST });
    const one = bench.versions.head;

    const { failed } = await failuresOf({ bench: { ...bench, versions: { base: one, head: one } }, head });

    expect(failed.map(({ side }) => side)).toEqual([undefined, undefined]);
    expect(failed[0]?.message).toMatch(/answers 404 to GET \/user\/1 \(GetUser\)$/);
  });

  test('has the advice of its own if nothing more is known', async () => {
    const { failed } = await failuresOf(fakeRounds({ head: LOST }));

    expect(failed[0]?.next).toMatch(/^Correct the path of the operation: /);
  });
});
