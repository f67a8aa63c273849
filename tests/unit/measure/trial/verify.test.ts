import { describe, expect, test } from 'vitest';
import { MeasurementError } from '../../../../src/foundation/errors.ts';
import { verify } from '../../../../src/measure/trial/verify.ts';
import { type FakeBench, fakeBench } from '../../../support/fakes.ts';

const questioning = (bench: FakeBench) => ({ ...bench, suite: bench.plan.suite });

describe('verify', () => {
  test('starts every service once, asks for everything, and stops it again', async () => {
    const bench = fakeBench();

    await verify(questioning(bench));

    expect(bench.started).toEqual(['first', 'second']);
    expect(bench.stopped).toEqual(['first', 'second']);
    expect(bench.progress.lines).toEqual(['verified: first, second give the same answers to 11 requests']);
  });

  test('compares no answers of services with operations of their own, asks each for its own, and says so', async () => {
    const requested: string[] = [];
    const bench = fakeBench({
      replies: (service, call) => {
        requested.push(`${service} ${call.split('/')[1]}`);
        return { status: '200', body: { service } };
      },
    });
    const { suite } = bench.plan;
    const [get, list] = suite.operations;
    const groups = [
      { services: ['first'], operations: get === undefined ? [] : [get] },
      { services: ['second'], operations: list === undefined ? [] : [list] },
    ];

    await verify({ ...bench, suite: { ...suite, groups } });

    expect(new Set(requested)).toEqual(new Set(['first user', 'second users']));
    expect(bench.progress.lines).toEqual([
      'verified: first answers 10 requests',
      'verified: second answers 1 request',
      'services with different operations are not compared with each other',
    ]);
  });

  test('says of a single service that it answers', async () => {
    const bench = fakeBench();
    const services = new Map([...bench.services].slice(0, 1));

    await verify({ ...questioning(bench), services });

    expect(bench.progress.lines).toEqual(['verified: first answers 11 requests']);
  });

  test('measures nothing where two services answer differently, and says where and what each answered', async () => {
    const wrong = { status: '200', body: { id: 3, name: 'somebody else' } };
    const bench = fakeBench({
      replies: (service, call) =>
        service === 'second' && call === 'GET /user/3' ? wrong : { status: '200', body: { call, id: 0 } },
    });

    await expect(verify(questioning(bench))).rejects.toThrow(
      'second and first answer GetUser {"id":3} differently at $.call: nothing and "GET /user/3"',
    );
    expect(bench.stopped).toEqual(['first', 'second']);
  });

  test.each([
    ['status', 11, 'answer 11 requests as expected, not compared'],
    ['none', 0, 'give the same answers to 0 requests'],
  ] as const)('lets answers differ where that is wanted: verify: %s', async (mode, requested, words) => {
    const calls: string[] = [];
    const bench = fakeBench({
      replies: (_service, call) => {
        calls.push(call);
        return { status: '200', body: { time: calls.length } };
      },
    });
    const { suite } = bench.plan;
    const operations = suite.operations.map((operation) => ({ ...operation, verify: mode }));

    await verify({ ...bench, suite: { ...suite, operations } });

    expect(bench.progress.lines).toEqual([`verified: first, second ${words}`]);
    // Readiness asks each of the two once.
    expect(calls).toHaveLength(2 * (requested + 1));
  });

  test('refuses a status that is not expected, also where answers may differ', async () => {
    const bench = fakeBench({
      replies: (_service, call) => ({ status: call === 'GET /user/7' ? '500' : '200', body: {} }),
    });
    const { suite } = bench.plan;
    const operations = suite.operations.map((operation) => ({ ...operation, verify: 'status' as const }));

    await expect(verify({ ...bench, suite: { ...suite, operations } })).rejects.toThrow('answered 500');
  });

  test('asks for some rows of a long feed, from its first to its last part', async () => {
    const requested: number[] = [];
    const bench = fakeBench({
      replies: (service, call) => {
        if (service === 'second') {
          requested.push(Number(call.replace('GET /user/', '')));
        }
        return { status: '200', body: {} };
      },
    });
    const { suite } = bench.plan;
    const feed = Array.from({ length: 2550 }, (_, id) => ({ id }));
    const operations = suite.operations.slice(0, 1).map((operation) => ({ ...operation, arguments: feed }));

    await verify({ ...bench, suite: { ...suite, operations } });

    const [ready, first, ...others] = requested;
    expect([ready, first]).toEqual([0, 0]);
    expect(others).toHaveLength(99);
    expect(others.at(-1)).toBeGreaterThan(2500);
  });

  test('lets fields differ that an operation ignores, and no others', async () => {
    const bench = fakeBench({
      replies: (service, call) => ({
        status: '200',
        body: {
          items: [{ at: service, name: call }],
          from: service === 'second' && call === 'GET /user/7' ? 'b' : 'a',
        },
      }),
    });
    const { suite } = bench.plan;
    const ignoring = (...ignore: readonly string[]) => ({
      ...bench,
      suite: { ...suite, operations: suite.operations.map((operation) => ({ ...operation, ignore })) },
    });

    await expect(verify(ignoring('$.items[*].at'))).rejects.toThrow(
      'second and first answer GetUser {"id":7} differently at $.from: "b" and "a"',
    );
    expect((await verify(ignoring('$.items[*].at', '$.from'))).get('first')?.answers.size).toBe(11);
  });

  test('takes the same data in another order of keys for the same', async () => {
    const bench = fakeBench({
      replies: (service) => ({ status: '200', body: service === 'first' ? { a: 1, b: 2 } : { b: 2, a: 1 } }),
    });

    expect((await verify(questioning(bench))).get('second')?.answers.size).toBe(11);
  });

  test('takes an answer that only wraps what another service answers for the same', async () => {
    const wrapping = (service: string, of: string) => ({
      status: '200',
      body: service === 'first' ? [{ of }] : { users: [{ of }] },
    });
    const same = fakeBench({ replies: (service, call) => wrapping(service, call) });
    const different = fakeBench({ replies: (service) => wrapping(service, service) });

    expect((await verify(questioning(same))).size).toBe(2);
    await expect(verify(questioning(different))).rejects.toThrow(
      'second and first answer GetUser {"id":1} differently at $.users[0].of: "second" and "first"',
    );
  });

  test('says so of an answer that is too deep to be compared', async () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    const bench = fakeBench({ replies: () => ({ status: '200', body: { deep, other: 1 } }) });

    await expect(verify(questioning(bench))).rejects.toThrow(
      'first: GET /user/1 of operation GetUser: its answer is nested too deeply to be compared',
    );
  });

  test('refuses a service that answers a request of the suite with an error', async () => {
    const bench = fakeBench({
      replies: (_service, call) => ({ status: call === 'GET /user/7' ? '500' : '200', body: {} }),
    });

    await expect(verify(questioning(bench))).rejects.toThrow('first: GET /user/7 of operation GetUser: answered 500');
  });

  test('says why a service ended before it was ready, and stops what is left of it', async () => {
    const bench = fakeBench({
      endsAtStart: ['second'],
      replies: (service) => ({ status: service === 'second' ? '503' : '200', body: {} }),
    });

    await expect(verify(questioning(bench))).rejects.toThrow(
      'second: ended before it was ready: it ended with exit code 1; its last output: out of luck',
    );
    expect(bench.stopped).toEqual(['first', 'second']);
  });

  test('gives up on a service that never gets ready, with what it answered and printed', async () => {
    const bench = fakeBench({ replies: () => ({ status: '503', body: {} }) });

    const refusal = verify(questioning(bench));

    await expect(refusal).rejects.toThrow(MeasurementError);
    await expect(refusal).rejects.toThrow(
      /first: not ready after 20 s: GetUser at 127\.0\.0\.1:5000: answered 503; expected: 2xx; it printed:\na line/,
    );
  });
});
