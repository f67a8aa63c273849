import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Failure } from '../../../../src/github/api/patience.ts';
import { MAX_REPEATS, PATIENCE, waitBeforeRepeat } from '../../../../src/github/api/patience.ts';

const NOW = { nowMs: 1_000_000_000, random: 0.5, limitLeftMs: 60_000 };

function answer(status: number, headers: Readonly<Record<string, string>> = {}, words = ''): Failure {
  return { kind: 'answer', status, headers, words };
}

function waitFor(failure: Failure, repeats = 0, isRepeatable = true) {
  return waitBeforeRepeat({ failure, repeats, isRepeatable }, PATIENCE, NOW);
}

describe('the wait before a request is repeated', () => {
  it('grows from try to try, and ends after the third', () => {
    const waits = [0, 1, 2, 3].map((repeats) => waitFor(answer(502), repeats)?.ms);

    expect(waits).toEqual([1000, 2000, 4000, undefined]);
  });

  it.each([
    [answer(429, { 'retry-after': '7' }), 7000],
    [answer(403, { 'retry-after': '7' }), 7000],
    [answer(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1000009' }), 10_000],
    [answer(403, {}, 'You have exceeded a secondary rate limit.'), 60_000],
    [answer(429), 60_000],
  ])('is what GitHub says of a limit (%#)', (failure, ms) => {
    expect(waitFor(failure)).toEqual({ why: 'limit', ms });
  });

  it.each([
    ['the limit ends later than it may be waited for', answer(429, { 'retry-after': '61' })],
    ['the permission is missing', answer(403, { 'x-ratelimit-remaining': '4999' }, 'Resource not accessible')],
    ['the token is wrong', answer(401)],
    ['there is nothing', answer(404)],
    ['the request is wrong', answer(422)],
    ['GitHub itself has failed', answer(500)],
  ])('is none where %s', (_name, failure) => {
    expect(waitFor(failure)).toBeUndefined();
  });

  it('is none for a POST that may have been carried out, and one where it surely was not', () => {
    const silence = (isMaybeDone: boolean): Failure => ({ kind: 'silence', isMaybeDone, words: '' });

    expect(waitFor(silence(true), 0, false)).toBeUndefined();
    expect(waitFor(answer(502), 0, false)).toBeUndefined();
    expect(waitFor(silence(false), 0, false)).toEqual({ why: 'failure', ms: 1000 });
    expect(waitFor(answer(429, { 'retry-after': '1' }), 0, false)).toEqual({ why: 'limit', ms: 1000 });
  });

  it('is never longer than what is left for limits, and never too short to matter', () => {
    const headers = fc.record(
      {
        'retry-after': fc.string(),
        'x-ratelimit-remaining': fc.constantFrom('0', '1'),
        'x-ratelimit-reset': fc.string(),
      },
      { requiredKeys: [] },
    );
    const failures = fc.tuple(fc.constantFrom(403, 429, 502, 503, 504), headers);
    const moments = fc.tuple(fc.nat(2 * 60_000), fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(MAX_REPEATS));

    fc.assert(
      fc.property(failures, moments, ([status, said], [limitLeftMs, random, repeats]) => {
        const failure = answer(status, said);
        const request = { failure, repeats, isRepeatable: true };
        const wait = waitBeforeRepeat(request, PATIENCE, { nowMs: NOW.nowMs, random, limitLeftMs });
        const most = wait?.why === 'limit' ? limitLeftMs : 6000;
        return wait === undefined || (wait.ms >= 500 && wait.ms <= most);
      }),
    );
  });
});
