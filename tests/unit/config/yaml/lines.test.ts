import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Document, LineCounter, parseDocument, visit } from 'yaml';
import { linesOf, positionsIn } from '../../../../src/config/yaml/lines.ts';

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

  test('never fails for any text', () => {
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

describe('places in a document are found', () => {
  const ITEMS = 200;

  /** How often a part of the document was looked at for the places of all that these steps lead to. */
  function looksFor(document: Document.Parsed, { looked, paths }: Looks): number {
    const counter = new LineCounter();
    let looks = 0;
    visit(document, {
      [looked.visitor]: (_key: unknown, node: object) => {
        const value: unknown = Reflect.get(node, looked.property);
        Object.defineProperty(node, looked.property, {
          get: () => {
            looks += 1;
            return value;
          },
        });
      },
    });
    const positionOf = positionsIn(document, counter);
    looks = 0;
    expect(paths.map((path) => positionOf(path)).filter((position) => position === undefined)).toEqual([]);
    return looks;
  }

  interface Looks {
    readonly looked: { readonly visitor: 'Scalar' | 'Pair'; readonly property: 'anchor' | 'key' };
    readonly paths: readonly (readonly (string | number)[])[];
  }

  const numbers = Array.from({ length: ITEMS }, (_, index) => index);

  test('in the target of an alias visits each node twice, however many positions are requested', () => {
    const document = parseDocument(`a: &a [${numbers.join(', ')}]\nb: *a\nc: *a\n`);
    const paths = ['b', 'c'].flatMap((key) => numbers.map((index) => [key, index]));

    const looks = looksFor(document, { looked: { visitor: 'Scalar', property: 'anchor' }, paths });

    expect(looks).toBeGreaterThan(0);
    expect(looks).toBeLessThanOrEqual(2 * (ITEMS + 3));
  });

  test('in a map visits each key a few times, however many positions are requested', () => {
    const document = parseDocument(numbers.map((index) => `k${index}: 1\n`).join(''));
    const paths = numbers.map((index) => [`k${index}`]);

    const looks = looksFor(document, { looked: { visitor: 'Pair', property: 'key' }, paths });

    expect(looks).toBeGreaterThan(0);
    expect(looks).toBeLessThanOrEqual(3 * ITEMS);
  });
});
