import { expect, test } from 'vitest';
import { ConfigError, EnvironmentError } from '../../../../src/foundation/errors.ts';
import {
  containersOnly,
  plainPrograms,
  refuseContainersOnly,
  refuseMixedStarts,
} from '../../../../src/measure/session/runtime.ts';
import { type Need, programsOf } from '../../../../src/model/service.ts';
import { restService } from '../../../support/suite.ts';

const need: Need = {
  name: 'db',
  image: { reference: 'postgres:17' },
  process: undefined,
  port: 5432,
  environment: {},
  ready: { check: { kind: 'usual' }, timeoutSeconds: 60 },
  needs: [],
  fresh: 'slot',
};
const both = restService('both');
const imageOnly = { ...restService('image'), process: undefined };
const running = { ...imageOnly, address: '127.0.0.1:80' };

test('names what has an image alone, needs too, and nothing that already runs', () => {
  const services = [both, imageOnly, running, { ...both, needs: [need] }];
  expect(containersOnly(programsOf(services))).toEqual(['image', 'db']);
  // A need runs in a container beside a plain process, if all needs of the service do.
  expect(containersOnly(plainPrograms(services))).toEqual(['image']);
});

test('says why there is no container to start it in', () => {
  const refused = {
    ok: false,
    why: 'nothing listens',
    next: 'Start the engine, or not.',
    start: 'Start the engine.',
  } as const;

  expect(() => refuseContainersOnly(programsOf([imageOnly]), refused)).toThrow(EnvironmentError);
  expect(() => refuseContainersOnly(programsOf([imageOnly]), refused)).toThrow(
    /^image can be started .* and nothing listens$/,
  );
  expect(() => refuseContainersOnly(programsOf([imageOnly]), undefined)).toThrow(ConfigError);
  expect(() => refuseContainersOnly(programsOf([both, running]), undefined)).not.toThrow();
});

test('refuses services that cannot all run in one way, and says what to add', () => {
  const plain = { ...restService('shop'), image: undefined };
  const refusal = (services: Parameters<typeof refuseMixedStarts>[0]) => {
    try {
      refuseMixedStarts(services);
    } catch (thrown) {
      return thrown;
    }
    return undefined;
  };

  const cache = { ...need, name: 'cache', image: undefined, process: { build: [], command: ['cache'] } };

  expect(refusal([{ ...plain, needs: [need] }])).toBeUndefined();
  // The cache is a process of this machine, which the database in its container cannot reach.
  expect(refusal([{ ...plain, needs: [cache, need] }])).toMatchObject({
    message: expect.stringMatching(/^cache has no image, and db has no process: /),
    next: 'Add a `process` with a `command` to db, or an `image` with a `port` to cache.',
  });
  expect(refusal([plain, imageOnly])).toBeInstanceOf(ConfigError);
  expect(refusal([plain, running, both])).toBeUndefined();
  expect(refusal([{ ...both, needs: [need] }, imageOnly])).toBeUndefined();
  expect(refusal([{ ...plain, needs: [{ ...need, process: { build: [], command: ['db'] } }] }])).toBeUndefined();
});
