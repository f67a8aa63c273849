import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { LoadToolsOptions } from '../../src/runtime/tools/tools.ts';
import { type ReleaseServer, sha256 } from './release-server.ts';

/** Scripts that print the versions as the tools print them: ghz on standard error, vegeta with further lines. */
export const GHZ = '#!/bin/sh\necho v0.121.0 >&2\n';
export const VEGETA = '#!/bin/sh\nprintf "Version: v12.13.0\\nCommit: x\\nRuntime: go1.26.8 linux/amd64\\n"\n';

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
      archives: { x64: [], arm64: [] },
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

/** An archive with an executable file of that name at its top, and another file as releases have them. */
export function archive(folder: string, name: string, script: string): Buffer {
  const source = mkdtempSync(join(folder, 'archive-'));
  writeFileSync(join(source, name), script, { mode: 0o755 });
  writeFileSync(join(source, 'LICENSE'), 'as you like');
  return execFileSync('tar', ['-czf', '-', '-C', source, name, 'LICENSE']);
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

/**
 * Builds nothing, but leaves scripts where `-o` says, as `go build` leaves programs: the driver, with the version that the linker
 * is told, where that is what it builds, else the two tools.
 */
export function fakeGo(folder: string): string {
  writeFileSync(join(folder, 'built-ghz'), GHZ, { mode: 0o755 });
  writeFileSync(join(folder, 'built-vegeta'), VEGETA, { mode: 0o755 });
  const copies = ['ghz', 'vegeta'].map((tool) => `cp ${folder}/built-${tool} "$2/${tool}"`).join('; ');
  return `#!/bin/sh
all="$*"
while [ "$1" != -o ]; do shift; done
case "$all" in
*main.source=*)
  version=\${all##*main.source=}
  echo "#!/bin/sh
echo \${version%% *}" >"$2/wiregauge-load"
  chmod +x "$2/wiregauge-load" ;;
*) ${copies} ;;
esac
`;
}

/** The release archives of both tools. */
export interface Release {
  readonly ghz: Buffer;
  readonly vegeta: Buffer;
}

export function release(folder: string): Release {
  return { ghz: archive(folder, 'ghz', GHZ), vegeta: archive(folder, 'vegeta', VEGETA) };
}

/** The pins of those archives as that server has them. */
export function archivesAt(server: ReleaseServer, { ghz, vegeta }: Release): NonNullable<LoadToolsOptions['archives']> {
  return {
    x64: [
      { tool: 'ghz', url: `${server.url}/ghz`, sha256: sha256(ghz) },
      { tool: 'vegeta', url: `${server.url}/vegeta`, sha256: sha256(vegeta) },
    ],
    arm64: [],
  };
}
