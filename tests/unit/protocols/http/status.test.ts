import { describe, expect, test } from 'vitest';
import type { KnownError } from '../../../../src/foundation/errors.ts';
import { refuseStatus } from '../../../../src/protocols/http/status.ts';

const EXPECTED = [{ from: 200, to: 299 }];

const refusal = (status: string) => {
  try {
    refuseStatus({ status, answer: undefined }, EXPECTED);
  } catch (thrown) {
    return thrown as KnownError;
  }
  throw new Error('nothing was refused');
};

describe('a status that is not expected', () => {
  test.each(['401', '403', '407'])('%s advises to set credentials, and never to expect the status', (status) => {
    expect(refusal(status).next).toContain('headers: { Authorization: "Bearer ${env.API_TOKEN}" }');
    expect(refusal(status).next).not.toContain('expect');
  });

  test('429 is a rate limit', () => {
    expect(refusal('429').next).toMatch(/^The service limits its rate/);
    expect(refusal('405').next).toMatch(/^The path answers other methods only/);
  });

  test('of any other kind may be meant', () => {
    expect(refusal('404')).toMatchObject({
      message: expect.stringContaining('answered 404'),
      next: expect.stringContaining('`expect: { status: 404 }`'),
    });
  });
});
