import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LOAD_TOOL_VERSIONS } from '../../src/runtime/tools/places.ts';
import { checkDriver } from '../../src/runtime/tools/tools.ts';

const PINNED = { version: '0123456789abcdef', sha256: [] };

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wiregauge-tools-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const check = async () => await checkDriver(folder, PINNED, AbortSignal.timeout(10_000));

const prints = (text: string) =>
  writeFileSync(join(folder, 'wiregauge-load'), `#!/bin/sh\necho ${text}\n`, { mode: 0o755 });

describe('the check of the load driver', () => {
  it('takes the version that is wanted', async () => {
    prints(PINNED.version);

    await expect(check()).resolves.toBeUndefined();
  });

  it.each(['dev', '0123456789abcde0'])('names the version %s and the version wanted', async (version) => {
    prints(version);

    await expect(check()).rejects.toThrow(
      `the load driver wiregauge-load in ${folder} has version "${version}", but ${PINNED.version} is needed`,
    );
  });

  it('names a driver that is missing', async () => {
    await expect(check()).rejects.toThrow(/load driver wiregauge-load is missing/);
  });

  it('has the versions of the libraries that tools/load pins', () => {
    const pins = readFileSync('tools/load/go.mod', 'utf8');

    expect(pins).toContain(`bojand/ghz v${LOAD_TOOL_VERSIONS.ghz}`);
    expect(pins).toContain(`tsenart/vegeta/v12 v${LOAD_TOOL_VERSIONS.vegeta}`);
  });
});
