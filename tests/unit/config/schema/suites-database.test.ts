import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readSuite } from '../../../../src/project/suite.ts';

const STORE = ['STORE', 'USERS', 'DATABASE_URL', 'POOL_SIZE', 'DATABASE_TIMEOUT_SECONDS', 'REDIS_URL', 'CACHE_SECONDS'];

describe('the suite database', () => {
  const { suite, services } = readSuite('.', 'database');
  const storeOf = (name: string) => {
    const { needs, environment = {} } = services.get(name) ?? expect.unreachable(name);
    return { needs, settings: STORE.map((variable) => environment[variable]) };
  };

  it('gives both protocols the same users in the same stores', () => {
    for (const kind of ['', '-postgres', '-redis']) {
      expect(storeOf(`rest${kind}`)).toEqual(storeOf(`grpc${kind}`));
    }
    expect(suite.services.map((name) => services.get(name)?.environment['USERS'])).toEqual(Array(6).fill('100000'));
  });

  it('keeps the database over a run and starts the cache empty', () => {
    const needs = services.get('rest-redis')?.needs ?? [];

    expect(needs.map(({ name, fresh }) => [name, fresh])).toEqual([
      ['postgresql', 'run'],
      ['redis', 'slot'],
    ]);
  });

  it('requests a user again only after the cache has dropped it', () => {
    const seconds = Number(services.get('rest-redis')?.environment['CACHE_SECONDS']);

    for (const { name, arguments: rows } of suite.operations.slice(0, 3)) {
      const tier = suite.tiers.find(({ operations }) => operations?.includes(name));
      expect(tier).toMatchObject({ requestsPerSecond: 500 });
      expect(rows.length / 500).toBeGreaterThan(2 * seconds);
    }
  });

  it('has official images that the Dockerfiles of its stores name, too', () => {
    for (const { image } of services.get('rest-redis')?.needs ?? []) {
      const { dockerfile, args } =
        image !== undefined && 'dockerfile' in image ? image : expect.unreachable('not built');
      const [[name, value] = []] = Object.entries(args ?? {});
      expect(readFileSync(dockerfile, 'utf8')).toContain(`\nARG ${name}=${value}\n`);
    }
  });
});
