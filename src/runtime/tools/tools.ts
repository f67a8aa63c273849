import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { codeOf, EnvironmentError, messageOf } from '../../foundation/errors.ts';
import { type ChildEnd, runChild } from '../../host/child.ts';
import { ifThere, onDisk } from '../../host/files/output.ts';
import { readBytes } from '../../host/files/reader.ts';
import { relevantLine } from '../../model/secrets/printed.ts';
import { DRIVER, driverVersion } from '../driver/source.ts';
import type { LoadTools } from '../port.ts';
import {
  type DriverPlace,
  markComplete,
  type PinnedDriver,
  placesOf,
  SourceUnavailable,
  type ToolsRequest,
} from './places.ts';
import { driverFromRelease, GO_ARCHITECTURES, pinnedDriver } from './release.ts';

type Fill = (folder: string) => Promise<void>;

export interface LoadToolsOptions extends ToolsRequest {
  readonly log: (line: string) => void;
  /** Last source to be tried. */
  readonly fromImage?: Fill;
}

type Source = Exclude<LoadTools['source'], 'cache'>;

const ORIGINS: Readonly<Record<Source, string>> = {
  release: 'downloaded (pinned release, checksum verified)',
  module: 'built from the pinned module',
  image: 'taken from the target load of the Dockerfile',
};

/**
 * Load driver: from a cache if it has an undamaged one, else from the release, else built from the pinned module, else from the image, and then in a
 * cache. Throws EnvironmentError if a download is not the pinned file, if no source can provide the driver, and if no cache can be written.
 */
export async function provideLoadTools(options: LoadToolsOptions): Promise<LoadTools> {
  const { root, log, signal } = options;
  const driver = pinnedDriver(root);
  const places = placesOf(driver.version, options);
  const began = performance.now();
  const seconds = (): string => `${((performance.now() - began) / 1000).toFixed(1)} s`;
  const found = await firstWith(driver, places, options);
  if (found !== undefined) {
    log(`load tools: ${titleOf(driver)} from ${found.cache}, checked in ${seconds()}`);
    return { folder: found.folder, source: 'cache' };
  }
  const { folder, newFolder, ...place } = await firstWritable(places, options);
  try {
    const source = await onDisk(folder, async () => {
      const filled = await fill(newFolder, options);
      await checkDriver(newFolder, driver, signal);
      await install(newFolder, folder, driver, signal);
      return filled;
    });
    await markComplete({ folder, ...place });
    log(`load tools: ${titleOf(driver)} ${ORIGINS[source]} in ${seconds()}, kept in ${folder}`);
    return { folder, source };
  } finally {
    await rm(newFolder, { recursive: true, force: true });
  }
}

function titleOf({ version }: PinnedDriver): string {
  return `the driver ${version}`;
}

async function firstWith(
  driver: PinnedDriver,
  places: readonly DriverPlace[],
  { log, signal }: LoadToolsOptions,
): Promise<DriverPlace | undefined> {
  for (const place of places) {
    const state = await cacheState(place.folder, driver, signal);
    if (state.kind === 'good') {
      await markComplete(place);
      return place;
    }
    if (state.kind === 'damaged') {
      log(`load tools: replacing the driver in ${place.cache}: ${state.why}`);
    }
  }
  return undefined;
}

/** First writable place for the driver, with an empty folder next to it in which it is prepared. */
async function firstWritable(
  [place, next, ...others]: readonly [DriverPlace, ...DriverPlace[]],
  options: LoadToolsOptions,
): Promise<DriverPlace & { readonly newFolder: string }> {
  try {
    return { ...place, newFolder: await newFolderNextTo(place.folder) };
  } catch (thrown) {
    if (!(thrown instanceof EnvironmentError) || next === undefined) {
      throw thrown;
    }
    options.log(`load tools: not using ${place.cache}: ${thrown.message}`);
    return await firstWritable([next, ...others], options);
  }
}

async function fill(folder: string, options: LoadToolsOptions): Promise<Source> {
  const { log, signal, fromImage } = options;
  const sources: readonly (readonly [Source, Fill])[] = [
    ['release', () => driverFromRelease(folder, options)],
    ['module', () => driverFromModule(folder, options)],
    ...(fromImage === undefined ? [] : [['image', fromImage] as const]),
  ];
  const tried: string[] = [];
  for (const [source, into] of sources) {
    try {
      await into(folder);
      // Without any source, they are in the error.
      for (const why of tried) {
        log(`load tools: ${why}`);
      }
      return source;
    } catch (thrown) {
      signal.throwIfAborted();
      // The image is the last source: its failure belongs in the list of attempts.
      if (source === 'image') {
        tried.push(`the image of the load driver cannot be used: ${messageOf(thrown)}`);
      } else if (thrown instanceof SourceUnavailable) {
        tried.push(thrown.message);
      } else {
        throw thrown;
      }
    }
  }
  throw new EnvironmentError(`could not install the load driver; tried: ${tried.join('; ')}`, {
    code: 'WG-203',
    next: 'Allow this machine to reach github.com, install Go 1.24 or newer with access to its module proxy, start Docker, or fill the cache with `wiregauge cache fetch` on another machine.',
  });
}

/** True if the load driver is in a cache of this machine; fetches nothing. */
export async function toolsState(request: ToolsRequest) {
  const driver = pinnedDriver(request.root);
  const places = placesOf(driver.version, request);
  const states = await Promise.all(
    places.map(async ({ folder }) => ({
      folder,
      state: (await cacheState(folder, driver, request.signal)).kind,
    })),
  );
  const found = states.find(({ state }) => state === 'good') ??
    states.find(({ state }) => state === 'damaged') ?? { folder: places[0].folder, state: 'missing' as const };
  return { title: titleOf(driver), ...found };
}

/** "go1.26.8"; undefined without Go. */
export async function goVersion(signal: AbortSignal): Promise<string | undefined> {
  try {
    const request = { argv: ['go', 'version'], cwd: '/', environment: process.env };
    const { lastLines, exitCode } = await runChild(request, { signal, limitSeconds: 10 });
    return exitCode === 0 ? /\bgo\d[\w.]*/.exec(lastLines)?.[0] : undefined;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

const BUILD_SECONDS = 600;

/** Builds the driver from the pinned module, with checksums of go.sum. Throws SourceUnavailable without a usable Go. */
async function driverFromModule(folder: string, request: ToolsRequest): Promise<void> {
  const flags = ['-trimpath', '-buildvcs=false', '-ldflags', `-s -w -X main.source=${driverVersion(request.root)}`];
  const end = await runGo(['go', 'build', ...flags, '-o', `${folder}/`, `./cmd/${DRIVER}`], request);
  if (end.exitCode !== 0) {
    const why = end.timedOut
      ? `it took more than ${BUILD_SECONDS} s`
      : (relevantLine(end.lastLines, process.env) ?? 'it printed nothing');
    throw new SourceUnavailable(`go build of tools/load failed: ${why}`);
  }
}

async function runGo(argv: readonly string[], request: ToolsRequest): Promise<ChildEnd> {
  const environment = {
    ...(request.environment ?? process.env),
    CGO_ENABLED: '0',
    GOOS: 'linux',
    GOARCH: GO_ARCHITECTURES[request.architecture],
    GOFLAGS: '-mod=readonly',
    GOWORK: 'off',
  };
  try {
    const limits = { signal: request.signal, limitSeconds: BUILD_SECONDS };
    return await runChild({ argv, cwd: join(request.root, 'tools', 'load'), environment }, limits);
  } catch (cause) {
    request.signal.throwIfAborted();
    throw new SourceUnavailable(messageOf(cause));
  }
}

const MANIFEST = 'manifest.json';

const NEW = '.new-';

const ABANDONED_MS = 24 * 3600 * 1000;

const manifestSchema = z.object({ [DRIVER]: z.string() });

type CacheState = { readonly kind: 'good' | 'missing' } | { readonly kind: 'damaged'; readonly why: string };

/** Compares a driver with the pinned checksums; a build without any with its recorded one, if only this user and root may change both. */
export async function cacheState(folder: string, driver: PinnedDriver, signal: AbortSignal): Promise<CacheState> {
  try {
    if ((await ifThere(stat(folder))) === undefined) {
      return { kind: 'missing' };
    }
    const manifest = manifestSchema.parse(JSON.parse(contentOf(folder, MANIFEST).toString()));
    const change = await changeIn(folder, driver, manifest);
    if (change !== undefined) {
      return { kind: 'damaged', why: change };
    }
    await checkDriver(folder, driver, signal);
    return { kind: 'good' };
  } catch (thrown) {
    signal.throwIfAborted();
    return { kind: 'damaged', why: messageOf(thrown) };
  }
}

async function changeIn(
  folder: string,
  { sha256 }: PinnedDriver,
  noted: z.infer<typeof manifestSchema>,
): Promise<string | undefined> {
  const found = checksum(folder);
  if (found !== noted[DRIVER]) {
    return `${DRIVER} was changed after it was installed`;
  }
  const other = sha256.includes(found) ? undefined : await writableByOthers(folder);
  return other && `another user may have changed ${DRIVER}: ${other} is writable by others`;
}

/** First file or folder of the driver that another user owns, or that every user may write to. */
async function writableByOthers(folder: string): Promise<string | undefined> {
  for (const path of [folder, join(folder, MANIFEST), join(folder, DRIVER)]) {
    const { uid, mode } = await lstat(path);
    if ((uid !== 0 && uid !== process.getuid?.()) || (mode & 0o002) !== 0) {
      return path;
    }
  }
  return undefined;
}

/** Empty folder next to the given one, in which it is prepared; removes leftovers of killed runs. */
async function newFolderNextTo(folder: string): Promise<string> {
  const parent = dirname(folder);
  try {
    await mkdir(parent, { recursive: true });
    for (const name of await readdir(parent)) {
      const path = join(parent, name);
      // Another run may just have given its own new folder the final name.
      const found = name.startsWith(NEW) ? await ifThere(stat(path)) : undefined;
      if (found !== undefined && Date.now() - found.mtimeMs > ABANDONED_MS) {
        await rm(path, { recursive: true, force: true });
      }
    }
    return await mkdtemp(join(parent, NEW));
  } catch (thrown) {
    throw unusable(parent, thrown);
  }
}

/** Renames the new folder to its final name, and records the driver's checksum. If another run was faster, its folder stays. */
export async function install(
  newFolder: string,
  folder: string,
  driver: PinnedDriver,
  signal: AbortSignal,
): Promise<void> {
  await chmod(join(newFolder, DRIVER), 0o755);
  const noted = { [DRIVER]: checksum(newFolder) };
  await writeFile(join(newFolder, MANIFEST), `${JSON.stringify(noted)}\n`);
  // Only the owner can read a new folder; the engine's user must read it, too.
  await chmod(newFolder, 0o755);
  if (await isRenamed(newFolder, folder)) {
    return;
  }
  if ((await cacheState(folder, driver, signal)).kind === 'good') {
    return;
  }
  const old = join(dirname(folder), `${NEW}old-${process.pid}-${basename(newFolder)}`);
  await isRenamed(folder, old);
  await isRenamed(newFolder, folder);
  await rm(old, { recursive: true, force: true });
}

/** False if the new name is a nonempty folder, or the old one is gone. */
async function isRenamed(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (thrown) {
    if (['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(codeOf(thrown))) {
      return false;
    }
    throw unusable(to, thrown);
  }
}

function checksum(folder: string): string {
  return createHash('sha256').update(contentOf(folder, DRIVER)).digest('hex');
}

function contentOf(folder: string, name: string): Buffer {
  try {
    return readBytes(join(folder, name));
  } catch (thrown) {
    throw new Error(`${name}: ${messageOf(thrown)}`, { cause: thrown });
  }
}

function unusable(folder: string, cause: unknown): EnvironmentError {
  return new EnvironmentError(`the cache folder of the load driver cannot be used: ${messageOf(cause)}`, {
    code: 'WG-203',
    cause,
    next: `Make ${folder} readable and writable, free some disk space, or set XDG_CACHE_HOME to another folder.`,
  });
}

/** Throws EnvironmentError if the driver in a folder does not run, or has a version other than the pinned one. */
export async function checkDriver(folder: string, { version }: PinnedDriver, signal: AbortSignal): Promise<void> {
  const printed = await printedVersion(folder, signal);
  if (printed !== version) {
    throw new EnvironmentError(
      `the load driver ${DRIVER} in ${folder} has version "${printed.slice(0, 80)}", but ${version} is needed`,
      { code: 'WG-204', next: `Remove ${folder}; the next start installs the pinned version.` },
    );
  }
}

async function printedVersion(folder: string, signal: AbortSignal): Promise<string> {
  const argv = [join(folder, DRIVER), 'version'];
  try {
    const { lastLines } = await runChild({ argv, cwd: '/', environment: {} }, { signal, limitSeconds: 10 });
    return lastLines.trim();
  } catch (cause) {
    signal.throwIfAborted();
    throw new EnvironmentError(`the load driver ${DRIVER} is missing, or cannot be run: ${messageOf(cause)}`, {
      code: 'WG-203',
      cause,
      next: 'Run `wiregauge cache fetch` to install it.',
    });
  }
}
