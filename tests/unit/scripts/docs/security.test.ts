import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const TEXT = readFileSync('SECURITY.md', 'utf8');

/** The cells of each row of the table that begins with this heading. */
function rowsOf(heading: string): readonly (readonly string[])[] {
  const lines = TEXT.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${heading}`));
  const end = lines.findIndex((line, place) => place > start && !line.startsWith('|'));
  return lines.slice(start + 2, end).map((line) => line.split('|').map((cell) => cell.trim()));
}

test('every test that the threat model names is there', () => {
  const named = [...TEXT.matchAll(/`(tests\/[\w/-]+\.test\.ts)`/g)].map(([, file = '']) => file);

  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((file) => !existsSync(file))).toEqual([]);
});

test('every sentence of what holds at a stage names the test that runs the attack', () => {
  const sentences = rowsOf('stage').flatMap((cells) => cells[4]?.split(/(?<=\.)\s+(?=[A-Z])/) ?? ['no cell']);

  expect(rowsOf('stage').length).toBeGreaterThanOrEqual(9);
  expect(sentences.filter((sentence) => !/\.test\.ts`/.test(sentence))).toEqual([]);
});

test('what plain processes do not isolate is next to what containers do', () => {
  const rows = rowsOf('what code of a pull request has of');

  expect(rows.map((cells) => cells.length)).toEqual(rows.map(() => 5));
  expect(rows.filter(([, , , plain = '']) => plain === '')).toEqual([]);
  expect(rows.length).toBeGreaterThanOrEqual(5);
});
