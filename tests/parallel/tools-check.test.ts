import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkPrograms } from '../../src/runtime/tools/cache.ts';
import { GENERATOR_PROGRAMS } from '../../src/runtime/tools/places.ts';
import { GHZ, VEGETA } from './fake-tools.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wiregauge-tools-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('the check of the load tools', () => {
  it('names the version found and the version wanted', async () => {
    writeFileSync(join(folder, 'ghz'), GHZ, { mode: 0o755 });
    writeFileSync(join(folder, 'vegeta'), VEGETA.replace('12.13.0', '12.12.0'), { mode: 0o755 });

    await expect(checkPrograms(folder, GENERATOR_PROGRAMS, AbortSignal.timeout(10_000))).rejects.toThrow(
      `the load tool vegeta in ${folder} has version 12.12.0, but 12.13.0 is needed`,
    );
  });

  it('names a tool that is missing', async () => {
    await expect(checkPrograms(folder, GENERATOR_PROGRAMS, AbortSignal.timeout(10_000))).rejects.toThrow(
      /load tool ghz is missing/,
    );
  });

  it('is not content with a tool that tells no version', async () => {
    writeFileSync(join(folder, 'ghz'), '#!/bin/sh\necho dev\n', { mode: 0o755 });

    await expect(checkPrograms(folder, GENERATOR_PROGRAMS, AbortSignal.timeout(10_000))).rejects.toThrow(
      /version "dev", but 0\.121\.0/,
    );
  });

  it('wants the versions that tools/load pins', async () => {
    const pins = readFileSync('tools/load/go.mod', 'utf8');
    writeFileSync(join(folder, 'ghz'), GHZ, { mode: 0o755 });
    writeFileSync(join(folder, 'vegeta'), VEGETA, { mode: 0o755 });

    await checkPrograms(folder, GENERATOR_PROGRAMS, AbortSignal.timeout(10_000));

    expect(pins).toMatch(/bojand\/ghz v0\.121\.0/);
    expect(pins).toMatch(/tsenart\/vegeta\/v12 v12\.13\.0/);
  });
});
