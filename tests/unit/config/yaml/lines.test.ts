import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { linesOf } from '../../../../src/config/yaml/lines.ts';

const TEXT = `# A comment
name: mine
operations:
  - name: Get
    weight: 1
  - &second { name: Put, weight: 0 }
tiers: &tiers
  - { name: low }
  - name: high
    users: 10
again: *tiers
1: one
`;

describe('linesOf', () => {
  test.each([
    [[], 2],
    [['operations'], 3],
    [['operations', { name: 'Get' }], 4],
    [['operations', { name: 'Put' }], 6],
    [['operations', 0, 'weight'], 5],
    [['tiers', 1, 'users'], 10],
    [['again', { name: 'high' }, 'users'], 10],
    [[1], 12],
  ] as const)('finds %j on line %i', (steps, line) => {
    expect(linesOf(TEXT)([...steps])).toBe(line);
  });

  test.each([
    [['nothing']],
    [['operations', { name: 'Delete' }]],
    [['operations', 7]],
    [['operations', 'Get']],
    [['name', 'further']],
    [['name', 0]],
  ] as const)('finds %j nowhere', (steps) => {
    expect(linesOf(TEXT)([...steps])).toBeUndefined();
  });

  test.each(['', 'a: [', '{', '\t\t- x: *nobody', '- - -\n:'])('finds nothing in %j, and does not fail', (text) => {
    expect(linesOf(text)(['a', 0, { name: 'b' }])).toBeUndefined();
  });

  test('never fails, whatever the text is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        const line = linesOf(text)([0]);
        return line === undefined || line >= 1;
      }),
    );
  });
});

test('finds an operation by what it is called in the document or the contract that it comes out of', () => {
  const lineOf = linesOf(
    'operations:\n  - { from: a.yaml, operationId: get }\n  - { from: a.B/Put }\n  - { from: a.B }\n',
  );

  expect(lineOf(['operations', { name: 'get' }])).toBe(2);
  expect(lineOf(['operations', { name: 'Put' }])).toBe(3);
  expect(lineOf(['operations', { name: 'Other' }])).toBeUndefined();
});
