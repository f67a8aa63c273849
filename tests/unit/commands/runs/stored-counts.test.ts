import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { storedCountsOf } from '../../../../src/commands/runs/against.ts';
import { formatBaseline, storedRunOf } from '../../../../src/judge/stored/baseline.ts';
import { withHeadCounts } from '../../../support/sample-counts.ts';
import { sampleRun } from '../../../support/sample-run.ts';

const COMMIT = 'abc1234'.padEnd(40, '0');

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stored-counts-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A baseline of one counted run of a commit. */
function baseline(change: { readonly dirty?: boolean; readonly commit?: string } = {}): string {
  const run = withHeadCounts(sampleRun());
  const { dirty = false, commit = COMMIT } = change;
  const runs = [storedRunOf({ ...run, commit: { head: commit, dirty } }, 'a test')];
  const file = join(folder, 'kept.json');
  writeFileSync(file, formatBaseline({ suite: 'made-up', runnerClass: 'linux-x64-2core', runs }));
  return file;
}

async function found(stored: string | undefined) {
  const lines: string[] = [];
  const counts = await storedCountsOf({ suite: 'made-up', commit: COMMIT, stored }, (line) => lines.push(line));
  return { counts, lines };
}

test('stored counts of a commit are found in a baseline', async () => {
  const file = baseline();
  const { counts, lines } = await found(file);

  expect(counts).toMatchObject([{ commit: COMMIT, source: file, counts: [{ service: 'rest' }] }]);
  expect(lines).toEqual([]);
});

test.each([
  ['of another commit', { commit: 'd'.repeat(40) }],
  ['of files with changes', { dirty: true }],
])('stored counts %s are none', async (_what, change) => {
  const file = baseline(change);

  expect(await found(file)).toEqual({ counts: [], lines: [`${file} has no counts for base, commit abc1234`] });
});

test('a place that cannot be read is said, and the commit is counted', async () => {
  const { counts, lines } = await found(join(folder, 'nothing.json'));

  expect(counts).toEqual([]);
  expect(lines).toEqual([expect.stringMatching(/^stored counts cannot be read: .*nothing\.json/)]);
  expect(await found(undefined)).toEqual({ counts: [], lines: [] });
});
