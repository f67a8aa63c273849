import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { secretUsesIn } from '../../../../../src/config/secret-uses.ts';
import { proposed, type Texts } from './repositories.ts';

describe('what strangers have written', () => {
  const HOSTILE = 'x: {y}\n- "\'`#!!js/function &a *a ${env.TOKEN} <b>%\u0000\u2028';

  it.each<[string, Texts]>([
    ['a package', { 'package.json': JSON.stringify({ name: HOSTILE, scripts: { start: HOSTILE } }) }],
    [
      'a compose file',
      {
        'compose.yml': JSON.stringify({
          services: { [HOSTILE]: { build: '.', environment: { [HOSTILE]: 'a', A: HOSTILE } } },
        }),
      },
    ],
    [
      'an image',
      { 'compose.yml': JSON.stringify({ services: { a: { build: '.' }, db: { image: 'postgres:${X:-1}\n2' } } }) },
    ],
    [
      'a build elsewhere',
      { 'compose.yml': 'services: { a: { build: ../../etc }, b: { build: "https://x.test/y.git" } }' },
    ],
    [
      'a document',
      {
        'openapi.json': JSON.stringify({
          openapi: '3',
          paths: {
            [`/${HOSTILE}`]: { get: {} },
            '/${env.TOKEN}': { get: {} },
            '/a': { get: { operationId: HOSTILE } },
          },
        }),
      },
    ],
    ['a path', { 'a ${env.X}/Dockerfile': 'FROM x', 'b\nc: d/Dockerfile': 'FROM x', '{e: [f/Dockerfile': 'FROM x' }],
    [
      'broken files',
      {
        'package.json': '{',
        'compose.yml': 'a: [',
        'x.proto': 'service {',
        'openapi.yml': '&a [*a',
        Dockerfile: 'EXPOSE 99999999 x',
      },
    ],
    [
      'types that are wrong',
      { 'package.json': '[1]', 'compose.yml': 'services: [1, {build: 2}]', 'openapi.yml': 'openapi: 3\npaths: [a]' },
    ],
    [
      'a parameter',
      { 'openapi.json': JSON.stringify({ openapi: '3', paths: { '/{__proto__}/{}/{a-b}': { get: {} } } }) },
    ],
    ['a prototype', { 'compose.yml': 'services: { __proto__: { build: . }, constructor: { image: redis } }' }],
  ])('makes no file that cannot be read, nor asks for secrets: %s', (_, texts) => {
    const { text } = proposed(texts);

    expect(text.split('\n')[0]).toMatch(/^# yaml-language-server: /);
    expect(secretUsesIn({ file: 'wiregauge.yml', text })).toEqual([]);
  });

  const LONG = 400_000;
  it.each<[string, Texts]>([
    ['a word of a Dockerfile', { Dockerfile: `ENV ${'a'.repeat(LONG)}` }],
    [
      'lists of imports that never end',
      { 'Cargo.toml': '[package]\nname = "a"\n', 'src/main.rs': 'tonic::{transport::{'.repeat(LONG / 20) },
    ],
    ['elements that never end', { 'pom.xml': '<build>'.repeat(LONG / 7) }],
    ['a server of slashes', { 'openapi.yml': `openapi: 3\nservers: [{ url: "http://a${'/'.repeat(LONG)}b" }]` }],
    ['a map of thousands', { 'compose.yml': `{${Array.from({ length: LONG / 10 }, (_, i) => `k${i}: 1`).join()}}` }],
    ['a value with thousands of tags', { 'compose.yml': '!a '.repeat(LONG / 6) }],
    ['lists in lists', { 'compose.yml': '['.repeat(LONG) + ']'.repeat(LONG) }],
  ])('is read in no time however long it is: %s', { timeout: 60_000 }, (_, texts) => {
    expect(proposed(texts).text).toMatch(/^# yaml-language-server: /);
  });

  it('is read for any content', () => {
    const word = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        HOSTILE,
        'postgres:17',
        'redis',
        '8080:80',
        'DB_HOST=db',
        'db',
        'true',
        '0x1',
        '__proto__',
        '${A:-b}',
      ),
    );
    const any = fc.oneof(word, fc.integer(), fc.constant(null), fc.array(word), fc.dictionary(word, word));
    const keys = (...names: readonly string[]) =>
      fc.record(Object.fromEntries(names.map((key) => [key, any])), { requiredKeys: [] });
    const service = keys('build', 'image', 'ports', 'environment', 'depends_on');
    const parameter = fc.record({
      name: any,
      in: fc.constantFrom('path', 'query'),
      required: fc.boolean(),
      schema: any,
    });
    const item = fc.record({ get: fc.record({ operationId: any, parameters: fc.array(parameter) }) });
    const path = fc.oneof(word, fc.constantFrom('/a/{id}', '/{a-b}/{}', '/{__proto__}'));
    const namesake = {
      ['__proto__']: { build: {}, image: 'postgres:17' },
      '': { build: 0, depends_on: { ['__proto__']: 'x' } },
    };
    fc.assert(
      fc.property(fc.dictionary(word, service), fc.dictionary(path, item), word, (services, paths, text) => {
        const texts = {
          'compose.yml': JSON.stringify({ services }),
          'openapi.json': JSON.stringify({ openapi: '3', paths, servers: [{ url: text }] }),
          'package.json': JSON.stringify({ name: text, scripts: { start: text } }),
          [`${text}/Dockerfile`]: `EXPOSE ${text}`,
        };
        expect(proposed(texts, text).project.services.size).toBe(1);
      }),
      { numRuns: 50, examples: [[namesake, {}, '__proto__']] },
    );
  });
});
