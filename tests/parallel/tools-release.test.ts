import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import packageFile from '../../package.json' with { type: 'json' };
import { EnvironmentError } from '../../src/foundation/errors.ts';
import { driverVersion } from '../../src/runtime/driver/source.ts';
import { type LoadToolsOptions, provideLoadTools } from '../../src/runtime/tools/tools.ts';
import { caught, FAKE_GO, searchPath, toolsPerTest } from './fake-tools.ts';
import { releaseServer, sha256 } from './release-server.ts';

const bench = toolsPerTest();
const VERSION = driverVersion('.');
const NAME = `wiregauge-load-${VERSION}-go1.26.8-linux-amd64`;
const RELEASED = `/v${packageFile.version}/${NAME}`;
const DRIVER = Buffer.from(`#!/bin/sh\necho ${VERSION}\n`);

/** A copy of what Wiregauge comes with, in which the checksums are those of the text. */
function rootWith(sums: string): string {
  const root = join(bench.folder, 'root');
  mkdirSync(join(root, 'tools'), { recursive: true });
  cpSync('tools/load', join(root, 'tools/load'), { recursive: true });
  writeFileSync(join(root, 'tools/load/SHA256SUMS'), sums);
  return root;
}

/** Go is there where the release is not to be had. */
function withDriver(further: Partial<LoadToolsOptions>): LoadToolsOptions {
  return bench.options({ environment: searchPath(bench.folder, FAKE_GO), ...further });
}

const lastLine = () => bench.lines.at(-1);

describe('the driver of the release', () => {
  it('is downloaded where it is the one that the checksums name', async () => {
    await using server = await releaseServer({ [RELEASED]: DRIVER });
    const root = rootWith(`${sha256(DRIVER)}  ${NAME}\n`);

    const { folder } = await provideLoadTools(withDriver({ root, releases: server.url }));

    expect(readFileSync(join(folder, 'wiregauge-load'))).toEqual(DRIVER);
    expect(server.requested).toEqual([RELEASED]);
    expect(lastLine()).toMatch(/^load tools: the driver \w+ downloaded \(pinned release, checksum verified\) in /);
  });

  it('is refused where it is another file, although Go could build it', async () => {
    await using server = await releaseServer({ [RELEASED]: Buffer.from(`${DRIVER}exit 0\n`) });
    const root = rootWith(`${sha256(DRIVER)}  ${NAME}\n`);

    const thrown = await caught(provideLoadTools(withDriver({ root, releases: server.url })));

    expect(thrown).toBeInstanceOf(EnvironmentError);
    expect(String(thrown)).toContain(`but ${sha256(DRIVER)} is pinned`);
    expect(readdirSync(join(bench.folder, 'cache/load-tools')).filter((name) => name.includes('driver'))).toEqual([]);
  });

  it.each([
    ['has another source', `${sha256(DRIVER)}  ${NAME.replace(VERSION, '0'.repeat(16))}\n`],
    ['is for another architecture', `${sha256(DRIVER)}  ${NAME.replace('amd64', 'arm64')}\n`],
    ['is not among the checksums', ''],
    ['is named with more than its name', `${sha256(DRIVER)}  ${NAME}/../../x\n`],
  ])('is not asked for, but built, where it %s', async (_, sums) => {
    await using server = await releaseServer({ [RELEASED]: DRIVER });

    await provideLoadTools(withDriver({ root: rootWith(sums), releases: server.url }));

    expect(server.requested).toEqual([]);
    expect(bench.lines).toContainEqual(expect.stringContaining(`no release has the driver ${VERSION} for x64`));
    expect(lastLine()).toContain('built from the pinned module');
  });

  it('is built where there is no such release yet', async () => {
    await using server = await releaseServer({});
    const root = rootWith(`${sha256(DRIVER)}  ${NAME}\n`);

    await provideLoadTools(withDriver({ root, releases: server.url }));

    expect(bench.lines).toContainEqual(expect.stringContaining('HTTP 404'));
    expect(lastLine()).toContain('built from the pinned module');
  });

  it('is named by the checksums that are committed', () => {
    const names = readFileSync('tools/load/SHA256SUMS', 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(/^[0-9a-f]{64} {2}/, ''));

    expect(names).toEqual([NAME, NAME.replace('amd64', 'arm64')]);
  });
});
