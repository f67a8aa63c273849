import { describe, expect, it } from 'vitest';
import { failureKinds, failureOf, knownFailure, otherFailure } from '../../../../src/measure/samples/record-file.ts';

describe('kinds of failure', () => {
  it('gives each kind one code, from 1 on', () => {
    const kinds = failureKinds();

    const codes = ['HTTP 503', 'timeout', 'HTTP 503'].map((kind) => kinds.code(kind));

    expect(codes).toEqual([1, 2, 1]);
    expect(kinds.all()).toEqual(['HTTP 503', 'timeout']);
  });

  it('are never more than fifty: the rest share one', () => {
    const kinds = failureKinds();

    const codes = Array.from({ length: 500 }, (_, index) => kinds.code(`other: ${'x'.repeat(index)}`));

    expect(kinds.all()).toHaveLength(50);
    expect(new Set(codes.slice(49))).toEqual(new Set([50]));
    expect(kinds.code('other: ')).toBe(1);
  });

  it.each([
    ['Get "http://127.0.0.1:1/": dial tcp 0.0.0.0:0->127.0.0.1:1: connect: connection refused', 'connection refused'],
    ['Get "http://h/": context deadline exceeded (Client.Timeout exceeded while awaiting headers)', 'timeout'],
    ['read tcp 127.0.0.1:4->127.0.0.1:1: read: connection reset by peer', 'connection reset'],
    ['Get "http://h/": EOF', 'connection closed'],
    ['dial tcp: bind: cannot assign requested address', 'no free local port'],
    [
      'Text "http://h/": websocket: closed with 1009 (message too big) before the answer',
      'closed with 1009 (message too big) before the answer',
    ],
    ['Text "http://h/": websocket: handshake refused with HTTP 401', 'handshake refused with HTTP 401'],
    ['Text "http://h/": websocket: \u001b[31m', undefined],
    ['something odd about GEOFENCES', undefined],
  ])('knows %j as %j', (text, kind) => {
    expect(knownFailure(text)).toBe(kind);
  });

  it('cuts any other error to 80 printable characters, without what differs from request to request', () => {
    expect(otherFailure('Get "http://127.0.0.1:15000/user/7": odd\u0000\n\u001b[31mport 43210')).toBe(
      'other: odd [nmport n',
    );
    expect(otherFailure('é'.repeat(500))).toBe(`other: ${'é'.repeat(80)}`);
    expect(otherFailure('')).toBe('other: no text');
  });

  it.each([
    [{ status: '200' }, undefined],
    [{ status: '404' }, 'HTTP 404'],
    [{ status: 'OK' }, undefined],
    [{ status: 'NotFound', text: 'none' }, 'NotFound'],
    [{ status: 'Unavailable', text: 'dial tcp: connection refused' }, 'connection refused'],
    [{ status: 'Unavailable', text: 'busy' }, 'Unavailable'],
    [{ status: '', text: 'stream: it ended before its last message' }, 'stream ended early'],
    [{ status: '', text: 'stream: it has more messages than expected' }, 'stream too long'],
    [{ status: '', text: 'stream: its last message is not the expected one' }, 'unexpected last message'],
    [{ status: '', text: 'a secret of 7' }, 'other: a *** of n'],
    [{ status: '\u001b[31m' }, 'other: no text'],
  ])('an outcome %j is %j', (outcome, kind) => {
    expect(failureOf(outcome, [{ from: 200, to: 299 }], (text) => text.replace('secret', '***'))).toBe(kind);
  });

  it('has no failure where a status is expected', () => {
    expect(failureOf({ status: '404' }, [{ from: 404, to: 404 }], String)).toBeUndefined();
    expect(failureOf({ status: '200' }, [{ from: 404, to: 404 }], String)).toBe('HTTP 200');
  });
});
