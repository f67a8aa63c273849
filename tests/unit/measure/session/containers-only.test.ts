import { expect, test } from 'vitest';
import { ConfigError, EnvironmentError } from '../../../../src/foundation/errors.ts';
import { containersOnly, refuseContainersOnly, refuseMixedStarts } from '../../../../src/measure/session/runtime.ts';
import type { Need } from '../../../../src/model/service.ts';
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
  expect(containersOnly([both, imageOnly, running, { ...both, needs: [need] }])).toEqual(['image', 'db']);
});

test('says why there is no container to start it in', () => {
  const refused = { ok: false, why: 'nothing listens', next: 'Start the engine.' } as const;

  expect(() => refuseContainersOnly([imageOnly], refused)).toThrow(EnvironmentError);
  expect(() => refuseContainersOnly([imageOnly], refused)).toThrow(/^image can be started .* and nothing listens$/);
  expect(() => refuseContainersOnly([imageOnly], undefined)).toThrow(ConfigError);
  expect(() => refuseContainersOnly([both, running], undefined)).not.toThrow();
});

test('refuses a service without an image beside a need without a process, and says what to add', () => {
  const plain = { ...restService('shop'), image: undefined };
  const refusal = (services: Parameters<typeof refuseMixedStarts>[0]) => {
    try {
      refuseMixedStarts(services);
    } catch (thrown) {
      return thrown;
    }
    return undefined;
  };

  expect(refusal([{ ...plain, needs: [need] }])).toMatchObject({
    message: expect.stringMatching(/^shop has no image, and db has no process: /),
    next: 'Add a `process` with a `command` to db, or an `image` with a `port` to shop.',
  });
  expect(refusal([plain, imageOnly])).toBeInstanceOf(ConfigError);
  expect(refusal([plain, running, both])).toBeUndefined();
  expect(refusal([{ ...both, needs: [need] }, imageOnly])).toBeUndefined();
  expect(refusal([{ ...plain, needs: [{ ...need, process: { build: [], command: ['db'] } }] }])).toBeUndefined();
});
