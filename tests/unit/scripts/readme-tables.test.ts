import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { withTables } from '../../../scripts/readme-tables.ts';
import { INPUTS } from '../../../src/commands/action-command.ts';

const action = readFileSync('action.yml', 'utf8');
const readme = readFileSync('README.md', 'utf8');

test('the tables of the README are those of action.yml: `npm run readme` writes them', () => {
  expect(withTables(readme, action)).toBe(readme);
  expect(readme).toMatch(/^\| `budget` +\| /m);
  expect(readme).toMatch(/^\| `regressions` +\| /m);
});

test('the program knows the inputs of action.yml and no others', () => {
  expect(Object.keys(parse(action).inputs).sort()).toEqual([...INPUTS].sort());
});

test('a table stands between its marks, whatever stood there', () => {
  const marks = (between: string) => `a\n<!-- action.yml: outputs (x) -->\n${between}<!-- end -->\nb`;
  const filled = withTables(marks('\nold\n'), action);
  expect(filled).not.toContain('old');
  expect(withTables(filled, action)).toBe(filled);
  expect(() => withTables(marks('\n'), 'inputs: 3')).toThrow();
});
