import { expect, test } from 'vitest';
import { StartedServices } from '../../../src/runtime/cleanups.ts';
import { standingService } from '../../support/fakes.ts';

test('services that still run are stopped with their runtime, each once', async () => {
  const stopped: string[] = [];
  const started = new StartedServices();
  const start = (name: string) =>
    started.add({ ...standingService(), [Symbol.asyncDispose]: async () => void stopped.push(name) });
  const first = start('first');
  start('second');

  await first[Symbol.asyncDispose]();
  expect(stopped).toEqual(['first']);

  await started[Symbol.asyncDispose]();
  await started[Symbol.asyncDispose]();
  expect(stopped).toEqual(['first', 'second']);
});
