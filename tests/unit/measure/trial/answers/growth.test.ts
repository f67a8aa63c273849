import { describe, expect, test } from 'vitest';
import type { Json } from '../../../../../src/foundation/json.ts';
import { answerLengths, grownOperations } from '../../../../../src/measure/trial/answers.ts';
import type { Operation } from '../../../../../src/model/suite/suite.ts';
import type { Client } from '../../../../../src/protocols/client.ts';
import { restBinding, restService } from '../../../../support/suite.ts';

const operation = (name: string, changes: Partial<Operation> = {}): Operation => ({
  name,
  share: 0.5,
  arguments: [{ id: 1 }, { id: 2 }],
  bindings: { rest: restBinding(`GET /${name}/{id}`) },
  ...changes,
});

/** A client whose service answers by path, and what it was asked for. */
function clientOf(answers: Readonly<Record<string, Json>>) {
  const requested: string[] = [];
  const client = {
    call: async (_service: unknown, _address: unknown, { call }: { readonly call: string }) => {
      requested.push(call);
      const body = answers[call];
      return body === undefined ? { status: '500', body: undefined } : { status: '200', body };
    },
  } as unknown as Client;
  return { client, requested };
}

const request = (...operations: Operation[]) => ({ service: restService('api'), address: '127.0.0.1:1', operations });

describe('the lengths of answers', () => {
  test('are those to the first argument, without operations that refuse or that are not verified', async () => {
    const { client, requested } = clientOf({ 'GET /Get/1': { a: 'x', b: 1 } });

    const lengths = await answerLengths(
      client,
      request(operation('Get'), operation('Broken'), operation('Remove', { verify: 'none' })),
    );

    expect([...lengths]).toEqual([['Get', '{"a":"x","b":1}'.length]]);
    expect(requested).toEqual(['GET /Get/1', 'GET /Broken/1']);
  });

  test.each([
    ['a longer list', 1101, ['List']],
    ['an answer of about the same length', 1099, []],
    ['a shorter one', 10, []],
    ['an answer that is gone', undefined, []],
  ])('grow by %s', (_, after, grown) => {
    const then = new Map(after === undefined ? [] : [['List', after]]);

    expect(grownOperations(new Map([['List', 1000]]), then)).toEqual(grown);
  });

  test('do not grow by a number with more digits', () => {
    expect(grownOperations(new Map([['Create', 10]]), new Map([['Create', 15]]))).toEqual([]);
  });
});
