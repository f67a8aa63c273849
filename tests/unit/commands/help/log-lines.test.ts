import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { topicsOf } from '../../../../src/commands/help/topics.ts';

const GAP = /\s*…[:,.]?\s*|: …/;

/** Source of the program, with a gap for each value that a template inserts. */
const SOURCE = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(`src/${file}`, 'utf8'))
  .join('\n')
  .replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, ' … ');

const LINES = topicsOf('message').filter(({ from }) => from.endsWith('#lines-of-the-log'));

test.each(LINES.map(({ name }) => [name] as const))('the program can print the explained line "%s"', (line) => {
  const parts = line.split(GAP).filter((part) => part.length > 5);
  expect(parts.filter((part) => !SOURCE.includes(part))).toEqual([]);
});

test('the lines of the log are explained', () => {
  expect(LINES.length).toBeGreaterThan(10);
});
