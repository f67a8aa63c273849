import { appendFileSync, cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EnvironmentError } from '../../src/foundation/errors.ts';
import { type LoadToolsOptions, provideLoadTools } from '../../src/runtime/tools/tools.ts';
import { caught, fakeGo, GHZ, searchPath, toolsPerTest, VEGETA } from './fake-tools.ts';

const bench = toolsPerTest();
const { options } = bench;

describe('the driver', () => {
  const withDriver = (further: Partial<LoadToolsOptions> = {}) =>
    options({ withDriver: true, environment: searchPath(bench.folder, fakeGo(bench.folder)), ...further });

  /** A copy of the driver's source, to be changed; no release has it. */
  function copiedRoot(): string {
    cpSync('tools/load', join(bench.folder, 'root/tools/load'), { recursive: true });
    return join(bench.folder, 'root');
  }

  it('is there only for those who ask for it', async () => {
    const without = await provideLoadTools(withDriver({ withDriver: false }));
    const tools = await provideLoadTools(withDriver());

    expect(without).not.toHaveProperty('driverFolder');
    expect(tools.folder).toBe(without.folder);
    expect(readdirSync(tools.driverFolder ?? '').toSorted()).toEqual(['manifest.json', 'wiregauge-load']);
    expect(bench.lines.at(-1)).toMatch(
      /^load tools: the driver [0-9a-f]{16} built from the pinned module in \d+\.\d s, kept in /,
    );
  });

  it('comes from the cache until its source changes, and then is built anew', async () => {
    const root = copiedRoot();
    const first = await provideLoadTools(withDriver({ root }));
    bench.lines.length = 0;
    const second = await provideLoadTools(withDriver({ root }));
    expect(second.driverFolder).toBe(first.driverFolder);
    expect(bench.lines).toEqual([
      expect.stringMatching(/^load tools: ghz 0\.121\.0 and vegeta 12\.13\.0 from the cache, checked in \d+\.\d s$/),
      expect.stringMatching(/^load tools: the driver [0-9a-f]{16} from the cache, checked in \d+\.\d s$/),
    ]);

    appendFileSync(join(root, 'tools/load/cmd/wiregauge-load/pacer.go'), '// changed');
    const changed = await provideLoadTools(withDriver({ root }));

    expect(changed.driverFolder).not.toBe(first.driverFolder);
    expect(changed.folder).toBe(first.folder);
  });

  it('is no other for a change of its tests', async () => {
    const root = copiedRoot();
    const { driverFolder } = await provideLoadTools(withDriver({ root }));

    appendFileSync(join(root, 'tools/load/cmd/wiregauge-load/pacer_test.go'), '// changed');

    expect((await provideLoadTools(withDriver({ root }))).driverFolder).toBe(driverFolder);
  });

  it('is replaced where the one in the cache was changed', async () => {
    const { driverFolder = '' } = await provideLoadTools(withDriver());
    writeFileSync(join(driverFolder, 'wiregauge-load'), '#!/bin/sh\n');
    bench.lines.length = 0;

    await provideLoadTools(withDriver());

    expect(bench.lines[1]).toMatch(/replacing those in the cache: wiregauge-load was changed/);
  });

  it('comes out of the image where Go cannot build it', async () => {
    const asked: string[][] = [];
    const { root } = options({});
    const built = await provideLoadTools(withDriver());
    const driver = readFileSync(join(built.driverFolder ?? '', 'wiregauge-load'));
    const fromImage = async (into: string, programs: readonly string[]): Promise<void> => {
      asked.push([...programs]);
      const scripts = { ghz: GHZ, vegeta: VEGETA, 'wiregauge-load': driver };
      for (const [name, script] of Object.entries(scripts).filter(([name]) => programs.includes(name))) {
        writeFileSync(join(into, name), script, { mode: 0o755 });
      }
    };

    const further = {
      root,
      fromImage,
      environment: searchPath(join(bench.folder, 'goless')),
      cacheFolder: join(bench.folder, 'other'),
    };
    const tools = await provideLoadTools(withDriver(further));

    expect(tools.source).toBe('image');
    expect(asked).toEqual([['ghz', 'vegeta'], ['wiregauge-load']]);
    expect(existsSync(join(tools.driverFolder ?? '', 'wiregauge-load'))).toBe(true);
  });

  it('is refused where what was built is another one', async () => {
    const go = fakeGo(bench.folder).replace('echo ${version', 'echo 0${version');

    const thrown = await caught(
      provideLoadTools(withDriver({ environment: searchPath(join(bench.folder, 'other'), go) })),
    );

    expect(thrown).toBeInstanceOf(EnvironmentError);
    expect(String(thrown)).toMatch(/wiregauge-load in .* has version "0[0-9a-f]{16}", but [0-9a-f]{16} is needed/);
  });

  it('is missed, with the way to it, where nothing can give it', async () => {
    await provideLoadTools(withDriver({ withDriver: false }));

    const thrown = await caught(
      provideLoadTools(withDriver({ environment: searchPath(join(bench.folder, 'goless')) })),
    );

    expect(thrown).toMatchObject({ next: expect.stringMatching(/install Go 1\.24 or newer/) });
  });

  it('cannot be had without its source', async () => {
    await provideLoadTools(withDriver({ withDriver: false }));

    const thrown = await caught(provideLoadTools(withDriver({ root: join(bench.folder, 'nowhere') })));

    expect(thrown).toBeInstanceOf(EnvironmentError);
    expect(String(thrown)).toContain('the source of the load driver cannot be read');
  });
});
