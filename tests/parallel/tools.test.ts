import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EnvironmentError } from '../../src/foundation/errors.ts';
import { cacheState } from '../../src/runtime/tools/cache.ts';
import { GENERATOR_PROGRAMS } from '../../src/runtime/tools/places.ts';
import { provideLoadTools } from '../../src/runtime/tools/tools.ts';
import { archive, archivesAt, caught, fakeGo, GHZ, release, searchPath, toolsPerTest, VEGETA } from './fake-tools.ts';
import { releaseServer, sha256 } from './release-server.ts';

const bench = toolsPerTest();
const { options } = bench;

describe('the load tools', () => {
  it('come from the release at the first start and from the cache at the second', async () => {
    const files = release(bench.folder);
    await using server = await releaseServer({ '/ghz': files.ghz, '/vegeta': files.vegeta });
    const given = options({ archives: archivesAt(server, files) });

    const first = await provideLoadTools(given);
    const second = await provideLoadTools(given);

    expect([first.source, second.source]).toEqual(['release', 'cache']);
    expect(second.folder).toBe(first.folder);
    expect(server.asked.toSorted()).toEqual(['/ghz', '/vegeta']);
    expect(readdirSync(first.folder).toSorted()).toEqual(['ghz', 'manifest.json', 'vegeta']);
    expect(readdirSync(join(bench.folder, 'cache', 'load-tools'))).toHaveLength(1);
  });

  it('are refused where the release is not the pinned file, whatever other source there is', async () => {
    const files = release(bench.folder);
    await using server = await releaseServer({ '/ghz': files.ghz, '/vegeta': archive(bench.folder, 'vegeta', GHZ) });

    const thrown = await caught(
      provideLoadTools(
        options({ archives: archivesAt(server, files), environment: searchPath(bench.folder, fakeGo(bench.folder)) }),
      ),
    );

    expect(thrown).toBeInstanceOf(EnvironmentError);
    expect(String(thrown)).toContain(`/vegeta has the SHA-256`);
    expect(readdirSync(join(bench.folder, 'cache', 'load-tools'))).toEqual([]);
  });

  it.each([
    ['is not there', {}, /HTTP 404/],
    ['does not answer', { '/ghz': 'hang', '/vegeta': 'hang' } as const, /no answer within 300 ms/],
  ])('are built from the pinned module where the release %s', async (_, served, reason) => {
    await using server = await releaseServer(served);
    const archives = archivesAt(server, release(bench.folder));

    const tools = await provideLoadTools(
      options({ archives, connectMs: 300, environment: searchPath(bench.folder, fakeGo(bench.folder)) }),
    );

    expect(tools.source).toBe('module');
    expect(bench.lines[0]).toMatch(reason);
    expect(existsSync(join(tools.folder, 'ghz'))).toBe(true);
  });

  it('are built from the pinned module where nothing listens at the address of the release', async () => {
    const server = await releaseServer({});
    const archives = archivesAt(server, release(bench.folder));
    await server[Symbol.asyncDispose]();

    const tools = await provideLoadTools(
      options({ archives, environment: searchPath(bench.folder, fakeGo(bench.folder)) }),
    );

    expect(tools.source).toBe('module');
    expect(bench.lines[0]).toContain('ECONNREFUSED');
  });

  it('come out of the image where neither the release nor Go can give them', async () => {
    const fromImage = async (into: string): Promise<void> => {
      writeFileSync(join(into, 'ghz'), GHZ, { mode: 0o755 });
      writeFileSync(join(into, 'vegeta'), VEGETA, { mode: 0o755 });
    };

    const tools = await provideLoadTools(options({ architecture: 'arm64', fromImage }));

    expect(tools.source).toBe('image');
  });

  it('are missed with a list of all that was tried', async () => {
    const fromImage = async (): Promise<void> => {
      throw new Error('no such target');
    };
    const go = '#!/bin/sh\necho "go: module lookup disabled" >&2\nexit 1\n';

    const thrown = await caught(provideLoadTools(options({ fromImage, environment: searchPath(bench.folder, go) })));

    expect(thrown).toBeInstanceOf(EnvironmentError);
    expect(String(thrown)).toMatch(/no release is pinned.*module lookup disabled.*no such target/);
    expect((thrown as EnvironmentError).next).toContain('install Go');
  });

  it.each([
    ['damaged', (path: string) => writeFileSync(join(path, 'ghz'), GHZ.slice(0, 10)), /ghz was changed/],
    ['incomplete', (path: string) => rmSync(join(path, 'vegeta')), /vegeta/],
    ['without a manifest', (path: string) => rmSync(join(path, 'manifest.json')), /manifest/],
    ['not executable', (path: string) => chmodSync(join(path, 'vegeta'), 0o644), /vegeta is missing, or cannot be run/],
  ])('are replaced, with a line, where those in the cache are %s', async (_, damage, line) => {
    const given = options({ environment: searchPath(bench.folder, fakeGo(bench.folder)) });
    const { folder: cached } = await provideLoadTools(given);
    damage(cached);
    bench.lines.length = 0;

    const tools = await provideLoadTools(given);

    expect(tools).toEqual({ ...tools, folder: cached, source: 'module' });
    expect(bench.lines[0]).toMatch(line);
    expect((await provideLoadTools(given)).source).toBe('cache');
    expect(readdirSync(join(bench.folder, 'cache', 'load-tools'))).toHaveLength(1);
  });

  it('are replaced where another user may have swapped a program together with its checksum', async () => {
    const given = options({ environment: searchPath(bench.folder, fakeGo(bench.folder)) });
    const { folder } = await provideLoadTools(given);
    const swapped = `${GHZ}# swapped\n`;
    writeFileSync(join(folder, 'ghz'), swapped);
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ ghz: sha256(swapped), vegeta: sha256(VEGETA) }));
    chmodSync(folder, 0o777);
    bench.lines.length = 0;

    const tools = await provideLoadTools(given);

    expect(tools).toMatchObject({ folder, source: 'module' });
    expect(bench.lines[0]).toContain('another user may have changed ghz');
    expect(readFileSync(join(folder, 'ghz'), 'utf8')).toBe(GHZ);
  });

  it('are kept where anybody may write, if they are the very builds that are pinned', async () => {
    const folder = join(bench.folder, 'pinned');
    mkdirSync(folder);
    writeFileSync(join(folder, 'ghz'), GHZ, { mode: 0o755 });
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ ghz: sha256(GHZ) }));
    chmodSync(folder, 0o777);
    const [ghz = expect.fail('there is none')] = GENERATOR_PROGRAMS;
    const programs = [{ ...ghz, sha256: [sha256(GHZ)] }];

    expect((await cacheState({ folder, programs }, AbortSignal.timeout(20_000))).kind).toBe('good');
    expect((await cacheState({ folder, programs: [ghz] }, AbortSignal.timeout(20_000))).kind).toBe('damaged');
  });

  it('are whole where two runs install them at once', async () => {
    const given = options({ environment: searchPath(bench.folder, fakeGo(bench.folder)) });

    await Promise.all([1, 2, 3, 4].map(() => provideLoadTools(given)));

    expect((await provideLoadTools(given)).source).toBe('cache');
    expect(readdirSync(join(bench.folder, 'cache', 'load-tools'))).toHaveLength(1);
  });

  it('leave no half folder behind where the run is given up', async () => {
    const giveUp = new AbortController();
    await using server = await releaseServer({ '/ghz': 'hang', '/vegeta': 'hang' });
    const given = options({ archives: archivesAt(server, release(bench.folder)), signal: giveUp.signal });
    setTimeout(() => giveUp.abort(new Error('given up')), 200);

    const thrown = await caught(provideLoadTools(given));

    expect(String(thrown)).toContain('given up');
    expect(readdirSync(join(bench.folder, 'cache', 'load-tools'))).toEqual([]);
  });

  it('name the folder where the cache cannot be written', async () => {
    writeFileSync(join(bench.folder, 'cache'), 'a file in the way');

    const thrown = await caught(provideLoadTools(options({})));

    expect(thrown).toBeInstanceOf(EnvironmentError);
    expect(String(thrown)).toContain(join(bench.folder, 'cache'));
  });
});
