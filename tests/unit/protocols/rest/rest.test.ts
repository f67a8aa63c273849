import { describe, expect, test } from 'vitest';
import { MeasurementError } from '../../../../src/foundation/errors.ts';
import type { Reply } from '../../../../src/model/load.ts';
import type { Answer } from '../../../../src/model/suite/http.ts';
import type { Operation } from '../../../../src/model/suite/suite.ts';
import { PROTOCOLS } from '../../../../src/protocols/protocols.ts';
import type { RestBinding, RestExpectation } from '../../../../src/protocols/rest/binding.ts';
import { restBinding, restService } from '../../../support/suite.ts';

const { target, canonical } = PROTOCOLS.rest;

function request(binding: RestBinding, rows: Operation['arguments'] = [{}]): Operation {
  return { name: 'Ask', share: 1, arguments: rows, bindings: { rest: binding } };
}

describe('a target over HTTP', () => {
  test('fills placeholders and escapes what would change the path', () => {
    const operation = request(restBinding('GET /user/{id}'), [{ id: 1 }, { id: 'a/b' }]);

    expect(target(operation, restService('mine'), 'a').requests.map(({ call }) => call)).toEqual([
      'GET /user/1',
      'GET /user/a%2Fb',
    ]);
  });

  test('refuses an argument without a value for a placeholder', () => {
    const operation = request(restBinding('GET /user/{id}'), [{ name: 'x' }]);

    expect(() => target(operation, restService('mine'), 'a')).toThrow(/\{id\}/);
  });

  test('has the headers of the service, and of the operation where both have one', () => {
    const binding = restBinding('GET /', { headers: { Accept: 'text/{kind}', 'X-Own': '1' } });
    const service = { ...restService('mine'), headers: { Accept: '*/*', Authorization: 'Bearer ${env.TOKEN}' } };

    expect(target(request(binding, [{ kind: 'html' }]), service, 'a').requests[0]?.headers).toEqual({
      Accept: 'text/html',
      Authorization: 'Bearer ${env.TOKEN}',
      'X-Own': '1',
    });
  });

  test('has the time that a request may take, and the message that its answer is, where the operation says so', () => {
    const { expect: usual } = restBinding('GET /');
    const binding = restBinding('GET /', { deadlineMs: 60_000, expect: { ...usual, message: 'shop.v1.Item' } });
    const [plain, bound] = [restBinding('GET /'), binding].map(
      (one) => target(request(one), restService('mine'), 'a').requests[0],
    );

    expect(bound).toMatchObject({ deadlineMs: 60_000, answerMessage: 'shop.v1.Item' });
    expect(plain).not.toHaveProperty('deadlineMs');
    expect(plain).not.toHaveProperty('answerMessage');
  });

  test('describes how the service is called, and which statuses are not failures', () => {
    const connection = { http: 'h2c', tls: undefined } as const;
    const status = [{ from: 404, to: 404 }];
    const binding = restBinding('GET /', { expect: { status, contentType: undefined, contains: undefined } });

    expect(target(request(binding), { ...restService('mine'), connection }, 'a')).toMatchObject({
      connection,
      expected: status,
    });
  });
});

describe('an answer over HTTP', () => {
  const answer = (changes: Partial<Answer> = {}): Answer => ({
    contentType: 'text/html; charset=utf-8',
    location: undefined,
    text: '<h1>hello</h1>',
    bytes: 14,
    sha256: 'abc',
    ...changes,
  });
  const expecting = (expect: Partial<RestExpectation>): Operation =>
    request(
      restBinding('GET /', {
        expect: { status: [{ from: 200, to: 299 }], contentType: undefined, contains: undefined, ...expect },
      }),
    );

  test.each([
    ['a short text for itself', answer(), '<h1>hello</h1>'],
    [
      'a long one for its length and hash',
      answer({ text: 'x'.repeat(201), bytes: 201 }),
      { bytes: 201, sha256: 'abc' },
    ],
    ['bytes that are no text, too', answer({ text: '\uFFFD', bytes: 1 }), { bytes: 1, sha256: 'abc' }],
    ['nothing for the empty text', answer({ text: '', bytes: 0 }), ''],
  ])('stays, if it is not JSON: %s', (_, found, canonicalForm) => {
    expect(canonical({ status: '200', body: undefined, answer: found }, expecting({}))).toEqual(canonicalForm);
  });

  test.each<[Pick<Reply, 'status' | 'answer'>, Partial<RestExpectation>, string]>([
    [{ status: '503', answer: answer({ text: 'over\nloaded' }) }, {}, 'answered 503 (over loaded); expected: 2xx'],
    [
      { status: '302', answer: answer({ location: '/login' }) },
      { status: [200, 404].map((code) => ({ from: code, to: code })) },
      'answered 302, a redirect to /login; expected: 200, 404',
    ],
    [
      { status: '200', answer: answer() },
      { contentType: 'application/json' },
      'answered with text/html; expected: application/json',
    ],
    [
      { status: '200', answer: answer() },
      { contains: 'goodbye' },
      'the answer does not contain "goodbye": <h1>hello</h1>',
    ],
  ])('is refused in words that say why: %o, expecting %o', (reply, expected, words) => {
    const refused = () => canonical({ body: undefined, ...reply }, expecting(expected));

    expect(refused).toThrow(MeasurementError);
    expect(refused).toThrow(words);
  });

  test('says what to do about a redirect, and about a status that may be right', () => {
    const nextOf = (status: string, location?: string): string | undefined => {
      try {
        canonical({ status, body: undefined, answer: answer({ location }) }, expecting({}));
        return undefined;
      } catch (thrown) {
        return thrown instanceof MeasurementError ? thrown.next : undefined;
      }
    };

    expect(nextOf('301', '/a')).toContain('Redirects are not followed');
    expect(nextOf('404')).toContain('expect: { status: 404 }');
  });

  test('is accepted if it meets all expectations, ignoring the case of the media type', () => {
    const operation = expecting({ status: [{ from: 404, to: 404 }], contentType: 'TEXT/html', contains: 'hello' });

    expect(canonical({ status: '404', body: undefined, answer: answer() }, operation)).toBe('<h1>hello</h1>');
  });
});
