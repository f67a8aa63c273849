import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DRIVER, driverVersion } from '../../load/driver/driver-source.ts';
import type { Architecture, PinnedFile } from './tools-pins.ts';
import { SourceUnavailable } from './tools-source.ts';

/** The checksums of the drivers that a release has, as `sha256sum` writes them; `npm run driver` makes the file. */
export const DRIVER_SUMS = join('tools', 'load', 'SHA256SUMS');

/** Where the releases are, by their tag. */
export const RELEASES = 'https://github.com/wiregauge/wiregauge/releases/download';

/** What Go calls the architectures. */
export const GO_ARCHITECTURES: Readonly<Record<Architecture, string>> = { x64: 'amd64', arm64: 'arm64' };

/** What a driver that a release has was built from, with what, and for what. */
export interface DriverBuild {
  readonly version: string;
  /** Like "go1.26.8": another Go builds other bytes of the same source, and one name must never stand for both. */
  readonly go: string;
  readonly architecture: Architecture;
}

/** The name that a release gives a driver. */
export function driverFileName({ version, go, architecture }: DriverBuild): string {
  return `${DRIVER}-${version}-${go}-linux-${GO_ARCHITECTURES[architecture]}`;
}

/**
 * The driver that the release of this version has, with the checksum that came with the source. `root` is the folder that Wiregauge
 * came in. Throws SourceUnavailable where the source is not the one that the checksums were made of: nobody has built that for us.
 */
export function releasedDriver(root: string, architecture: Architecture, releases: string): PinnedFile {
  const version = driverVersion(root);
  const pattern = driverFileName({ version, go: String.raw`go[\d.]+`, architecture });
  const [, sha256, name] =
    new RegExp(`^([0-9a-f]{64})  (${pattern})$`, 'm').exec(textOf(join(root, DRIVER_SUMS))) ?? [];
  if (sha256 === undefined) {
    throw new SourceUnavailable(`no release has the driver ${version} for ${architecture}`);
  }
  return { url: `${releases}/v${packageVersion(root)}/${name}`, sha256 };
}

function packageVersion(root: string): string {
  const text = textOf(join(root, 'package.json'));
  const [, version] = /"version":\s*"([^"]+)"/.exec(text) ?? [];
  if (version === undefined) {
    throw new SourceUnavailable(`${root} does not say which version of Wiregauge it is`);
  }
  return version;
}

/** Empty where there is no such file. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') {
      return '';
    }
    throw thrown;
  }
}
