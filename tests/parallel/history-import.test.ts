import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { runCommandLine } from '../../src/commands/program/program.ts';
import { contents } from '../integration/git-repository.ts';
import { catchPrinted } from '../support/printed.ts';

let root = '';
const printed = catchPrinted();
const history = (...argv: readonly string[]) =>
  runCommandLine(['history', ...argv, '--folder', join(root, 'performance')]);
const file = (name: string, text: string): string => {
  const path = join(root, name);
  writeFileSync(path, text);
  return path;
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'wiregauge-history-'));
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

it('imports none of its own runs from a data.js that it exported, for any origin', async () => {
  const csv = file('own.csv', 'at,suite,commit,metric,value\n2026-11-20T10:00:00Z,users,abc,achievedRps,4620\n');
  expect(await history('import', csv, '--format', 'csv')).toBe(0);
  const figures = file('figures.json', JSON.stringify([{ name: 'p95', unit: 'ms', value: 12.5 }]));
  expect(await history('import', figures, '--format', 'custom-smaller', '--at', '2026-11-21')).toBe(0);
  const before = contents(join(root, 'performance'));
  const out = join(root, 'data.js');

  expect(await history('export', '--format', 'github-action-benchmark', '--out', out)).toBe(0);
  expect(await history('import', out, '--format', 'github-action-benchmark')).toBe(0);

  expect(readFileSync(out, 'utf8')).toContain('users (higher is better)');
  expect(contents(join(root, 'performance'))).toEqual(before);
});

it.each([
  ['one', [1], '1 run'],
  ['two', [1, 2], '2 runs'],
])('says of %s what became of it', async (...[, days, runs]) => {
  const rows = days.map((day) => `2026-11-0${day}T10:00:00Z,users,achievedRps,4620\n`).join('');
  const csv = file('own.csv', `at,suite,metric,value\n${rows}`);

  expect(await history('import', csv, '--format', 'csv')).toBe(0);
  expect(printed.all).toContain(`imported ${runs} from ${csv}\n`);
  expect(await history('import', csv, '--format', 'csv')).toBe(0);
  expect(printed.all).toContain(`already has the ${runs} of ${csv}; nothing was written\n`);
});

it.each([
  ['json', '{"schema":1,"runs":[{}', /cut short/, 'Fix the file, or export it again. Nothing was written.'],
  ['json', '{"schema":1,"runs":[{}]}', /export\.txt:2: /, 'Fix the file, or export it again. Nothing was written.'],
  ['json', '{"schema":2,"runs":[]}', /schema 2/, 'Use the version of Wiregauge that wrote it'],
  ['github-action-benchmark', 'alert(1)', /starts with neither/, 'Fix the file, or export it again.'],
  ['custom-smaller', '[{"name":1}]', /no name/, 'Fix the file, or export it again.'],
  ['csv', 'at,suite\n', /lacks the column/, 'The columns: https://wiregauge.github.io/wiregauge/docs/history.html'],
])('reports a fix for an unreadable file in %s: %s', async (...[format, text, words, next]) => {
  expect(await history('import', file('export.txt', text), '--format', format)).toBe(2);

  expect(printed.all).toMatch(words);
  expect(printed.all).toContain(next);
  expect(printed.all).not.toContain('its branch');
});

it('says after thinning a folder that the deleted runs may be gone for good', async () => {
  const rows = Array.from(
    { length: 20 },
    (_, hour) => `2025-11-01T${String(hour).padStart(2, '0')}:00:00Z,users,achievedRps,4620\n`,
  );
  await history('import', file('own.csv', `at,suite,metric,value\n${rows.join('')}`), '--format', 'csv');

  expect(await history('thin', '--keep', '30d', '--yes')).toBe(0);

  expect(printed.all).toMatch(/: 19 runs deleted; only a copy or the folder's own version control still has them\n$/);
});
