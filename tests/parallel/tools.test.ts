import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EnvironmentError } from '../../src/foundation/errors.ts';
import { DRIVER, driverVersion } from '../../src/runtime/driver/source.ts';
import { cacheState, provideLoadTools } from '../../src/runtime/tools/tools.ts';
import { caught, FAKE_GO, searchPath, toolsPerTest } from './fake-tools.ts';
import { releaseServer, sha256 } from './release-server.ts';

/** The driver that is built in the tests. */
const SCRIPT = `#!/bin/sh\necho ${driverVersion('.')}\n`;

const [, SUM = ''] = readFileSync('tools/load/SHA256SUMS', 'utf8').match(/ {2}(.*-amd64)$/m) ?? [];
const { version: OWN } = JSON.parse(readFileSync('package.json', 'utf8'));
const RELEASED = `/v${OWN}/${SUM}`;

const bench = toolsPerTest();
const { options } = bench;

describe('the load tools', () => {
  it.each([
    ['is not there', {}, {}, /HTTP 404/],
    ['does not answer', { [RELEASED]: 'hang' as const }, { connectMs: 300 }, /no answer within 300 ms/],
  ])('are built from the pinned module where the release %s', async (_, served, bounds, reason) => {
    await using server = await releaseServer(served);

    const tools = await provideLoadTools(
      options({ releases: server.url, ...bounds, environment: searchPath(bench.folder, FAKE_GO) }),
    );

    expect(tools.source).toBe('module');
    expect(bench.lines[0]).toMatch(reason);
    expect(existsSync(join(tools.folder, DRIVER))).toBe(true);
  });

  it('are built from the pinned module where nothing listens at the address of the release', async () => {
    const server = await releaseServer({});
    await server[Symbol.asyncDispose]();

    const tools = await provideLoadTools(
      options({ releases: server.url, environment: searchPath(bench.folder, FAKE_GO) }),
    );

    expect(tools.source).toBe('module');
    expect(bench.lines[0]).toContain('ECONNREFUSED');
  });

  it('are missed with a list of all that was tried', async () => {
    const fromImage = async (): Promise<void> => {
      throw new Error('no such target');
    };
    const go = '#!/bin/sh\necho "go: module lookup disabled" >&2\nexit 1\n';

    const thrown = await caught(provideLoadTools(options({ fromImage, environment: searchPath(bench.folder, go) })));

    expect(thrown).toBeInstanceOf(EnvironmentError);
    const causes = ['cannot be downloaded', 'module lookup disabled', 'no such target'];
    const printed = [...bench.lines, String(thrown)].join('\n');
    expect(causes.map((cause) => printed.split(cause).length - 1)).toEqual([1, 1, 1]);
    expect((thrown as EnvironmentError).next).toContain('install Go');
  });

  it.each([
    ['damaged', (path: string) => writeFileSync(join(path, DRIVER), SCRIPT.slice(0, 10)), /wiregauge-load was changed/],
    ['incomplete', (path: string) => rmSync(join(path, DRIVER)), /wiregauge-load/],
    ['without a manifest', (path: string) => rmSync(join(path, 'manifest.json')), /manifest/],
    ['not executable', (path: string) => chmodSync(join(path, DRIVER), 0o644), /is missing, or cannot be run/],
  ])('are replaced, with a line, where those in the cache are %s', async (_, damage, line) => {
    const given = options({ environment: searchPath(bench.folder, FAKE_GO) });
    const { folder: cached } = await provideLoadTools(given);
    damage(cached);
    bench.lines.length = 0;

    const tools = await provideLoadTools(given);

    expect(tools).toEqual({ ...tools, folder: cached, source: 'module' });
    expect(bench.lines[0]).toMatch(line);
    expect((await provideLoadTools(given)).source).toBe('cache');
    expect(readdirSync(join(bench.folder, 'cache', 'load-tools'))).toHaveLength(1);
  });

  it('are replaced where another user may have swapped the driver together with its checksum', async () => {
    const given = options({ environment: searchPath(bench.folder, FAKE_GO) });
    const { folder } = await provideLoadTools(given);
    const swapped = `${SCRIPT}# swapped\n`;
    writeFileSync(join(folder, DRIVER), swapped);
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ [DRIVER]: sha256(swapped) }));
    chmodSync(folder, 0o777);
    bench.lines.length = 0;

    const tools = await provideLoadTools(given);

    expect(tools).toMatchObject({ folder, source: 'module' });
    expect(bench.lines[0]).toContain('another user may have changed wiregauge-load');
    expect(readFileSync(join(folder, DRIVER), 'utf8')).toBe(SCRIPT);
  });

  it('are kept where anybody may write, if they are the very builds that are pinned', async () => {
    const folder = join(bench.folder, 'pinned');
    mkdirSync(folder);
    writeFileSync(join(folder, DRIVER), SCRIPT, { mode: 0o755 });
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ [DRIVER]: sha256(SCRIPT) }));
    chmodSync(folder, 0o777);
    const state = async (...sums: string[]) => {
      const driver = { version: driverVersion('.'), sha256: sums };
      return (await cacheState(folder, driver, AbortSignal.timeout(20_000))).kind;
    };

    expect(await state(sha256(SCRIPT))).toBe('good');
    expect(await state()).toBe('damaged');
  });

  it('are whole where two runs install them at once', async () => {
    const given = options({ environment: searchPath(bench.folder, FAKE_GO) });

    await Promise.all([1, 2, 3, 4].map(() => provideLoadTools(given)));

    expect((await provideLoadTools(given)).source).toBe('cache');
    expect(readdirSync(join(bench.folder, 'cache', 'load-tools'))).toHaveLength(1);
  });

  it('leave no half folder behind where the run is given up', async () => {
    const giveUp = new AbortController();
    await using server = await releaseServer({ [RELEASED]: 'hang' });
    const given = options({ releases: server.url, signal: giveUp.signal });
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
