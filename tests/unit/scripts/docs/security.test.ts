import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('every test that the threat model names is there, and each stage has one', () => {
  const text = readFileSync('SECURITY.md', 'utf8');
  const named = [...text.matchAll(/`(tests\/[\w/-]+\.test\.ts)`/g)].map(([, file = '']) => file);
  const rows = text
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| stage') && !line.startsWith('| ---'));

  expect(named.filter((file) => !existsSync(file))).toEqual([]);
  expect(rows.length).toBeGreaterThanOrEqual(9);
  expect(rows.filter((row) => !row.includes('.test.ts'))).toEqual([]);
});
