import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { LoadToolsOptions } from '../../src/runtime/tools/tools.ts';

/** A folder with an empty cache for each test of a file, and what is asked for and logged there. */
export function toolsPerTest() {
  let folder = '';
  const lines: string[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'wiregauge-tools-'));
    lines.length = 0;
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    lines,
    get folder() {
      return folder;
    },
    /** Without a release and without Go, unless told otherwise. */
    options: (further: Partial<LoadToolsOptions>): LoadToolsOptions => ({
      root: process.cwd(),
      cacheFolder: join(folder, 'cache'),
      architecture: 'x64',
      log: (line) => lines.push(line),
      signal: AbortSignal.timeout(60_000),
      environment: searchPath(folder),
      // Nothing listens there.
      releases: 'http://127.0.0.1:9',
      ...further,
    }),
  };
}

/** What a promise rejects with; undefined if it does not. */
export async function caught(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
}

/** A program search path without Go, or with a script in its place. */
export function searchPath(folder: string, go?: string): Record<string, string> {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  for (const program of ['tar', 'gzip', 'sh', 'cat', 'chmod', 'cp']) {
    const path = execFileSync('sh', ['-c', `command -v ${program}`])
      .toString()
      .trim();
    writeFileSync(join(bin, program), `#!/bin/sh\nexec ${path} "$@"\n`, { mode: 0o755 });
  }
  if (go !== undefined) {
    writeFileSync(join(bin, 'go'), go, { mode: 0o755 });
  }
  return { PATH: bin };
}

/** Builds nothing, but leaves a script where `-o` says, with the version that the linker is told, as `go build` leaves the driver. */
export const FAKE_GO = `#!/bin/sh
all="$*"
while [ "$1" != -o ]; do shift; done
version=\${all##*main.source=}
echo "#!/bin/sh
echo \${version%% *}" >"$2/wiregauge-load"
chmod +x "$2/wiregauge-load"
`;
