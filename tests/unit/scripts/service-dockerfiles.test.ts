import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const FILES = readdirSync('services', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('/Dockerfile') && !file.includes('node_modules'))
  .map((file) => `services/${file}`);

// Their images are not built in each run of the tests.
describe.each(FILES)('%s', (file) => {
  test('copies files that are there', () => {
    const text = readFileSync(file, 'utf8');
    const sources = [...text.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = '']) => paths.split(' '));
    const named = sources.filter((path) => !/[*$]/.test(path));

    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
  });
});
