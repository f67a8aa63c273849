import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { realLoadToolsWithDriver } from '../integration/load-tools.ts';
import { wiregauge } from '../integration/project.ts';

let folder = '';

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tools-command-'));
  await realLoadToolsWithDriver();
});

afterEach(() => rmSync(folder, { recursive: true }));

test('`wiregauge tools` says where the load tools come from and where they lie', async () => {
  const { exitCode, stdout } = await wiregauge(['tools'], { cwd: folder, environment: { RUNNER_TOOL_CACHE: folder } });

  expect(exitCode, stdout).toBe(0);
  const [generators, driver, ...folders] = stdout.trimEnd().split('\n');
  expect(generators).toMatch(/^load tools: ghz 0\.121\.0 and vegeta 12\.13\.0 from the cache, checked in /);
  expect(driver).toMatch(/^load tools: the driver [0-9a-f]{16} from the cache, checked in /);
  expect(folders.flatMap((path) => readdirSync(path))).toEqual(
    expect.arrayContaining(['ghz', 'vegeta', 'wiregauge-load']),
  );
  expect(existsSync(join(folder, 'ghz-vegeta'))).toBe(false);
});
