import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../../../src/config/openapi/document.ts';
import { exampleOf, numberExample, patternExample, textExample } from '../../../../src/config/openapi/example.ts';
import { making } from '../../../../src/config/openapi/schema.ts';

const document = (schemas: object) =>
  openApiDocument({ file: 'a.json', text: JSON.stringify({ openapi: '3.1.0', schemas }) });

function exampleIn(schema: unknown, schemas: object = {}) {
  const made = exampleOf(schema, ['x'], making(document(schemas)));
  return 'value' in made ? made.value : made.problem;
}

describe('an example value', () => {
  it.each<[string, object, unknown]>([
    ['its example', { type: 'string', example: 'a', default: 'b' }, 'a'],
    ['the first of its examples', { examples: [1, 2], default: 3 }, 1],
    ['its only value', { const: 'ok' }, 'ok'],
    ['its default', { type: 'integer', default: 0, enum: [5] }, 0],
    ['the first that it allows', { enum: [null, 'a', 'b'] }, 'a'],
    ['one of the type that is not null', { type: ['null', 'boolean'] }, true],
    ['null where it is nothing else', { type: 'null' }, null],
    ['a text of its format', { type: 'string', format: 'date' }, '2026-01-31'],
    ['a number where nothing is said', {}, 1],
    ['as many items as there must be', { type: 'array', minItems: 2, items: { type: 'integer' } }, [1, 1]],
    ['no items where there may be none', { type: 'array', maxItems: 0 }, []],
    [
      'the first form that can be made',
      { oneOf: [{ type: 'string', pattern: '^(?=b)a$' }, { type: 'boolean' }] },
      true,
    ],
    [
      'a map with the properties of its form',
      { properties: { a: { const: 1 } }, anyOf: [{ properties: { b: { const: 2 } } }] },
      { a: 1, b: 2 },
    ],
    [
      'what is required of all its parts',
      { allOf: [{ required: ['b'] }, { properties: { a: {}, b: { type: 'string' } } }] },
      { b: 'example' },
    ],
    ['all properties where none is required', { properties: { a: {}, b: { readOnly: true } } }, { a: 1 }],
    ['no example that would be filled in', { type: 'string', example: '${env.TOKEN}' }, 'example'],
    [
      'no example with such a key',
      { example: { '${env.TOKEN}': 1 }, properties: { a: {}, '${env.TOKEN}': {} } },
      { a: 1 },
    ],
    ['no half of a character', { type: 'string', example: '\ud800' }, 'example'],
  ])('is %s', (_, schema, value) => {
    expect(exampleIn(schema)).toEqual(value);
  });

  it('omits recursive parts if they are optional', () => {
    const properties = { name: { example: 'a' }, children: { type: 'array', items: { $ref: '#/schemas/Tree' } } };
    const Tree = { required: ['name', 'children'], properties };

    expect(exampleIn({ $ref: '#/schemas/Tree' }, { Tree })).toEqual({ name: 'a', children: [] });
  });

  it('ends where each level has many of the next', () => {
    const levels = Array.from({ length: 12 }, (_, level) => [
      `L${level}`,
      { properties: Object.fromEntries('abcdefgh'.split('').map((key) => [key, { $ref: `#/schemas/L${level + 1}` }])) },
    ]);
    const schemas = { ...Object.fromEntries(levels), L12: { type: 'string' } };

    const text = JSON.stringify(exampleIn({ $ref: '#/schemas/L0' }, schemas));

    expect(text).toContain('example');
    expect(text.length).toBeLessThan(100_000);
  });

  it.each<[Record<string, unknown>, number | undefined]>([
    [{ minimum: 0 }, 1],
    [{ minimum: 7 }, 7],
    [{ maximum: -3 }, -3],
    [{ exclusiveMinimum: 7 }, 8],
    [{ minimum: 7, exclusiveMinimum: true }, 8],
    [{ maximum: 0, exclusiveMaximum: true }, -1],
    [{ minimum: 3, multipleOf: 5 }, 5],
    [{ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }, 0.5],
    [{ type: 'number', minimum: 0.1, maximum: 0.1 }, 0.1],
    [{ exclusiveMinimum: 0, exclusiveMaximum: 1 }, undefined],
    [{ minimum: 6, maximum: 9, multipleOf: 5 }, undefined],
    [{ minimum: 2, maximum: 1 }, undefined],
    [{ minimum: -0.5, maximum: 0.5 }, 0],
  ])('is a number within %j: %s', (limits, value) => {
    expect(numberExample({ type: 'integer', ...limits })).toBe(value);
  });

  it('is a whole number within any limits that have one', () => {
    fc.assert(
      fc.property(fc.integer(), fc.nat(1000), (minimum, width) => {
        const found = numberExample({ type: 'integer', minimum, maximum: minimum + width });
        expect(found).toBeGreaterThanOrEqual(minimum);
        expect(found).toBeLessThanOrEqual(minimum + width);
        expect(found).toSatisfy(Number.isInteger);
      }),
    );
  });

  it.each<[Record<string, unknown>, string | undefined]>([
    [{ minLength: 10 }, 'examplexxx'],
    [{ maxLength: 3 }, 'exa'],
    [{ maxLength: 0 }, ''],
    [{ minLength: 5, maxLength: 4 }, undefined],
    [{ minLength: 1e9 }, undefined],
    [{ format: 'uuid', maxLength: 5 }, 'examp'],
    [{ pattern: '^[a-z]+$', maxLength: 3 }, 'abc'],
    [{ pattern: '^\\$\\{env\\.A\\}$' }, undefined],
  ])('is a text within %j: %s', (limits, value) => {
    expect(textExample(limits)).toBe(value);
  });
});

describe('a text for a pattern', () => {
  const any = () => true;

  it.each([
    '^[A-Z]{2}-\\d{4}$',
    '^(?:v|w)?[0-9]+(?:\\.[0-9]+){2}$',
    '^[^a-zA-Z0-9_]$',
    '^\\p{Lu}\\w*@[a-z]+\\.(com|org)$',
    '^#(?:[0-9a-fA-F]{3}){1,2}$',
    '^\\u0041\\x42\\/$',
    '^(?<year>\\d{4})/.{3}$',
    '^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$',
    '^a{0}b{0,3}c*?$',
    '^[\\]\\-]+$',
    '',
  ])('fits %s', (pattern) => {
    const text = patternExample(pattern, any);

    expect(text).toMatch(new RegExp(pattern, 'u'));
  });

  const nested = `${'(?:a|'.repeat(200)}b${')'.repeat(200)}`;
  it.each(['(?=a)b', '(a)\\1', '[', 'a{9999}', '\\bword', nested])('is not known for case %#', (pattern) => {
    expect(patternExample(pattern, () => false)).toBeUndefined();
  });

  it('fits every pattern of known parts', () => {
    const part = fc.constantFrom('a', '[b-d]', '\\d', '.', '(?:x|y)', '[^a-z]', '\\.', '(z\\w)');
    const times = fc.constantFrom('', '+', '*', '?', '{3}', '{2,}', '{0,2}', '+?');
    const pattern = fc.array(fc.tuple(part, times), { maxLength: 6 }).map((parts) => `^${parts.flat().join('')}$`);
    fc.assert(
      fc.property(pattern, (text) => {
        expect(patternExample(text, () => false)).toMatch(new RegExp(text, 'u'));
      }),
    );
  });

  it('is made in no time of a pattern that tries everything', { timeout: 5000 }, () => {
    expect(patternExample('^(\\w+\\s?)*\\d!{2}$', any)).toBeDefined();
  });

  it('is made in no time of a pattern that looks back over all that it has tried', { timeout: 5000 }, () => {
    const pattern = `^${'('.repeat(20)}\\w*${')*'.repeat(20)}!$`;

    expect(pattern).toHaveLength(66);
    expect(patternExample(pattern, any)).toBe('a!');
  });
});
