import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Service } from '../../../../../src/model/service.ts';
import type { Engine } from '../../../../../src/runtime/docker/engine.ts';
import {
  type ImageOptions,
  imagesIn,
  type ListedImage,
  oldImageNames,
} from '../../../../../src/runtime/docker/images/images.ts';
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

const idOf = (number: number): string => `sha256:${number.toString(16).padStart(12, '0')}${'f'.repeat(52)}`;

/** An image as a build leaves it; the higher its number, the newer. */
function built(number: number, kind = 'rest', more: readonly string[] = []): ListedImage {
  const id = idOf(number);
  return { Id: id, RepoTags: [`wiregauge/${kind}:${id.slice(7, 19)}`, ...more], Created: number };
}

const several = (count: number, kind?: string) => Array.from({ length: count }, (_, index) => built(index + 1, kind));
const nothing: ReadonlySet<string> = new Set();

describe('oldImageNames', () => {
  test('are those that six newer ones of their kind have taken the place of', () => {
    const names = oldImageNames([...several(8, 'rest'), ...several(6, 'grpc')].toReversed(), nothing);

    expect([...names].sort()).toEqual(['wiregauge/rest:000000000001', 'wiregauge/rest:000000000002']);
  });

  test('are none that a container has', () => {
    expect(oldImageNames(several(8), new Set([idOf(1)]))).toEqual(['wiregauge/rest:000000000002']);
  });

  test('belong to no other program, with any name', () => {
    const others = several(9).map(({ Id, Created }, index) => ({
      Id,
      Created,
      RepoTags: [
        `wiregauge/rest:v${index}`,
        `example.org/wiregauge/rest:${Id.slice(7, 19)}`,
        'wiregauge/rest:0123456789ab',
      ],
    }));

    expect(oldImageNames([...others, { Id: idOf(99), RepoTags: null, Created: 0 }], nothing)).toEqual([]);
  });

  test('leave another name of the same image alone', () => {
    const [first = built(1), ...rest] = several(7);

    expect(
      oldImageNames([{ ...first, RepoTags: [...(first.RepoTags ?? []), 'mine:latest'] }, ...rest], nothing),
    ).toEqual(['wiregauge/rest:000000000001']);
  });
});
