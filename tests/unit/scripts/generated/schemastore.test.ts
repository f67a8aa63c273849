import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SCHEMA_ADDRESS } from '../../../../src/config/parse.ts';
import { PROJECT_FILE } from '../../../../src/project/suite.ts';

test('the entry for SchemaStore has the address that init writes, and the file that is read', () => {
  expect(JSON.parse(readFileSync('deploy/schemastore/catalog-entry.json', 'utf8'))).toMatchObject({
    name: 'Wiregauge',
    fileMatch: [PROJECT_FILE],
    url: SCHEMA_ADDRESS,
  });
});
