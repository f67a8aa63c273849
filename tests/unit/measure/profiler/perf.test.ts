import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { perf } from '../../../../src/measure/profiler/programs.ts';

afterEach(() => vi.unstubAllEnvs());

test('perf leaves no copy of a program in the cache of the user', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'perf-'));
  writeFileSync(join(folder, 'perf'), `#!/bin/sh\necho "$@" >>${folder}/started\n`);
  chmodSync(join(folder, 'perf'), 0o755);
  vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);

  await perf.sample({ pids: [1], seconds: 1, folder, signal: new AbortController().signal } as Parameters<
    typeof perf.sample
  >[0]);

  const [record = ''] = readFileSync(join(folder, 'started'), 'utf8').split('\n');
  expect(record).toMatch(/^record .*--no-buildid-cache .*-p 1 /);
  rmSync(folder, { recursive: true });
});
