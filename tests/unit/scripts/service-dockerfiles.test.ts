import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const FILES = readdirSync('services')
  .map((name) => `services/${name}/Dockerfile`)
  .filter((file) => existsSync(file));

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
