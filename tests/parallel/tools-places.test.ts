import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { find, findAllVersions } from '@actions/tool-cache';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EnvironmentError } from '../../src/foundation/errors.ts';
import { driverVersion } from '../../src/load/driver/source.ts';
import { type LoadToolsOptions, provideLoadTools } from '../../src/runtime/tools/tools.ts';
import { caught, fakeGo, searchPath, toolsPerTest } from './fake-tools.ts';

const bench = toolsPerTest();
const KIT = 'ghz-vegeta/0.121.0-12.13.0';

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
  const environment = searchPath(bench.folder, fakeGo(bench.folder));
  return bench.options({ toolCacheFolder: toolCache(), environment, ...further });
}

describe("the load tools in the runner's tool cache", () => {
  it('lie where @actions/tool-cache finds them', async () => {
    const { folder, driverFolder } = await provideLoadTools(onRunner({ withDriver: true }));

    expect(find('ghz-vegeta', '0.121.0-12.13.0', 'x64')).toBe(folder);
    expect(findAllVersions('wiregauge-load', 'x64')).toEqual([`0.0.0-source-${driverVersion('.')}`]);
    expect(find('wiregauge-load', `0.0.0-source-${driverVersion('.')}`, 'x64')).toBe(driverFolder);
    expect(find('ghz-vegeta', '0.121.0-12.13.0', 'arm64')).toBe('');
    expect(existsSync(own())).toBe(false);
  });

  it('are not whole for others before they are installed', async () => {
    const environment = searchPath(join(bench.folder, 'failing'), '#!/bin/sh\nexit 1\n');

    await caught(provideLoadTools(onRunner({ environment })));

    expect(find('ghz-vegeta', '0.121.0-12.13.0', 'x64')).toBe('');
    expect(readdirSync(join(toolCache(), KIT))).toEqual([]);
  });

  it('are checked and used at the next start, which says where they came from', async () => {
    const first = await provideLoadTools(onRunner());
    bench.lines.length = 0;

    const second = await provideLoadTools(onRunner({ environment: searchPath(join(bench.folder, 'goless')) }));

    expect(second).toEqual({ ...first, source: 'cache' });
    expect(bench.lines).toEqual([
      expect.stringMatching(
        /^load tools: ghz 0\.121\.0 and vegeta 12\.13\.0 from the runner's tool cache, checked in /,
      ),
    ]);
  });

  it('are replaced there where they were changed', async () => {
    const { folder } = await provideLoadTools(onRunner());
    writeFileSync(join(folder, 'ghz'), '#!/bin/sh\necho v0.121.0; echo more\n');
    bench.lines.length = 0;

    const again = await provideLoadTools(onRunner());

    expect(again).toMatchObject({ folder, source: 'module' });
    expect(bench.lines[0]).toContain("replacing those in the runner's tool cache: ghz was changed");
    expect(readdirSync(join(toolCache(), KIT))).toEqual(['x64', 'x64.complete']);
  });

  it('get the mark that a start which was killed could not give them', async () => {
    const { folder } = await provideLoadTools(onRunner());
    rmSync(`${folder}.complete`);

    await provideLoadTools(onRunner());

    expect(find('ghz-vegeta', '0.121.0-12.13.0', 'x64')).toBe(folder);
  });

  it('are whole where two jobs of one machine install them at once', async () => {
    const all = await Promise.all([1, 2, 3, 4].map(() => provideLoadTools(onRunner())));

    expect(new Set(all.map(({ folder }) => folder)).size).toBe(1);
    expect((await provideLoadTools(onRunner())).source).toBe('cache');
    expect(readdirSync(join(toolCache(), KIT))).toEqual(['x64', 'x64.complete']);
  });

  it("give way to those in Wiregauge's own cache where they are there already", async () => {
    const { folder } = await provideLoadTools(
      bench.options({ environment: searchPath(bench.folder, fakeGo(bench.folder)) }),
    );
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
