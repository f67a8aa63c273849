import { describe, expect, test } from 'vitest';
import { verify } from '../../../src/app/verify.ts';
import { MeasurementError } from '../../../src/core/errors.ts';
import { type FakeBench, fakeBench } from '../../fakes.ts';

const questioning = (bench: FakeBench) => ({ ...bench, suite: bench.plan.suite });

describe('verify', () => {
  test('starts every service once, asks for everything, and stops it again', async () => {
    const bench = fakeBench();

    await verify(questioning(bench));

    expect(bench.started).toEqual(['first', 'second']);
    expect(bench.stopped).toEqual(['first', 'second']);
    expect(bench.progress.lines).toEqual(['verified: first, second give the same answers to 11 requests']);
  });

  test('measures nothing where two services answer differently, and says what each answered', async () => {
    const wrong = { status: '200', body: { id: 3, name: 'somebody else' } };
    const bench = fakeBench({
      replies: (service, call) =>
        service === 'second' && call === 'GET /user/3' ? wrong : { status: '200', body: { call, id: 0 } },
    });

    await expect(verify(questioning(bench))).rejects.toThrow(
      'second and first answer GetUser {"id":3} differently: {"id":3,"name":"somebody else"} and {"call":"GET /user/3","id":0}',
    );
    expect(bench.stopped).toEqual(['first', 'second']);
  });

  test('takes the same data in another order of keys for the same', async () => {
    const bench = fakeBench({
      replies: (service) => ({ status: '200', body: service === 'first' ? { a: 1, b: 2 } : { b: 2, a: 1 } }),
    });

    await expect(verify(questioning(bench))).resolves.toBeUndefined();
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

    await expect(verify(questioning(bench))).rejects.toThrow('second: ended before it was ready: exit code 1');
    expect(bench.stopped).toEqual(['first', 'second']);
  });

  test('gives up on a service that never gets ready, with what it answered and printed', async () => {
    const bench = fakeBench({ replies: () => ({ status: '503', body: {} }) });

    const refusal = verify(questioning(bench));

    await expect(refusal).rejects.toThrow(MeasurementError);
    await expect(refusal).rejects.toThrow(
      /first: not ready after 20 s: GetUser at 127\.0\.0\.1:5000: answered 503; it printed:\na line/,
    );
  });
});
