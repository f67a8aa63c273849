import { describe, expect, test } from 'vitest';
import { pairedServices, runtimeSides } from '../../../src/measure/session/one-build.ts';
import { runPlan } from '../../../src/measure/session/plan-line.ts';
import { planRun } from '../../../src/model/plan.ts';
import { mainJobRounds, profileNamed } from '../../../src/model/profiles.ts';
import { comparedServices } from '../../../src/model/rounds.ts';
import type { Service } from '../../../src/model/service.ts';
import { inBothRuntimes } from '../../../src/project/both.ts';
import { restService, usersSuite } from '../../support/suite.ts';

function filesOf(...services: readonly Service[]) {
  const names = services.map(({ name }) => name);
  const suite = { ...usersSuite(), services: names };
  const byName = new Map(services.map((service) => [service.name, service]));
  const secrets = [{ variable: 'KEY', place: 'wiregauge.yml:3', isPem: false, service: 'rest' }];
  return { root: '.', suite, ownServices: names, services: byName, configHash: 'a hash', secrets };
}

const both = () => inBothRuntimes(filesOf(restService('rest'), restService('grpc')));

describe('services in both runtimes', () => {
  test('are each there twice, side by side, with names and titles that say where', () => {
    const { suite, services, secrets } = both();

    expect(suite.services).toEqual(['rest-process', 'rest-docker', 'grpc-process', 'grpc-docker']);
    expect([...services.values()].map(({ name, runtime, title }) => [name, runtime, title])).toEqual([
      ['rest-process', 'process', 'rest, as plain processes'],
      ['rest-docker', 'docker', 'rest, in containers'],
      ['grpc-process', 'process', 'grpc, as plain processes'],
      ['grpc-docker', 'docker', 'grpc, in containers'],
    ]);
    expect(secrets.map(({ service }) => service)).toEqual(['rest-process', 'rest-docker']);
  });

  test('are compared with themselves: containers are the head, plain processes the base', async () => {
    const { suites, versus } = await runtimeSides(both());

    expect(suites.suite.services).toEqual(['rest-docker', 'grpc-docker']);
    expect(suites.head.services.get('grpc-docker')?.runtime).toBe('docker');
    expect(suites.base.services.get('grpc-docker')).toMatchObject({ name: 'grpc-process', runtime: 'process' });
    expect(versus).toEqual({
      reference: 'rest-process',
      references: { 'rest-docker': 'rest-process', 'grpc-docker': 'grpc-process' },
    });
  });

  test('are compared with themselves only if both could be measured', () => {
    expect(pairedServices(both(), (name) => name !== 'rest-process')).toEqual(['grpc-process', 'grpc-docker']);
  });

  test('are said in the plan, with their rounds', () => {
    const files = both();
    const { suite } = files;
    const plan = planRun({ suite, profile: profileNamed('quick').trials, modes: ['open', 'saturate'], seed: 1 });
    const place = { runtime: 'both', services: files.services } as const;
    const rounds = mainJobRounds(plan);
    const line = runPlan({ plan, rounds, budgetSeconds: undefined, canCount: false })(place);

    expect(comparedServices(suite, place)).toEqual(['rest-docker', 'grpc-docker']);
    expect(line).toContain(', then 8 rounds of rest-docker, grpc-docker each against itself as plain processes;');
  });

  test.each([
    ['has no image', { image: undefined }, /^rest has no `image`, so it cannot be started both ways$/],
    ['has no process', { process: undefined }, /^rest has no `process`/],
    ['already runs', { address: '127.0.0.1:80' }, /^rest: already runs at 127\.0\.0\.1:80/],
    [
      'needs what has no process',
      { needs: [{ ...restService('db'), process: undefined, ready: {}, needs: [], fresh: 'slot' }] },
      /^db of rest has no `process`/,
    ],
  ])('are refused if one %s', (_, change, message) => {
    const service = { ...restService('rest'), ...change } as Service;

    expect(() => inBothRuntimes(filesOf(service))).toThrow(message);
  });
});
