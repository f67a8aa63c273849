import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import packageFile from '../../../package.json' with { type: 'json' };
import { EnvironmentError, fetchFailure } from '../../foundation/errors.ts';
import { readTextIfThere } from '../../host/files/reader.ts';
import { abortAfter } from '../../host/signals.ts';
import { DRIVER, driverVersion } from '../driver/source.ts';
import { type Architecture, type PinnedDriver, SourceUnavailable, type ToolsRequest } from './places.ts';

/** Limit for the first byte of a response: an unreachable host must not block. */
const CONNECT_MS = 5000;

const DOWNLOAD_MS = 120_000;

/** Downloads the driver of this version's release. Throws EnvironmentError if it is not the pinned one. */
export async function driverFromRelease(folder: string, request: ToolsRequest): Promise<void> {
  const { root, architecture, releases = RELEASES } = request;
  const { url, sha256 } = releasedDriver(root, architecture, releases);
  const content = await get(url, request);
  const found = createHash('sha256').update(content).digest('hex');
  if (found !== sha256) {
    throw new EnvironmentError(`${url} has the SHA-256 ${found}, but ${sha256} is pinned`, {
      code: 'WG-204',
      next: 'The file was changed in transit or at its source. Do not use it; report it to the maintainers of Wiregauge.',
    });
  }
  await writeFile(join(folder, DRIVER), content, { mode: 0o755 });
}

async function get(url: string, { signal, connectMs = CONNECT_MS }: ToolsRequest): Promise<Buffer> {
  const slow = new AbortController();
  const connecting = setTimeout(() => slow.abort(new Error(`no answer within ${connectMs} ms`)), connectMs);
  using late = abortAfter(DOWNLOAD_MS);
  const limit = AbortSignal.any([signal, slow.signal, late.signal]);
  try {
    const response = await fetch(url, { signal: limit });
    clearTimeout(connecting);
    if (!response.ok) {
      throw new Error(`it answered HTTP ${response.status}`);
    }
    return Buffer.from(await response.arrayBuffer());
  } catch (cause) {
    signal.throwIfAborted();
    throw new SourceUnavailable(`${url} cannot be downloaded: ${fetchFailure(cause)}`);
  } finally {
    clearTimeout(connecting);
  }
}

/** Checksums of the drivers in a release, in the format of `sha256sum`; `npm run driver` makes the file. */
export const DRIVER_SUMS = join('tools', 'load', 'SHA256SUMS');

const RELEASES = 'https://github.com/wiregauge/wiregauge/releases/download';

export const GO_ARCHITECTURES: Readonly<Record<Architecture, string>> = { x64: 'amd64', arm64: 'arm64' };

/** `go` is like "go1.26.8": another Go builds other bytes of the same source, and must have another name. */
export function driverFileName(version: string, go: string, architecture: Architecture): string {
  return `${DRIVER}-${version}-${go}-linux-${GO_ARCHITECTURES[architecture]}`;
}

/** Driver of this version's release, with its checksum. Throws SourceUnavailable if the source has changed since. */
function releasedDriver(root: string, architecture: Architecture, releases: string) {
  const version = driverVersion(root);
  const pattern = driverFileName(version, String.raw`go[\d.]+`, architecture);
  const [, sha256, name] =
    new RegExp(`^([0-9a-f]{64})  (${pattern})$`, 'm').exec(textOf(join(root, DRIVER_SUMS))) ?? [];
  if (sha256 === undefined) {
    throw new SourceUnavailable(`no release has the driver ${version} for ${architecture}`);
  }
  return { url: `${releases}/v${packageFile.version}/${name}`, sha256 };
}

/** Driver of this source, with the shipped checksums of its builds. */
export function pinnedDriver(root: string): PinnedDriver {
  const version = driverVersion(root);
  const lines = textOf(join(root, DRIVER_SUMS)).split('\n');
  const sums = lines.filter((line) => line.includes(`  ${DRIVER}-${version}-`));
  return { version, sha256: sums.map((line) => line.slice(0, 64)) };
}

function textOf(path: string): string {
  return readTextIfThere(path, 'Install Wiregauge again.') ?? '';
}
