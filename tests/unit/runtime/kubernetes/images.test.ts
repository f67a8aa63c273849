import { expect, test } from 'vitest';
import type { Service } from '../../../../src/model/service.ts';
import type { Engine } from '../../../../src/runtime/docker/engine.ts';
import { pushedImages, pusher } from '../../../../src/runtime/kubernetes/images.ts';
import { restService } from '../../../support/suite.ts';

const SERVICE: Service = { ...restService('shop'), image: { reference: 'shop:1' }, process: undefined, port: 8080 };

test('an image is pushed once by its ID, and keeps no name for that', async () => {
  const done: string[] = [];
  const getImage = (name: string) => ({
    tag: async ({ repo, tag }: { repo: string; tag: string }) => void done.push(`tag ${name} ${repo}:${tag}`),
    remove: async () => void done.push(`remove ${name}`),
  });
  const engine = { api: { getImage } } as unknown as Engine;
  const log = (line: string) => void done.push(line);
  const own = { prepare: async () => undefined, of: () => 'sha256:0123456789abcdef' };
  const images = pushedImages(own, pusher(engine, { registry: 'r/perf', push: ['true'] }, log));

  await images.prepare([SERVICE, SERVICE], new AbortController().signal);

  expect(images.of(SERVICE)).toBe('r/perf:0123456789ab');
  expect(done).toEqual([
    'tag sha256:0123456789abcdef r/perf:0123456789ab',
    'remove r/perf:0123456789ab',
    'image r/perf:0123456789ab: pushed',
  ]);
});
