import { appendFileSync, cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EnvironmentError } from '../../src/foundation/errors.ts';
import { type LoadToolsOptions, provideLoadTools } from '../../src/runtime/tools/tools.ts';
import { caught, FAKE_GO, searchPath, toolsPerTest } from './fake-tools.ts';

const bench = toolsPerTest();
const { options } = bench;

describe('the driver', () => {
  const withDriver = (further: Partial<LoadToolsOptions> = {}) =>
    options({ environment: searchPath(bench.folder, FAKE_GO), ...further });

  /** A copy of the driver's source, to be changed; no release has it. */
  function copiedRoot(): string {
    cpSync('tools/load', join(bench.folder, 'root/tools/load'), { recursive: true });
    return join(bench.folder, 'root');
  }

  it('is alone in its folder, and the log says how it got there', async () => {
    const tools = await provideLoadTools(withDriver());

    expect(readdirSync(tools.folder).toSorted()).toEqual(['manifest.json', 'wiregauge-load']);
    expect(bench.lines.at(-1)).toMatch(
      /^load tools: the driver [0-9a-f]{16} built from the pinned module in \d+\.\d s, kept in /,
    );
  });

  it('comes from the cache until its source changes, and then is rebuilt', async () => {
    const root = copiedRoot();
    const first = await provideLoadTools(withDriver({ root }));
    bench.lines.length = 0;
    const second = await provideLoadTools(withDriver({ root }));
    expect(second.folder).toBe(first.folder);
    expect(bench.lines).toEqual([
      expect.stringMatching(/^load tools: the driver [0-9a-f]{16} from the cache, checked in \d+\.\d s$/),
    ]);

    appendFileSync(join(root, 'tools/load/cmd/wiregauge-load/pacer.go'), '// changed');
    const changed = await provideLoadTools(withDriver({ root }));

    expect(changed.folder).not.toBe(first.folder);
  });

  it('is no other for a change of its tests', async () => {
    const root = copiedRoot();
    const { folder } = await provideLoadTools(withDriver({ root }));

    appendFileSync(join(root, 'tools/load/cmd/wiregauge-load/pacer_test.go'), '// changed');

    expect((await provideLoadTools(withDriver({ root }))).folder).toBe(folder);
  });

  it('is replaced where the one in the cache was changed', async () => {
    const { folder } = await provideLoadTools(withDriver());
    writeFileSync(join(folder, 'wiregauge-load'), '#!/bin/sh\n');
    bench.lines.length = 0;

    await provideLoadTools(withDriver());

    expect(bench.lines[0]).toMatch(/replacing the driver in the cache: wiregauge-load was changed/);
  });

  it('comes out of the image where Go cannot build it', async () => {
    const { root } = options({});
    const built = await provideLoadTools(withDriver());
    const driver = readFileSync(join(built.folder, 'wiregauge-load'));
    const fromImage = async (into: string): Promise<void> =>
      writeFileSync(join(into, 'wiregauge-load'), driver, { mode: 0o755 });

    const further = {
      root,
      fromImage,
      environment: searchPath(join(bench.folder, 'goless')),
      cacheFolder: join(bench.folder, 'other'),
    };
    const tools = await provideLoadTools(withDriver(further));

    expect(tools.source).toBe('image');
    expect(existsSync(join(tools.folder, 'wiregauge-load'))).toBe(true);
  });

  it('is refused where what was built is another one', async () => {
    const go = FAKE_GO.replace('echo ${version', 'echo 0${version');

    const thrown = await caught(
      provideLoadTools(withDriver({ environment: searchPath(join(bench.folder, 'other'), go) })),
    );

    expect(thrown).toBeInstanceOf(EnvironmentError);
    expect(String(thrown)).toMatch(/wiregauge-load in .* has version "0[0-9a-f]{16}", but [0-9a-f]{16} is needed/);
  });

  it('is missed, with the way to it, where nothing can give it', async () => {
    const thrown = await caught(
      provideLoadTools(withDriver({ environment: searchPath(join(bench.folder, 'goless')) })),
    );

    expect(thrown).toMatchObject({ next: expect.stringMatching(/install Go 1\.24 or newer/) });
  });

  it('cannot be had without its source', async () => {
    const thrown = await caught(provideLoadTools(withDriver({ root: join(bench.folder, 'nowhere') })));

    expect(thrown).toBeInstanceOf(EnvironmentError);
    expect(String(thrown)).toContain('the source of the load driver cannot be read');
  });
});
