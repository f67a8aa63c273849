import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { driverVersion } from '../../src/runtime/driver/source.ts';

const NAMES = ['amd64', 'arm64'].map(
  (architecture) => `wiregauge-load-${driverVersion('.')}-go1.26.8-linux-${architecture}`,
);
const SUMS = 'tools/load/SHA256SUMS';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'release-driver-'));
  cpSync('tools/load', join(folder, 'tools/load'), { recursive: true });
  mkdirSync(join(folder, 'bin'));
  // Builds the text of its arguments and of what it must not leave to chance.
  const go = '#!/bin/sh\necho "$GOTOOLCHAIN $CGO_ENABLED $GOARCH $GOFLAGS $2 $3 $5" > "$7"\n';
  writeFileSync(join(folder, 'bin/go'), go, { mode: 0o755 });
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Runs the script where the copied source is, in an environment that would build something else. */
function script(...argv: readonly string[]): { readonly status: number | null; readonly output: string } {
  const { status, stdout, stderr } = spawnSync(
    resolve('node_modules/.bin/tsx'),
    [resolve('scripts/release/driver.ts'), join(folder, 'built'), ...argv],
    {
      cwd: folder,
      encoding: 'utf8',
      env: {
        ...process.env,
        PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
        GOFLAGS: '-race',
        GOARCH: 'riscv64',
      },
    },
  );
  return { status, output: `${stdout}${stderr}` };
}

test('writes the checksums of what it builds for each architecture, always with the same Go and the same settings', () => {
  const { status, output } = script('--write');

  expect(status, output).toBe(0);
  expect(readdirSync(join(folder, 'built')).sort()).toEqual(NAMES);
  const built = readFileSync(join(folder, 'built', NAMES[1] ?? ''), 'utf8');
  expect(built).toBe(
    `go1.26.8 0 arm64 -mod=readonly -trimpath -buildvcs=false -s -w -X main.source=${driverVersion('.')}\n`,
  );
  const lines = NAMES.map((name) => {
    const content = readFileSync(join(folder, 'built', name));
    return `${createHash('sha256').update(content).digest('hex')}  ${name}\n`;
  });
  expect(readFileSync(join(folder, SUMS), 'utf8')).toBe(lines.join(''));
});

test('agrees with checksums that are of the same source, and leaves them alone', () => {
  script('--write');

  expect(script().status).toBe(0);
});

test('builds and compares the driver of this machine alone with --native', () => {
  script('--write');
  rmSync(join(folder, 'built'), { recursive: true });

  const own = NAMES.filter((name) => name.endsWith(process.arch === 'arm64' ? 'arm64' : 'amd64'));
  expect(script('--native').status).toBe(0);
  expect(readdirSync(join(folder, 'built'))).toEqual(own);

  writeFileSync(join(folder, 'tools/load/cmd/wiregauge-load/main.go'), 'package main\n');
  const { status, output } = script('--native');
  expect(status).toBe(1);
  expect(output).toContain('commit what `npm run driver` writes');
});

test.each([
  [
    'of another source',
    () =>
      writeFileSync(join(folder, SUMS), readFileSync(join(folder, SUMS), 'utf8').replace(/^[0-9a-f]{8}/, '00000000')),
  ],
  ['missing', () => rmSync(join(folder, SUMS))],
])('refuses checksums that are %s, and does not write them by itself', (_, spoil) => {
  script('--write');
  spoil();
  const before = spawnSync('cat', [join(folder, SUMS)], { encoding: 'utf8' }).stdout;

  const { status, output } = script();

  expect(status).toBe(1);
  expect(output).toContain('commit what `npm run driver` writes');
  expect(spawnSync('cat', [join(folder, SUMS)], { encoding: 'utf8' }).stdout).toBe(before);
});
