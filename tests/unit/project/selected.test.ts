import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ConfigError } from '../../../src/foundation/errors.ts';
import type { SuiteFiles } from '../../../src/project/files.ts';
import { onlyOperations, withOperations } from '../../../src/project/selected.ts';
import { readSuite } from '../../../src/project/suite.ts';

const PROJECT = `name: shop
services:
  api: { protocol: rest, port: 8080, image: nginx:1.27 }
  own:
    protocol: rest
    port: 8081
    image: nginx:1.27
    headers: { Authorization: "Bearer \${env.OWN_TOKEN}" }
    operations: [{ name: Own, rest: GET /own }]
operations:
  - { name: List, rest: GET /list, weight: 3 }
  - { name: Get, rest: GET /get, weight: 1 }
  - { name: Put, rest: PUT /put, weight: 1 }
tiers:
  - { name: reads, requestsPerSecond: 10, operations: [List, Get] }
  - { name: writes, requestsPerSecond: 10, operations: [Put] }
`;

let root: string;
let files: SuiteFiles;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'selected-'));
  writeFileSync(join(root, 'wiregauge.yml'), PROJECT);
  files = readSuite(root, undefined);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('some of the operations', () => {
  test('are all that is asked of the services that have any of them, at the tiers that ask for them', () => {
    const { suite, services, ownServices, secrets } = withOperations(files, ['List', 'Get']);

    expect(suite.operations.map(({ name }) => name)).toEqual(['List', 'Get']);
    expect(suite.operations[0]?.share).toBeCloseTo(0.75);
    expect(suite.tiers.map(({ name, operations }) => [name, operations])).toEqual([['reads', ['List', 'Get']]]);
    expect([suite.services, [...services.keys()], ownServices]).toEqual([['api'], ['api'], ['api']]);
    expect(secrets).toEqual([]);
  });

  test('have a configuration of their own, in any order; without them it is that of all', () => {
    const hashes = [['List', 'Get'], ['Get', 'List'], ['List']].map(
      (requested) => withOperations(files, requested).configHash,
    );

    expect(hashes[0]).toBe(hashes[1]);
    expect(new Set([...hashes, files.configHash]).size).toBe(3);
    expect(withOperations(files, undefined)).toBe(files);
  });

  test('of an earlier version may be missing', () => {
    expect(onlyOperations(files, ['Put', 'New']).suite.operations.map(({ name }) => name)).toEqual(['Put']);
    expect(onlyOperations(files, ['New']).suite.services).toEqual([]);
  });

  test('that no service has are named, with the one that was probably meant', () => {
    const refused = () => withOperations(files, ['List', 'Gat']);

    expect(refused).toThrow(ConfigError);
    expect(refused).toThrow('there is no operation "Gat"');
    expect(refused).toThrow(
      expect.objectContaining({ next: 'Available operations: List, Get, Put, Own. Did you mean Get?' }),
    );
  });
});
