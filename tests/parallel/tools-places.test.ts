import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { find, findAllVersions } from '@actions/tool-cache';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EnvironmentError } from '../../src/foundation/errors.ts';
import { driverVersion } from '../../src/runtime/driver/source.ts';
import { type LoadToolsOptions, provideLoadTools } from '../../src/runtime/tools/tools.ts';
import { caught, FAKE_GO, searchPath, toolsPerTest } from './fake-tools.ts';

const bench = toolsPerTest();
const VERSION = `0.0.0-source-${driverVersion('.')}`;
const KIT = `wiregauge-load/${VERSION}`;

beforeEach(() => {
  vi.stubEnv('RUNNER_TOOL_CACHE', toolCache());
  vi.stubEnv('RUNNER_TEMP', bench.folder);
});

afterEach(() => {
  vi.unstubAllEnvs();
});

const toolCache = () => join(bench.folder, 'tool-cache');
const own = () => join(bench.folder, 'cache/load-tools');

function onRunner(further: Partial<LoadToolsOptions> = {}): LoadToolsOptions {
  const environment = searchPath(bench.folder, FAKE_GO);
  return bench.options({ toolCacheFolder: toolCache(), environment, ...further });
}

describe("the load tools in the runner's tool cache", () => {
  it('lie where @actions/tool-cache finds them', async () => {
    const { folder } = await provideLoadTools(onRunner());

    expect(findAllVersions('wiregauge-load', 'x64')).toEqual([VERSION]);
    expect(find('wiregauge-load', VERSION, 'x64')).toBe(folder);
    expect(find('wiregauge-load', VERSION, 'arm64')).toBe('');
    expect(existsSync(own())).toBe(false);
  });

  it('are not whole for others before they are installed', async () => {
    const environment = searchPath(join(bench.folder, 'failing'), '#!/bin/sh\nexit 1\n');

    await caught(provideLoadTools(onRunner({ environment })));

    expect(find('wiregauge-load', VERSION, 'x64')).toBe('');
    expect(readdirSync(join(toolCache(), KIT))).toEqual([]);
  });

  it('are checked and used at the next start, which says where they came from', async () => {
    const first = await provideLoadTools(onRunner());
    bench.lines.length = 0;

    const second = await provideLoadTools(onRunner({ environment: searchPath(join(bench.folder, 'goless')) }));

    expect(second).toEqual({ ...first, source: 'cache' });
    expect(bench.lines).toEqual([
      expect.stringMatching(/^load tools: the driver [0-9a-f]{16} from the runner's tool cache, checked in /),
    ]);
  });

  it('are replaced there where they were changed', async () => {
    const { folder } = await provideLoadTools(onRunner());
    writeFileSync(join(folder, 'wiregauge-load'), '#!/bin/sh\necho more\n');
    bench.lines.length = 0;

    const again = await provideLoadTools(onRunner());

    expect(again).toMatchObject({ folder, source: 'module' });
    expect(bench.lines[0]).toContain("replacing the driver in the runner's tool cache: wiregauge-load was changed");
    expect(readdirSync(join(toolCache(), KIT))).toEqual(['x64', 'x64.complete']);
  });

  it('get the mark that a start which was killed could not give them', async () => {
    const { folder } = await provideLoadTools(onRunner());
    rmSync(`${folder}.complete`);

    await provideLoadTools(onRunner());

    expect(find('wiregauge-load', VERSION, 'x64')).toBe(folder);
  });

  it('are whole where two jobs of one machine install them at once', async () => {
    const all = await Promise.all([1, 2, 3, 4].map(() => provideLoadTools(onRunner())));

    expect(new Set(all.map(({ folder }) => folder)).size).toBe(1);
    expect((await provideLoadTools(onRunner())).source).toBe('cache');
    expect(readdirSync(join(toolCache(), KIT))).toEqual(['x64', 'x64.complete']);
  });

  it("give way to those in Wiregauge's own cache where they are there already", async () => {
    const { folder } = await provideLoadTools(bench.options({ environment: searchPath(bench.folder, FAKE_GO) }));
    bench.lines.length = 0;

    expect(await provideLoadTools(onRunner())).toMatchObject({ folder, source: 'cache' });
    expect(bench.lines).toEqual([expect.stringContaining(' from the cache, checked in ')]);
  });

  it("go to Wiregauge's own cache where the tool cache cannot be written", async () => {
    writeFileSync(toolCache(), 'a file in the way');

    const { folder } = await provideLoadTools(onRunner());

    expect(folder.startsWith(own())).toBe(true);
    expect(bench.lines).toContainEqual(
      expect.stringMatching(/^load tools: not using the runner's tool cache: .*ENOTDIR/),
    );
  });

  it('are missed with the name of the last folder where neither can be written', async () => {
    writeFileSync(toolCache(), 'a file in the way');
    mkdirSync(join(bench.folder, 'cache'));
    writeFileSync(own(), 'another file in the way');

    const thrown = await caught(provideLoadTools(onRunner()));

    expect(thrown).toBeInstanceOf(EnvironmentError);
    expect((thrown as EnvironmentError).next).toContain(own());
  });
});
