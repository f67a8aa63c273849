import { describe, expect, it } from 'vitest';
import { formatChanges, readChanges } from '../../src/history/store/changes.ts';
import type { HistoryEntry } from '../../src/history/store/entry.ts';
import { formatIndex, type HistoryIndex, readIndex } from '../../src/history/store/index-file.ts';
import { changesUnderNames, withNames } from '../../src/history/store/names.ts';
import { appendedAll, readSegment } from '../../src/history/store/segment.ts';
import { CHANGES_PATH, INDEX_PATH, pathOf, withSegment } from '../../src/history/store/segments.ts';
import { requires } from '../support/requires.ts';
import { shopHistory } from '../support/site-history.ts';
import { trendSite } from './trend-site.ts';

const WAS = { services: { web: ['rest'] }, operations: { FindUser: ['GetUser'] } };

/** From the 100th run on, the service and one of its operations have other names. */
function renamed(entry: HistoryEntry): HistoryEntry {
  const series = entry.series.map((one) => ({
    ...one,
    service: one.service === 'rest' ? 'web' : one.service,
    operation: one.operation === 'GetUser' ? 'FindUser' : one.operation,
  }));
  const { pullRequest: _ofAnother, ...own } = entry;
  return entry.run < 'run-000100' ? own : { ...own, series, wasNamed: WAS };
}

function renamedHistory(): ReadonlyMap<string, string> {
  const files = new Map(shopHistory());
  const before = readIndex(files.get(INDEX_PATH) ?? '', INDEX_PATH);
  let index: HistoryIndex = { ...before, segments: [] };
  for (const { file } of before.segments) {
    const path = pathOf(file);
    const entries = readSegment(files.get(path) ?? '', path).map(renamed);
    const text = appendedAll('', entries, path);
    files.set(path, text);
    index = withNames(withSegment(index, file, text), entries);
  }
  const changes = changesUnderNames(readChanges(files.get(CHANGES_PATH) ?? '', CHANGES_PATH), index);
  return new Map([...files, [CHANGES_PATH, formatChanges(changes)], [INDEX_PATH, formatIndex(index)]]);
}

describe.skipIf(!requires('browser'))('a service and an operation with new names', () => {
  const site = trendSite();

  it('have one chart over all runs, also by a link from before', async () => {
    const opened = await site.open(renamedHistory(), { hash: 'series=users/rest/GetUser/low/latencyP95Ms/ms' });
    const { page, complaints } = opened;
    const plot = page.locator('#plot');

    await page.getByRole('button', { name: 'All', exact: true }).click();
    await expect.poll(() => plot.getAttribute('aria-label')).toContain('Chart of web');
    await page.locator('#chart-table summary').click();
    await expect.poll(() => page.locator('#chart-table tbody tr').count()).toBe(150);
    expect(await page.locator('#chart-table tbody tr:last-child').textContent()).toMatch(/\d ms/);
    expect(await page.locator('#filter-service option').allTextContents()).not.toContain('rest');
    expect(complaints).toEqual([]);
  });
});
