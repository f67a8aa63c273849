import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { storedCountsOf } from '../../../../src/commands/runs/against.ts';
import { historyFolder } from '../../../../src/history/folder.ts';
import { runsAdded } from '../../../../src/history/publish.ts';
import { entryOf } from '../../../../src/history/store/run-entry.ts';
import { withHeadCounts } from '../../../support/sample-counts.ts';
import { sampleRun } from '../../../support/sample-run.ts';

const COMMIT = 'abc1234'.padEnd(40, '0');

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stored-counts-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The stored runs of a folder, one counted run of a commit. */
async function stored(change: { readonly dirty?: boolean; readonly commit?: string } = {}): Promise<string> {
  const run = withHeadCounts(sampleRun());
  const { dirty = false, commit = COMMIT } = change;
  const entry = entryOf({ ...run, commit: { head: commit, dirty } }, { run: 'a' });
  const additions = [{ entry }];
  await historyFolder(folder, () => undefined).change(
    ({ read }) => runsAdded(read, additions, { wiregauge: '1.0.0' }),
    '',
  );
  return `history:${folder}`;
}

async function found(place: string) {
  const lines: string[] = [];
  const counts = await storedCountsOf({ suite: 'users', commit: COMMIT, stored: place }, (line) => lines.push(line));
  return { counts, lines };
}

test('stored counts of a commit are found in a folder', async () => {
  const { counts, lines } = await found(await stored());

  expect(counts).toMatchObject([{ commit: COMMIT, source: folder, counts: [{ service: 'rest' }] }]);
  expect(lines).toEqual([]);
});

test.each([
  ['of another commit', { commit: 'd'.repeat(40) }],
  ['of files with changes', { dirty: true }],
])('stored counts %s are none', async (_what, change) => {
  expect(await found(await stored(change))).toEqual({
    counts: [],
    lines: [`${folder} has no counts for base, commit abc1234`],
  });
});

test('a place that cannot be read is said, and the commit is counted', async () => {
  const { counts, lines } = await found(`history:${join(folder, 'nothing')}`);

  expect(counts).toEqual([]);
  expect(lines).toEqual([expect.stringMatching(/^stored counts cannot be read: .*nothing/)]);
  expect(await found('none')).toEqual({ counts: [], lines: [] });
});
