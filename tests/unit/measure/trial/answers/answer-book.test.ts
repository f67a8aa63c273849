import { describe, expect, test } from 'vitest';
import type { Json } from '../../../../../src/foundation/json.ts';
import { compareVersions } from '../../../../../src/measure/plans/compare.ts';
import { answerBook } from '../../../../../src/measure/trial/answers.ts';
import { parseRun } from '../../../../../src/model/run/run.ts';
import { secretsFrom } from '../../../../../src/model/secrets/secrets.ts';
import { fakeRounds, type RoundsBehavior } from '../../../../support/fake-rounds.ts';

const replies = (body: (call: string) => Json) => ({
  replies: (_service: string, call: string) => ({ status: '200' as const, body: body(call) }),
});

async function compared(behavior: RoundsBehavior) {
  const fake = fakeRounds(behavior);
  const run = await compareVersions(fake.bench, fake.head);
  return { lines: fake.lines, rounds: run.rounds, written: fake.written.at(-1) ?? '' };
}

describe('the answers of base and head', () => {
  test('are on record as equal where they are', async () => {
    const { rounds, written } = await compared({});

    // Two services, each asked for ten users and the list of them.
    expect(rounds.answers).toEqual({ requests: 22, changed: [] });
    expect(parseRun(written, 'run.json').rounds?.answers).toEqual(rounds.answers);
  });

  test('are on record by service and operation where the head answers otherwise with status 200', async () => {
    const { rounds, written, lines } = await compared({
      base: replies((call) => ({ call, users: [{ id: 1 }] })),
      head: replies((call) => ({ call, users: [{ id: 1, ...(call === 'GET /user/3' && { extra: 'new' }) }] })),
    });

    const change = {
      operation: 'GetUser',
      arguments: '{"id":3}',
      path: '$.users[0].extra',
      requests: 10,
      changedRequests: 1,
    };
    expect(rounds.answers?.requests).toBe(22);
    expect(rounds.answers?.changed).toEqual([
      { service: 'first', ...change },
      { service: 'second', ...change },
    ]);
    expect(rounds.rounds.every(({ outcome }) => outcome === 'kept')).toBe(true);
    expect(parseRun(written, 'run.json').rounds?.answers).toEqual(rounds.answers);
    expect(lines).toContain(
      'first: base and head answer 1 of 11 requests differently: GetUser {"id":3} at $.users[0].extra: nothing and "new"',
    );
  });

  test('differ if the one key of an answer has another name, or goes', async () => {
    const { rounds } = await compared({
      base: replies(() => ({ users: [1] })),
      head: replies((call) => (call === 'GET /user/3' ? [1] : { people: [1] })),
    });

    expect(rounds.answers?.changed.slice(0, 1)).toMatchObject([
      { path: '$.people', requests: 10, changedRequests: 10 },
    ]);
  });

  test('are compared without what either version ignores', async () => {
    const { suite } = fakeRounds().bench;
    const ignoring = {
      ...suite,
      operations: suite.operations.map((operation) => ({ ...operation, ignore: ['$.version'] })),
    };
    const { rounds } = await compared({
      base: replies(() => ({ version: 1 })),
      head: replies(() => ({ version: 2 })),
      change: { suite: ignoring },
    });

    expect(rounds.answers).toEqual({ requests: 22, changed: [] });
  });

  test('are not compared where an operation wants none of it', async () => {
    let count = 0;
    const fake = fakeRounds({
      head: replies(() => {
        count += 1;
        return { count };
      }),
    });
    const { bench } = fake;
    const version = (side: 'base' | 'head') => {
      const own = bench.versions[side];
      const operations = own.suite.operations.map((operation) => ({ ...operation, verify: 'status' as const }));
      return { ...own, suite: { ...own.suite, operations } };
    };

    const run = await compareVersions(
      { ...bench, versions: { base: version('base'), head: version('head') } },
      fake.head,
    );

    expect(run.rounds.answers).toEqual({ requests: 0, changed: [] });
  });

  test('do not matter for services that are compared with each other', async () => {
    const { mask } = fakeRounds().bench.secrets;
    const answers = answerBook({ mask, comparesVersions: false, areAlike: () => true, note: () => undefined });
    const { rounds } = await compared({ head: replies((call) => ({ call, added: 1 })), change: { answers } });

    expect(rounds.answers).toBeUndefined();
  });

  test('leave no secret in the record, and no more of a long path than fits', async () => {
    const use = { variable: 'TOKEN', place: '', isPem: false };
    const secrets = secretsFrom([use], { TOKEN: 'out of luck' }, () => '');
    const long = 'k '.repeat(400);
    const { rounds, written } = await compared({
      head: replies((call) => ({ call, 'an out of luck key': { [long]: 1 } })),
      base: replies((call) => ({ call, 'an out of luck key': { [long]: 2 } })),
      change: {
        secrets,
        answers: answerBook({ ...secrets, comparesVersions: true, areAlike: () => true, note: () => undefined }),
      },
    });

    expect(written).not.toContain('out of luck');
    const [change] = rounds.answers?.changed ?? [];
    expect(change?.path).toMatch(/^\$\["an \*\*\* key"\]\["k k /);
    expect(change?.path.length).toBeLessThan(260);
    expect(() => parseRun(written, 'run.json')).not.toThrow();
  });
});
