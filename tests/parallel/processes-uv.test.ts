import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EnvironmentError } from '../../src/foundation/errors.ts';
import { UV_HASHES, UV_VERSION, uvFolder } from '../../src/runtime/process/build.ts';
import { zipOf } from '../support/zip.ts';

let root = '';
let lines: string[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'uv-'));
  mkdirSync(join(root, 'bin'));
  for (const program of ['sh', 'env']) {
    symlinkSync(execFileSync('which', [program], { encoding: 'utf8' }).trim(), join(root, 'bin', program));
  }
  lines = [];
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function program(name: string, script: string): void {
  writeFileSync(join(root, 'bin', name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(root, 'bin', name), 0o755);
}

/** A machine that has only what a test put into its `bin`, and an empty cache. */
function search(environment: Record<string, string | undefined> = {}, signal = new AbortController().signal) {
  return {
    environment: { PATH: join(root, 'bin'), HOME: root, XDG_CACHE_HOME: join(root, 'cache'), ...environment },
    signal,
    log: (line: string) => lines.push(line),
  };
}

const cached = () => readdirSync(join(root, 'cache/wiregauge'));

describe('uvFolder', () => {
  it('takes one of the pinned version from PATH', async () => {
    program('uv', `echo "uv ${UV_VERSION} (some platform)"`);

    expect(await uvFolder(search())).toBe(join(root, 'bin'));
    expect(lines).toEqual([]);
  });

  it('passes over one of another version or that does not run, and says what is missing without python3', async () => {
    program('uv', `echo "uv ${UV_VERSION}9"`);
    mkdirSync(join(root, 'other'));
    writeFileSync(join(root, 'other/uv'), 'not a program');

    const refused = await uvFolder(search({ PATH: `${root}/bin:${root}/other` })).catch((thrown: unknown) => thrown);

    expect(refused).toBeInstanceOf(EnvironmentError);
    expect(refused).toMatchObject({
      message: expect.stringMatching(/^python3 cannot be started: /),
      next: expect.stringContaining('Install Python'),
    });
    expect(lines).toEqual([expect.stringContaining(`uv ${UV_VERSION} is not on PATH`)]);
    expect(cached()).toEqual([]);
  });

  it('says that the venv module is missing', async () => {
    program('python3', 'echo "/usr/bin/python3: No module named venv" >&2; exit 1');

    await expect(uvFolder(search())).rejects.toMatchObject({
      message: expect.stringMatching(/^python3 cannot create a virtual environment:\n.*No module named venv$/),
      next: expect.stringContaining('python3-venv'),
    });
    expect(cached()).toEqual([]);
  });

  it('says that the package index cannot be reached', async () => {
    const offline = { PIP_INDEX_URL: 'http://127.0.0.1:1/simple', PIP_FIND_LINKS: '', PIP_RETRIES: '0' };

    const refused = uvFolder(
      search({ ...process.env, XDG_CACHE_HOME: join(root, 'cache'), PATH: pathWithoutUv(), ...offline }),
    );

    await expect(refused).rejects.toMatchObject({
      message: expect.stringMatching(/^uv 0\.13\.8 cannot be installed with pip:\n/),
      next: expect.stringContaining('Check that the Python package index is reachable'),
    });
    expect(cached()).toEqual([]);
  });

  it('accepts only the pinned files, although an index serves another one under that name', async () => {
    const name = `uv-${UV_VERSION}`;
    const files = {
      'uv/__init__.py': '',
      [`${name}.dist-info/METADATA`]: `Metadata-Version: 2.1\nName: uv\nVersion: ${UV_VERSION}\n`,
      [`${name}.dist-info/WHEEL`]: 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
      [`${name}.dist-info/RECORD`]: '',
    };
    writeFileSync(
      join(root, `${name}-py3-none-any.whl`),
      zipOf(Object.entries(files).map(([file, text]) => ({ name: file, text }))),
    );
    const forged = { PIP_NO_INDEX: '1', PIP_FIND_LINKS: root };

    const refused = uvFolder(
      search({ ...process.env, XDG_CACHE_HOME: join(root, 'cache'), PATH: pathWithoutUv(), ...forged }),
    );

    await expect(refused).rejects.toMatchObject({
      message: expect.stringMatching(/^uv 0\.13\.8 in the package index has the SHA-256 \w{64}, not the pinned one$/),
    });
    expect(cached()).toEqual([]);
  });

  it('has the same hashes wherever it is installed', () => {
    const hashesIn = (file: string) =>
      [...readFileSync(file, 'utf8').matchAll(/sha256:([0-9a-f]{64})/g)].map(([, hash]) => hash);

    expect(hashesIn('scripts/uv')).toEqual(UV_HASHES);
    expect(readFileSync('scripts/uv', 'utf8')).toContain(`version=${UV_VERSION}\n`);
    for (const file of ['Dockerfile', 'examples/python-fastapi/Dockerfile']) {
      const inImage = hashesIn(file).filter((hash) => UV_HASHES.includes(hash ?? ''));
      expect(inImage, file).toHaveLength(3);
      expect(readFileSync(file, 'utf8')).toContain(`uv==${UV_VERSION} `);
      expect(readFileSync(file, 'utf8')).toContain('--require-hashes ');
    }
  });

  it('is ended by an abort and leaves no half of an installation', async () => {
    program('python3', 'exec /bin/sleep 60');
    const stop = new AbortController();

    const looking = uvFolder(search({}, stop.signal));
    await expect.poll(() => lines.length).toBe(1);
    stop.abort(new Error('enough'));

    await expect(looking).rejects.toThrow('enough');
    expect(cached()).toEqual([]);
  });

  it('installs it in the cache, and finds it there the next time', async () => {
    const machine = { ...process.env, XDG_CACHE_HOME: join(root, 'cache'), PATH: pathWithoutUv() };

    const folder = await uvFolder(search(machine));
    const again = await uvFolder(search(machine));

    expect(folder).toBe(join(root, 'cache/wiregauge', `uv-${UV_VERSION}`, 'bin'));
    expect(again).toBe(folder);
    expect(lines).toHaveLength(1);
    expect(execFileSync(join(folder, 'uv'), ['--version'], { encoding: 'utf8' })).toContain(UV_VERSION);
    expect(cached()).toEqual([`uv-${UV_VERSION}`]);
  });
});

/** This machine's PATH without the folders that have a uv. */
function pathWithoutUv(): string {
  const folders = (process.env['PATH'] ?? '').split(':');
  return folders.filter((folder) => folder !== '' && !hasUv(folder)).join(':');
}

function hasUv(folder: string): boolean {
  try {
    return readdirSync(folder).includes('uv');
  } catch {
    return false;
  }
}
