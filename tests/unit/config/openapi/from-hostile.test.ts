import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ConfigError } from '../../../../src/foundation/errors.ts';
import { requestsFrom } from '../../../support/from-project.ts';

const reference = (name: string) => ({ $ref: `#/components/${name}` });

const DOCUMENT = {
  openapi: '3.1.0',
  servers: [{ url: 'https://{a}.example.com/v1', variables: { a: { default: 'b' } } }],
  security: [{ key: [] }, {}],
  paths: {
    '/a/{id}': {
      parameters: [reference('parameters/Id'), { name: 'q', in: 'query', examples: { one: { value: 1 } } }],
      get: { operationId: 'a', responses: { 200: {}, '4XX': {} } },
      post: {
        operationId: 'b',
        requestBody: { required: true, content: { 'application/json': { schema: reference('schemas/A') } } },
      },
      put: {
        operationId: 'c',
        requestBody: { content: { 'application/x-www-form-urlencoded': { example: { a: [1, 'b'] } } } },
      },
    },
  },
  components: {
    parameters: { Id: { name: 'id', in: 'path', required: true, schema: reference('schemas/Id') } },
    schemas: {
      Id: { type: 'string', pattern: '^[a-z]{3}$', maxLength: 3 },
      A: { allOf: [reference('schemas/B')], oneOf: [{ properties: { d: { const: 1 } } }], required: ['b'] },
      B: {
        type: 'object',
        properties: {
          b: { type: 'array', minItems: 1, items: reference('schemas/Id') },
          c: { type: ['integer', 'null'], minimum: 2 },
        },
      },
    },
    securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } },
  },
};

const ENTRIES = [
  '{ from: a.json }',
  ...['a', 'b', 'c'].map((id) => `{ from: a.json, operationId: ${id}, arguments: [{ id: x }] }`),
];

/** A request without its body. */
function headOf(request: string): string {
  const parts = request.split(' | ');
  return (request.startsWith('GET ') ? parts : parts.slice(0, -1)).join('');
}

/** What is asked of a document that somebody wrote; throws anything but a ConfigError. */
function ask(document: unknown): number {
  const files = { 'a.json': JSON.stringify(document) };
  const requested = ENTRIES.map((entry) => {
    try {
      const requests = requestsFrom([entry], { files });
      // Nothing of a document is filled in from elsewhere, nor begins another header.
      expect(requests.flat().join('')).not.toContain('${');
      expect(requests.flat().map(headOf).join('')).not.toMatch(/\p{Cc}/u);
      return requests.length;
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(ConfigError);
      return 0;
    }
  });
  return requested.reduce((sum, count) => sum + count, 0);
}

/** The paths to everything in a value. */
function pathsIn(value: unknown): readonly (readonly string[])[] {
  const inner = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return [[], ...inner.flatMap(([key, one]) => pathsIn(one).map((path) => [key, ...path]))];
}

function replaced(value: unknown, [key, ...path]: readonly string[], by: unknown): unknown {
  if (key === undefined) {
    return by;
  }
  const map = Array.isArray(value) ? [...value] : { ...(value as object) };
  return Object.assign(map, { [key]: replaced((value as Record<string, unknown>)[key], path, by) });
}

it('sends all operations of a valid document', () => {
  expect(ask(DOCUMENT)).toBe(4);
});

it('sends what it can of a document in which any part is replaced, or reports why not', {
  timeout: 300_000,
}, () => {
  const references = pathsIn(DOCUMENT).map((path) => ({ $ref: `#/${path.join('/').replaceAll('~', '~0')}` }));
  const odd = fc.constantFrom<unknown>(
    '__proto__',
    'constructor',
    '${env.TOKEN}',
    '{id}',
    '\ud800',
    'a\r\nB: c',
    '(a+)+$',
    '%',
    -1,
    0,
    1e308,
    ...references,
  );
  const by = fc.oneof(odd, fc.jsonValue({ maxDepth: 2 }), fc.constant(undefined));
  const change = fc.tuple(fc.constantFrom(...pathsIn(DOCUMENT)), by);
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
      const changed = changes.reduce<unknown>((document, [path, value]) => {
        try {
          return replaced(document, path, value);
        } catch {
          return document;
        }
      }, DOCUMENT);
      ask(changed);
    }),
    { numRuns: 150 },
  );
});
