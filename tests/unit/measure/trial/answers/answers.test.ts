import { describe, expect, test } from 'vitest';
import { canonicalJson, type Json } from '../../../../../src/foundation/json.ts';
import {
  type Answered,
  canonicalAnswer,
  compareAnswers,
  refuseDifference,
  type ServiceAnswer,
} from '../../../../../src/measure/trial/answers.ts';
import { restService } from '../../../../support/suite.ts';

function answered(service: string, ...answers: readonly (Json | undefined)[]): Answered {
  const entries = answers.map((answer, id): [string, ServiceAnswer] => {
    const own = { operation: 'Get', arguments: canonicalJson({ id }) };
    const none = { canonical: undefined, envelope: undefined };
    return [`Get ${own.arguments}`, { ...own, ...(answer === undefined ? none : canonicalAnswer(answer)) }];
  });
  return { service: restService(service), answers: new Map(entries) };
}

/** What is thrown about two starts of one service. */
function refusal(now: Json, before: Json) {
  try {
    refuseDifference(answered('shop', now), answered('shop', before));
  } catch (thrown) {
    return thrown as Error & { readonly next: string };
  }
  throw new Error('the answers are the same');
}

describe('the refusal of answers that differ from start to start', () => {
  test('shows the first place that differs and what stands there, however much is the same before', () => {
    const answer = (pid: number) => ({ a: 'x'.repeat(500), items: [{ id: 1 }, { id: 2, pid }], z: pid });

    expect(refusal(answer(12), answer(11)).message).toBe(
      'shop answers Get {"id":0} differently from start to start at $.items[1].pid: 12, before that: 11',
    );
  });

  test('shows of two long texts what they begin to differ with', () => {
    const text = (end: string) => `${'one word after the other '.repeat(20)}and then ${end}`;

    expect(refusal({ text: text('left') }, { text: text('right') }).message).toBe(
      'shop answers Get {"id":0} differently from start to start at $.text, from character 510 on: … the other and then left", before that: … the other and then right"',
    );
  });

  test('shows no part of a word that may be half a secret, but still that it differs, and where', () => {
    const [left, right] = [`${'a'.repeat(300)}b`, `${'a'.repeat(300)}c`];

    const { message } = refusal(left, right);

    expect(message).toMatch(/ at \$, from character 301 on: …", before that: …"$/);
    expect(message).not.toContain('aa');
  });

  test('stays short, for any request and response', () => {
    const long = (name: string): Json => ({ ['k'.repeat(5000)]: { deep: name.repeat(3000) } });

    expect(refusal(long('one '), long('two ')).message.length).toBeLessThan(800);
  });

  test.each<[string, Json, Json, string]>([
    ['a field', { at: 1 }, { at: 2 }, '`ignore: ["$.at"]`'],
    ['a field of every item', { items: [{ at: 1 }] }, { items: [{ at: 2 }] }, '`ignore: ["$.items[*].at"]`'],
    ['a list with more items', { items: [1] }, { items: [] }, '`ignore: ["$.items"]`'],
    ['a key with a space', { 'created at': 1 }, {}, '`ignore: ["$[\\"created at\\"]"]`'],
    ['the whole answer', 1, 2, '`verify: status`'],
  ])('says how to allow it: %s', (...[, now, before, advice]) => {
    expect(refusal(now, before).next).toContain(advice);
  });
});

describe('compareAnswers', () => {
  test('compares what both answered and compare, and names each that differs', () => {
    const left = answered('a', { id: 0 }, { id: 1 }, undefined, 3, 4);
    const right = answered('b', { id: 0 }, { id: 9 }, 2, undefined);

    const { compared, differences } = compareAnswers(left, right);

    expect(compared.map((answer) => answer.arguments)).toEqual(['{"id":0}', '{"id":1}']);
    expect(differences).toMatchObject([{ request: 'Get {"id":1}', path: '$.id', left: 1, right: 9 }]);
  });

  test('takes an envelope off where services differ in it, and never within one service', () => {
    const user = { id: 1, name: 'x' };
    const wrapped = answered('a', { user });
    const person = { person: user };

    expect(compareAnswers(wrapped, answered('b', user)).differences).toEqual([]);
    expect(compareAnswers(wrapped, answered('b', person)).differences).toEqual([]);
    expect(compareAnswers(wrapped, answered('a', person)).differences).toMatchObject([{ path: '$.person' }]);
    expect(compareAnswers(wrapped, answered('b', { ...user, id: 2 })).differences).toMatchObject([
      { path: '$.user.id', left: 1, right: 2 },
    ]);
  });

  test('takes an envelope off an answer that has a single key itself', () => {
    const wrapped = answered('a', { deleteGame: { id: 1 } });

    expect(compareAnswers(wrapped, answered('b', { id: 1 })).differences).toEqual([]);
    expect(compareAnswers(answered('b', { id: 1 }), wrapped).differences).toEqual([]);
    expect(compareAnswers(wrapped, answered('b', { id: 2 })).differences).toHaveLength(1);
    expect(compareAnswers(wrapped, answered('a', { id: 1 })).differences).toHaveLength(1);
  });

  test('shows a place in an envelope that both have with the envelope', () => {
    const [one, two] = [1, 2].map((id) => answered(`service-${id}`, { 'all "users"': [{ id }] }));

    expect(compareAnswers(one as Answered, two as Answered).differences).toMatchObject([
      { path: '$["all \\"users\\""][0].id', left: 1, right: 2 },
    ]);
  });
});
