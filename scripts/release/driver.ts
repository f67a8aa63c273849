/**
 * Builds the drivers of a release into a folder, for each architecture, and compares them with tools/load/SHA256SUMS, which is committed so that a
 * download can be compared with its source: `tsx scripts/release/driver.ts <folder> [--write|--native]`. Exits with code 1 if they differ; --write
 * writes the file instead. --native only compares the driver of this machine: all lines are written together and named after the source, so that one
 * shows whether the file is stale, for half of the compilation.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DRIVER, driverVersion } from '../../src/runtime/driver/source.ts';
import type { Architecture } from '../../src/runtime/tools/places.ts';
import { DRIVER_SUMS, driverFileName, GO_ARCHITECTURES } from '../../src/runtime/tools/release.ts';

/** Builds are byte for byte the same on any machine only for one version of Go; Go itself fetches it if it differs. */
const GO = 'go1.26.8';

const ARCHITECTURES: readonly Architecture[] = ['x64', 'arm64'];

const { folder, isWriting, isNative } = argumentsOf(process.argv.slice(2));
const version = driverVersion('.');
mkdirSync(folder, { recursive: true });
const sums = ARCHITECTURES.filter((one) => !isNative || one === process.arch)
  .map(sumLine)
  .join('');
if (isWriting) {
  writeFileSync(DRIVER_SUMS, sums);
}
if (isNative ? !committed()?.includes(sums) : committed() !== sums) {
  console.error(`${DRIVER_SUMS} is stale: commit what \`npm run driver\` writes. Built now:\n${sums}`);
  process.exit(1);
}
console.log(sums.trimEnd());

function sumLine(architecture: Architecture): string {
  const name = driverFileName(version, GO, architecture);
  build(architecture, join(folder, name));
  const sha256 = createHash('sha256')
    .update(readFileSync(join(folder, name)))
    .digest('hex');
  return `${sha256}  ${name}\n`;
}

/** The bytes must not depend on this machine: no paths, no state of git, no settings of Go. */
function build(architecture: Architecture, output: string): void {
  const flags = ['-trimpath', '-buildvcs=false', '-ldflags', `-s -w -X main.source=${version}`];
  execFileSync('go', ['build', ...flags, '-o', output, `./cmd/${DRIVER}`], {
    cwd: join('tools', 'load'),
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...process.env,
      GOTOOLCHAIN: GO,
      CGO_ENABLED: '0',
      GOOS: 'linux',
      GOARCH: GO_ARCHITECTURES[architecture],
      GOAMD64: 'v1',
      GOARM64: 'v8.0',
      GOEXPERIMENT: '',
      GOFIPS140: 'off',
      GOFLAGS: '-mod=readonly',
      GOWORK: 'off',
    },
  });
}

function committed(): string | undefined {
  try {
    return readFileSync(DRIVER_SUMS, 'utf8');
  } catch {
    return undefined;
  }
}

function argumentsOf(given: readonly string[]) {
  const [named] = given.filter((argument) => !argument.startsWith('--'));
  return {
    folder: resolve(named ?? join('build', 'driver')),
    isWriting: given.includes('--write'),
    isNative: given.includes('--native'),
  };
}
