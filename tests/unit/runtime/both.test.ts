import { expect, test } from 'vitest';
import type { Service } from '../../../src/model/service.ts';
import { bothRuntimes } from '../../../src/runtime/both.ts';
import type { Runtime } from '../../../src/runtime/port.ts';
import { NO_COUNTING, RUNNER, standingService } from '../../support/fakes.ts';
import { restService } from '../../support/suite.ts';

function noting(name: 'docker' | 'process', noted: string[]): Runtime {
  const note = (what: string): void => void noted.push(`${name}: ${what}`);
  return {
    name,
    reason: 'a test',
    runner: { ...RUNNER, ...(name === 'docker' && { engine: 'Docker 29' }) },
    prepare: async (services) => note(`builds ${services.map((one) => one.name).join(', ')}`),
    start: async (service) => {
      note(`starts ${service.name}`);
      return standingService();
    },
    counting: {
      ...NO_COUNTING,
      start: async (service) => {
        note(`counts ${service.name}`);
        return standingService();
      },
    },
    built: async () => {
      note('is asked for files');
      return [];
    },
    control: async () => 150,
    [Symbol.asyncDispose]: async () => note('ends'),
  };
}

const inRuntime = (name: string, runtime: Service['runtime']): Service => ({ ...restService(name), runtime });

test('starts each service, and builds and counts it, where it says that it runs', async () => {
  const noted: string[] = [];
  const runtime = bothRuntimes({ docker: noting('docker', noted), process: noting('process', noted) });
  const [plain, contained] = [inRuntime('rest-process', 'process'), inRuntime('rest-docker', 'docker')];

  await runtime.prepare([plain, contained], new AbortController().signal);
  await runtime.start(plain);
  await runtime.start(contained);
  await runtime.counting.start(contained);
  await runtime[Symbol.asyncDispose]();

  expect(noted).toEqual([
    'docker: builds rest-docker',
    'process: builds rest-process',
    'process: starts rest-process',
    'docker: starts rest-docker',
    'docker: counts rest-docker',
    'docker: ends',
    'process: ends',
  ]);
  expect(runtime.name).toBe('both');
  expect(runtime.runner.engine).toBe('Docker 29');
  expect(() => runtime.start(restService('rest'))).toThrow('rest has no runtime');
});

test('ends the plain processes, too, if the containers cannot be ended', async () => {
  const noted: string[] = [];
  const docker = { ...noting('docker', noted), [Symbol.asyncDispose]: () => Promise.reject(new Error('it hangs')) };
  const runtime = bothRuntimes({ docker, process: noting('process', noted) });

  await expect(runtime[Symbol.asyncDispose]()).rejects.toThrow('it hangs');
  expect(noted).toEqual(['process: ends']);
});
