import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { configSchemaText } from '../../../../scripts/generated/schema/schema.ts';

const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(JSON.parse(configSchemaText()));

test('the published schema is that of the source: `npm run readme` writes it', () => {
  expect(readFileSync('schema/wiregauge.schema.json', 'utf8')).toBe(configSchemaText());
});

describe('an editor with the schema', () => {
  const examples = readdirSync('examples', { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('wiregauge.yml'),
  );

  test.each(examples)('finds nothing in examples/%s', (file) => {
    validate(parse(readFileSync(`examples/${file}`, 'utf8')));

    expect(validate.errors).toBeNull();
  });

  const SHORTEST = `services:
  api: { protocol: rest, port: 8080, image: { context: . } }
operations:
  - { name: Index, rest: GET / }
`;

  test('finds nothing in the shortest file', () => {
    expect(validate(parse(SHORTEST))).toBe(true);
  });

  test('finds nothing in tiers with users and tiers with rates', () => {
    const tiers = '[{ name: a, users: 5, spawnPerSecond: 1, thinkSeconds: 1 }, { name: b, requestsPerSecond: 5 }]';

    expect(validate(parse(`${SHORTEST}tiers: ${tiers}\n`))).toBe(true);
  });

  test.each([
    ['a misspelt key', SHORTEST.replace('services:', 'servics:')],
    ['a misspelt key of a service', SHORTEST.replace('protocol', 'protocl')],
    ['a port that is none', SHORTEST.replace('8080', '80800')],
    ['a binding that is no request', SHORTEST.replace('GET /', 'get it')],
    ['a weight below nothing', SHORTEST.replace('name: Index', 'name: Index, weight: -1')],
    ['a tier without a load', `${SHORTEST}tiers: [{ name: a, users: 5 }]\n`],
    [
      'a tier with users and a rate',
      `${SHORTEST}tiers: [{ name: a, users: 5, spawnPerSecond: 1, thinkSeconds: 1, requestsPerSecond: 5 }]\n`,
    ],
  ])('marks %s', (_what, text) => {
    expect(validate(parse(text))).toBe(false);
  });
});

test('every key of the file, of a service and of an operation says what it is for', () => {
  const undescribed = (properties: Record<string, { description?: string; $ref?: string }>) =>
    Object.entries(properties).filter(([, { description, $ref }]) => description === undefined && $ref === undefined);
  const { properties } = JSON.parse(configSchemaText());

  expect(undescribed(properties)).toEqual([]);
});
