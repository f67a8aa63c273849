import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Service } from '../../../../../src/model/service.ts';
import type { Engine } from '../../../../../src/runtime/docker/engine.ts';
import { type ImageOptions, imagesIn } from '../../../../../src/runtime/docker/images/images.ts';
import { restService } from '../../../../support/suite.ts';

let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'docker-images-'));
  mkdirSync(join(folder, 'repository/own'), { recursive: true });
  writeFileSync(join(folder, 'Dockerfile'), 'FROM scratch');
  symlinkSync('..', join(folder, 'repository/up'));
  symlinkSync('../../Dockerfile', join(folder, 'repository/own/Dockerfile'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the images of services', () => {
  test.each<[string, Partial<Service>]>([
    ['image.context', { image: { context: 'up', dockerfile: 'Dockerfile', target: undefined, args: {} } }],
    ['image.dockerfile', { image: { context: '.', dockerfile: 'own/Dockerfile', target: undefined, args: {} } }],
    ['files./etc/x', { image: { reference: 'nginx:1.27' }, files: { '/etc/x': 'up' } }],
  ])('are made of nothing that lies outside of the repository: %s', async (key, changes) => {
    // Refused before the engine is asked for anything.
    const images = imagesIn({} as Engine, { root: join(folder, 'repository') } as ImageOptions);

    const prepared = images.prepare([{ ...restService('api'), ...changes }], new AbortController().signal);

    await expect(prepared).rejects.toThrow(`api: ${key}: `);
    await expect(prepared).rejects.toThrow(/is a link to .*, outside the repository/);
  });
});
