import { describe, expect, test } from 'vitest';
import { runTrial, type Subject, type Trial } from '../../../../src/measure/trial/runner.ts';
import { type Behavior, type FakeBench, fakeBench } from '../../../support/fakes.ts';

const NOTHING = async (): Promise<void> => undefined;

/** Subjects `first` and `second` of a bench, as base and head. */
function subjectsOf({ services, runtime, plan }: FakeBench): readonly Subject[] {
  const { operations } = plan.suite;
  return [...services.values()].map((service, place) => ({
    ...{ side: place === 0 ? 'base' : 'head', service, runtime, operations },
  }));
}

function trialOf(behavior: Behavior, change: Partial<Trial<unknown>> = {}) {
  const bench = fakeBench(behavior);
  const run = () => runTrial(bench, { subjects: subjectsOf(bench), use: NOTHING, ...change });
  return { bench, run };
}

/** What is left of a trial: every service that was started is stopped. */
function expectAllStopped({ started, stopped }: FakeBench, count: number): void {
  expect(started).toHaveLength(count);
  expect(stopped.toSorted()).toEqual(started.toSorted());
}

/** A service `second` that ends before it answers. */
const BROKEN: Behavior = {
  endsAtStart: ['second'],
  replies: (service, call) => ({ status: service === 'second' ? '503' : '200', body: { call } }),
};

describe('runTrial', () => {
  test('uses subjects that are ready, in their order, and stops them', async () => {
    const { bench, run } = trialOf(
      {},
      { use: async (ready) => ready.map(({ side, service }) => [side, service.name]) },
    );

    expect(await run()).toEqual([
      ['base', 'first'],
      ['head', 'second'],
    ]);
    expectAllStopped(bench, 2);
  });

  test('verifies the answers of each before any is used', async () => {
    const seen: string[] = [];
    const verify: Trial<unknown>['verify'] = ({ service }, { size }) => seen.push(`${service.name} ${size}`);
    await trialOf({}, { verify, use: async () => seen.push('used') }).run();

    expect(seen).toEqual([expect.stringMatching(/ 11$/), expect.stringMatching(/ 11$/), 'used']);
  });

  test('times the first request of each operation that is verified', async () => {
    const timed: (readonly string[])[] = [];
    await trialOf(
      {},
      {
        verify: () => undefined,
        use: async (ready) => timed.push(...ready.map(({ firstRequestMs }) => [...(firstRequestMs?.keys() ?? [])])),
      },
    ).run();

    const { operations } = fakeBench({}).plan.suite;
    expect(timed).toEqual([operations, operations].map((all) => all.map(({ name }) => name)));
  });

  test('times the check of a service as the first request of its first operation', async () => {
    const { bench } = trialOf({});
    const { client, clock } = bench;
    let waitMs = 80;
    const slowFirst: typeof client = {
      ...client,
      call: async (...requested) => {
        await clock.sleep(waitMs, bench.signal);
        waitMs = 1;
        return client.call(...requested);
      },
    };
    const [head = expect.fail('no subject')] = subjectsOf(bench);
    const times = await runTrial(
      { ...bench, client: slowFirst },
      { subjects: [head], verify: () => undefined, use: async ([{ firstRequestMs }]) => firstRequestMs?.values() },
    );

    expect([...(times ?? [])]).toEqual([80, 1]);
  });

  test('requests no answers if they are not verified', async () => {
    const calls: string[] = [];
    await trialOf({
      replies: (_, call) => {
        calls.push(call);
        return { status: '200', body: {} };
      },
    }).run();

    expect(new Set(calls)).toEqual(new Set(['GET /user/1']));
  });

  test('stops all subjects if one does not get ready', async () => {
    const { bench, run } = trialOf(BROKEN);

    await expect(run()).rejects.toThrow(/^second: ended before it was ready: /);
    expectAllStopped(bench, 2);
  });

  test('stops all subjects if their use fails', async () => {
    const { bench, run } = trialOf({}, { use: () => Promise.reject(new Error('a mistake')) });

    await expect(run()).rejects.toThrow('a mistake');
    expectAllStopped(bench, 2);
  });

  const loaded: Trial<unknown>['use'] = async ([first]) =>
    await first.running.play([{ load: { kind: 'saturate' } } as never], first.signal);

  test('ends with the first subject that ends by itself, and its use is aborted', async () => {
    const { bench, run } = trialOf({ endsUnderLoad: ['first'] }, { during: 'under load', use: loaded });

    await expect(run()).rejects.toThrow(/^first exited under load: /);
    expectAllStopped(bench, 2);
  });

  test('says whose failure it is if someone wants to know', async () => {
    const blamed: string[] = [];
    const blame: NonNullable<Trial<unknown>['blame']> = async (side, work) => {
      try {
        return await work();
      } catch (thrown) {
        blamed.push(side);
        throw thrown;
      }
    };
    await expect(trialOf(BROKEN, { blame }).run()).rejects.toThrow(/^second/);

    expect(blamed).toEqual(['head']);
  });

  test('ends with the signal while answers are verified', async () => {
    const { bench, run } = trialOf(
      {
        replies: (_, call) => {
          if (call === 'GET /user/2') {
            bench.stop.abort(new Error('interrupted'));
          }
          return { status: '200', body: { call } };
        },
      },
      { verify: () => undefined, use: loaded },
    );

    await expect(run()).rejects.toThrow('interrupted');
    expectAllStopped(bench, 2);
  });
});
