import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MeasurementError } from '../../src/foundation/errors.ts';
import type { Engine } from '../../src/runtime/docker/engine.ts';
import { buildImage } from '../../src/runtime/docker/images/build.ts';
import { CONTAINERD_STORE, type FakeDocker, fakeDocker } from './fake-docker.ts';

const IN_A_CONTAINER = 'Name:          builder-1\nDriver:        docker-container\n\nNodes:\nName:     builder-10\n';
const OF_THE_ENGINE = 'Name:          default\nDriver:        docker\n\nNodes:\nName:     default\n';

const SERVICE = { ACTIONS_RUNTIME_TOKEN: 'a-secret', ACTIONS_RESULTS_URL: 'https://results.example/' };
const OF_A_STEP = 'ERROR: process "/bin/sh -c make" did not complete successfully: exit code: 2';

let folder: string;
let fake: FakeDocker;
const lines: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fake-docker-'));
  lines.length = 0;
  for (const name of Object.keys(process.env).filter((name) => name.startsWith('ACTIONS_'))) {
    vi.stubEnv(name, undefined);
  }
  vi.stubEnv('GITHUB_TOKEN', 'another-secret');
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await fake[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

function build(engine: Engine): Promise<string> {
  vi.stubEnv('PATH', `${join(folder, 'bin')}:${process.env['PATH']}`);
  const source = { context: '.', dockerfile: 'Dockerfile', target: 'rest' };
  const request = { root: folder, source, buildArgs: { BASE: 'x' }, log: (line: string) => void lines.push(line) };
  return buildImage(engine, request, AbortSignal.timeout(20_000));
}

function withVariables(variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(variables)) {
    vi.stubEnv(name, value);
  }
}

const PLAIN = /^build --force-rm --iidfile \S+\/id --file Dockerfile --target rest --build-arg BASE=x \.$/;
const CACHED =
  /^buildx build --tag (wiregauge\/rest:built-\S+) --load --cache-from type=gha,scope=wiregauge-rest --cache-to type=gha,mode=max,scope=wiregauge-rest,ignore-error=true --file Dockerfile --target rest --build-arg BASE=x \.$/;

describe('an image is built with the cache of GitHub Actions', () => {
  test.each([
    ['a builder in a container', { inspect: IN_A_CONTAINER }, 'builder-1'],
    [
      "the engine's builder over containerd's image store",
      { inspect: OF_THE_ENGINE, driverStatus: CONTAINERD_STORE },
      'default',
    ],
  ])('by %s', async (_name, behavior, builder) => {
    fake = await fakeDocker(folder, behavior);
    withVariables(SERVICE);

    const image = await build(fake.engine);

    const [requested, built] = fake.calls();
    expect([requested?.argv, fake.calls()]).toEqual(['buildx inspect', expect.objectContaining({ length: 2 })]);
    const [, tag] = CACHED.exec(built?.argv ?? '') ?? [];
    expect(tag, built?.argv).toBeDefined();
    expect(built?.environment).toMatchObject({ ...SERVICE, BUILDX_BUILDER: builder });
    expect(image).toBe(fake.loadedId);
    expect(fake.requests).toEqual([
      ...(builder === 'default' ? ['GET /info'] : []),
      `GET /images/${tag}/json`,
      `POST /images/${image}/tag?repo=wiregauge%2Frest&tag=${image.slice('sha256:'.length, 'sha256:'.length + 12)}`,
      `DELETE /images/${tag}`,
    ]);
    expect(lines).toEqual([expect.stringContaining(`built by ${builder} with layers`)]);
  });

  test('with the variables that lead to it for the build only, and no others of the workflow', async () => {
    fake = await fakeDocker(folder, { inspect: IN_A_CONTAINER });
    withVariables({
      ...SERVICE,
      ACTIONS_CACHE_SERVICE_V2: 'true',
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'x',
      INPUT_TOKEN: 'x',
    });

    await build(fake.engine);

    const [requested = new Map(), built = new Map()] = fake
      .calls()
      .map(({ environment }) => new Map(Object.entries(environment)));
    const ofWorkflow = (names: Iterable<string>) =>
      [...names].filter((name) => /^(ACTIONS|INPUT|GITHUB_TOKEN)/.test(name));
    expect(ofWorkflow(requested.keys())).toEqual([]);
    expect(ofWorkflow(built.keys()).sort()).toEqual([
      'ACTIONS_CACHE_SERVICE_V2',
      'ACTIONS_RESULTS_URL',
      'ACTIONS_RUNTIME_TOKEN',
    ]);
    expect(
      fake
        .calls()
        .map(({ argv }) => argv)
        .join('\n'),
    ).not.toContain('secret');
  });
});

describe('an image is built as ever', () => {
  test.each([
    ['outside of a workflow', {}, IN_A_CONTAINER],
    ['where the runner has no cache', { ACTIONS_RUNTIME_TOKEN: 'a-secret' }, IN_A_CONTAINER],
    ['without a token', { ACTIONS_CACHE_URL: 'https://cache.example/' }, IN_A_CONTAINER],
    ['by a builder that cannot export layers', SERVICE, OF_THE_ENGINE],
    ['without buildx', SERVICE, undefined],
  ])('%s', async (_name, variables, inspect) => {
    fake = await fakeDocker(folder, { inspect });
    withVariables(variables);

    const image = await build(fake.engine);

    // Without the cache nobody is asked for a builder.
    expect(fake.calls()).toHaveLength(variables === SERVICE ? 2 : 1);
    const { argv, environment } = fake.calls().at(-1) ?? { argv: '', environment: {} };
    expect(argv).toMatch(PLAIN);
    expect(environment).toMatchObject({ BUILDX_BUILDER: 'default', DOCKER_HOST: `unix://${fake.engine.socket}` });
    expect(Object.keys(environment).filter((name) => /^ACTIONS_|GITHUB_TOKEN/.test(name))).toEqual([]);
    expect(image).toBe(fake.plainId);
    expect(lines).toEqual([]);
  });
});

test("an image in containerd's store is found by name: the ID that the builder reports may differ", async () => {
  fake = await fakeDocker(folder, { inspect: OF_THE_ENGINE, driverStatus: CONTAINERD_STORE });

  const image = await build(fake.engine);

  const [, tag] = / --tag (wiregauge\/rest:built-\S+) --file Dockerfile /.exec(fake.calls()[0]?.argv ?? '') ?? [];
  expect(image).toBe(fake.loadedId);
  expect(fake.requests).toEqual([
    'GET /info',
    `GET /images/${tag}/json`,
    expect.stringMatching(/^POST .*\/tag\?repo=wiregauge%2Frest&tag=1a1a1a1a1a1a$/),
    `DELETE /images/${tag}`,
  ]);
});

describe('a cache that fails', () => {
  test.each([
    ['ERROR: failed to solve: Get "https://results.example/": dial tcp: i/o timeout'],
    ['ERROR: failed to configure gha cache exporter: unsupported cache version'],
    ['unknown flag: --cache-to'],
  ])('costs no build: %s', async (said) => {
    fake = await fakeDocker(folder, { inspect: IN_A_CONTAINER, cached: { said } });
    withVariables(SERVICE);

    const image = await build(fake.engine);

    expect(image).toBe(fake.plainId);
    expect(fake.calls().at(-1)?.argv).toMatch(PLAIN);
    expect(lines).toEqual([`image rest: rebuilt without the GitHub Actions cache: ${said}`]);
  });

  test('costs no build where the builder kept the image to itself', async () => {
    fake = await fakeDocker(folder, { inspect: IN_A_CONTAINER, isLoaded: false });
    withVariables(SERVICE);

    expect(await build(fake.engine)).toBe(fake.plainId);
    expect(lines).toEqual([
      expect.stringMatching(/the builder did not load wiregauge\/rest:built-\S+ into the engine$/),
    ]);
  });

  test('is not blamed for a step that fails: that is reported at once', async () => {
    fake = await fakeDocker(folder, { inspect: IN_A_CONTAINER, cached: { said: OF_A_STEP } });
    withVariables(SERVICE);

    const thrown: unknown = await build(fake.engine).catch((error: unknown) => error);

    expect(thrown).toBeInstanceOf(MeasurementError);
    expect(String(thrown)).toContain(OF_A_STEP);
    expect(fake.calls()).toHaveLength(2);
  });
});

test('the Dockerfile copies what packages and modules are named in before it copies sources', () => {
  const steps = readFileSync('Dockerfile', 'utf8').split('\n');
  const at = (start: string): number => steps.findIndex((line) => line.startsWith(start));

  for (const [fetching, sources] of [
    [
      'RUN uv sync --frozen --no-dev --project "services/${PACKAGE}/src" --no-install-workspace',
      'COPY services/${PACKAGE}/src services/${PACKAGE}/src',
    ],
    ['COPY services/${GO_MODULE}/go.* ./', 'COPY services/${GO_MODULE} ./'],
    ['COPY tools/load/go.mod tools/load/go.sum ./', 'COPY tools/load/cmd cmd'],
  ] as const) {
    expect(at(fetching), fetching).toBeGreaterThan(0);
    expect(at(sources), sources).toBeGreaterThan(at(fetching));
  }
});
