import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { wiregauge } from '../integration/project.ts';

const folder = mkdtempSync(join(tmpdir(), 'demo-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the demo finds its slowdown and its changed response in an empty folder, and writes the comment', async () => {
  const { exitCode, stdout, stderr } = await wiregauge(['demo'], { cwd: folder });

  expect(exitCode, stderr).toBe(0);
  expect(stdout).toMatch(/^Regression: shop\b/m);
  expect(stdout).toContain('out/comment.md');
  const comment = readFileSync(join(folder, 'out/comment.md'), 'utf8');
  expect(comment).toMatch(/^<!-- wiregauge:comment demo -->\n### 🔴 Regression: .*\bshop\b/);
  expect(comment).toMatch(/> \*\*Responses changed\*\*\n>\n> - GetItem/);
});
