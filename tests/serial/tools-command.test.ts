import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { realLoadTools } from '../integration/load-tools.ts';
import { wiregauge } from '../integration/project.ts';

let folder = '';

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tools-command-'));
  await realLoadTools();
});

afterEach(() => rmSync(folder, { recursive: true }));

test('`wiregauge cache fetch` prints where the driver comes from and its folder', async () => {
  const { exitCode, stdout } = await wiregauge(['cache', 'fetch'], {
    cwd: folder,
    environment: { RUNNER_TOOL_CACHE: folder },
  });

  expect(exitCode, stdout).toBe(0);
  const [driver, path = '', ...more] = stdout.trimEnd().split('\n');
  expect(driver).toMatch(/^load tools: the driver [0-9a-f]{16} from the cache, checked in /);
  expect(readdirSync(path)).toContain('wiregauge-load');
  expect(more).toEqual([]);
  expect(existsSync(join(folder, 'wiregauge-load'))).toBe(false);
});
