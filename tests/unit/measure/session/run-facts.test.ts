import { afterEach, describe, expect, it, vi } from 'vitest';
import { serviceRecord } from '../../../../src/measure/session/run-facts.ts';
import { readSuite } from '../../../../src/project/suite.ts';

describe('what a run records of the database of the games services', () => {
  afterEach(() => vi.unstubAllEnvs());

  const sourceIn = (runtime: 'docker' | 'process') => {
    const service = readSuite('.', 'protocols').services.get('games-rest');
    return service && serviceRecord(service, runtime).needs?.map(({ source }) => source);
  };
  const BUILT = 'built from tools/games-database/Dockerfile with';

  it('says which one is in the image', () => {
    vi.stubEnv('WIREGAUGE_BUILD_ARGS', 'GO_IMAGE=mirror/golang:1.26');
    expect(sourceIn('docker')).toEqual([expect.stringMatching(/with DATABASE=mongo:8\.0\.\d+@sha256:[0-9a-f]{64}$/)]);

    vi.stubEnv('WIREGAUGE_BUILD_ARGS', 'GO_IMAGE=mirror/golang:1.26,DATABASE=ferretdb');
    expect(sourceIn('docker')).toEqual([`${BUILT} DATABASE=ferretdb`]);
  });

  it('says which program it is without a container', () => {
    vi.stubEnv('WIREGAUGE_BUILD_ARGS', 'DATABASE=mongo:8.0');
    expect(sourceIn('process')).toEqual(['build/games/ferretdb']);
  });
});
