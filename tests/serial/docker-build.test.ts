import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { EnvironmentError, MeasurementError } from '../../src/foundation/errors.ts';
import { connectEngine, type Engine } from '../../src/runtime/docker/engine.ts';
import { buildByCli, buildByEngine, buildImage } from '../../src/runtime/docker/images/build.ts';
import type { BuildArgs } from '../../src/runtime/docker/images/image.ts';
import { buildArgsForTests, PINNED_PYTHON } from '../stand-ins/build-args.ts';
import { requires } from '../support/requires.ts';

const never = new AbortController().signal;
const source = { context: '.', dockerfile: 'Dockerfile', target: 'service' };

describe.runIf(requires('docker'))('building an image', () => {
  let engine: Engine;
  let buildArgs: BuildArgs = {};
  let root = '';
  const images: string[] = [];

  beforeAll(async () => {
    engine = await connectEngine();
    buildArgs = buildArgsForTests();
  });

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'build-test-'));
    writeFileSync(join(root, 'answer.txt'), `made for ${root}`);
    writeFileSync(join(root, '.dockerignore'), '*\n!answer.txt\n');
  });

  afterEach(async () => {
    rmSync(root, { recursive: true });
    for (const image of images.splice(0)) {
      await engine.api.getImage(image).remove({ force: true });
    }
  });

  async function containersThatRan(words: string): Promise<readonly string[]> {
    const all = await engine.api.listContainers({ all: true });
    return all.map(({ Command: command }) => command).filter((command) => command.includes(words));
  }

  function dockerfile(...lines: readonly string[]): void {
    const start = [`ARG PYTHON_IMAGE=${PINNED_PYTHON}`, 'FROM $PYTHON_IMAGE AS service'];
    writeFileSync(join(root, 'Dockerfile'), [...start, ...lines, ''].join('\n'));
  }

  test.each([
    ['the command line tool', buildByCli],
    ["the engine's API", buildByEngine],
  ] as const)('gives the same image from the cache the second time, by %s', async (_name, build) => {
    dockerfile('COPY answer.txt /', `RUN grep -q ${root} /answer.txt && cat /proc/sys/kernel/random/uuid > /uuid`);

    const first = await build(engine, { root, source, buildArgs }, never);
    const second = await build(engine, { root, source, buildArgs }, never);

    expect(first).toMatchObject({ built: true, image: expect.stringMatching(/^sha256:/) });
    expect(second).toEqual(first);
    images.push(...(first.built ? [first.image] : []));
  });

  test('tags an image by its target and content', async () => {
    dockerfile('COPY answer.txt /');

    const image = await buildImage(engine, { root, source, buildArgs }, never);

    images.push(image);
    const { RepoTags: tags } = await engine.api.getImage(image).inspect();
    expect(tags).toContain(`wiregauge/service:${image.slice('sha256:'.length, 'sha256:'.length + 12)}`);
  });

  test.each([
    ['the command line tool', (_folder: string) => process.env['PATH'] ?? ''],
    ["the engine's API, where there is no such tool", pathWithTarOnly],
  ])('says what a failing build printed and how to repeat it, by %s', async (_name, pathOf) => {
    dockerfile('RUN echo out of order, said the compiler && exit 3');

    const path = pathOf(root);
    const building = withPath(path, () => buildImage(engine, { root, source, buildArgs }, never));

    const thrown: unknown = await building.catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(MeasurementError);
    expect(await containersThatRan('out of order')).toEqual([]);
    expect(thrown).toMatchObject({
      message: expect.stringMatching(
        /image service of Dockerfile cannot be built[\s\S]*out of order, said the compiler/,
      ),
      next: expect.stringMatching(
        /^To reproduce, run in the root of the repository: docker build --file Dockerfile --target service/,
      ),
    });
  });

  test('blames the machine for a base image that cannot be had', async () => {
    const missing = { PYTHON_IMAGE: 'wiregauge-test.invalid/no-such-image:1' };
    dockerfile('COPY answer.txt /');

    const building = buildImage(engine, { root, source, buildArgs: missing }, never);

    const thrown: unknown = await building.catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(EnvironmentError);
    expect(thrown).toMatchObject({ message: expect.stringContaining('wiregauge-test.invalid') });
  });

  test.each([
    ['the command line tool', buildByCli],
    ["the engine's API", buildByEngine],
  ] as const)('ends a build on request, by %s', async (_name, build) => {
    dockerfile(`RUN sleep 300 # ${root}`);
    const stop = new AbortController();

    const building = build(engine, { root, source, buildArgs }, stop.signal);
    setTimeout(() => stop.abort(new Error('stopped by hand')), 1500);

    await expect(building).rejects.toThrow('stopped by hand');
    // The engine gives the step ten seconds to end by itself.
    await expect.poll(() => containersThatRan(root), { timeout: 30_000 }).toEqual([]);
  });
});

async function withPath<T>(path: string, run: () => Promise<T>): Promise<T> {
  const before = process.env['PATH'];
  process.env['PATH'] = path;
  try {
    return await run();
  } finally {
    process.env['PATH'] = before;
  }
}

function pathWithTarOnly(folder: string): string {
  symlinkSync(execFileSync('which', ['tar'], { encoding: 'utf8' }).trim(), join(folder, 'tar'));
  return folder;
}
