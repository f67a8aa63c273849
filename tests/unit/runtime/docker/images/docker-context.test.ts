import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { contextFiles } from '../../../../../src/runtime/docker/images/build.ts';

let context = '';

beforeEach(() => {
  context = mkdtempSync(join(tmpdir(), 'context-test-'));
});

afterEach(() => rmSync(context, { recursive: true }));

test.each([
  ['node_modules', 'node_modules/zod/index.js', true],
  ['node_modules', 'services/node_modules/zod/index.js', false],
  ['**/node_modules', 'services/node_modules/zod/index.js', true],
  ['/dist/', 'dist/cli.js', true],
  ['*.md', 'README.md', true],
  ['*.md', 'docs/README.md', false],
  ['**/*.md', 'docs/README.md', true],
  ['docs/**', 'docs/adr/0001.md', true],
  ['a.c', 'abc', false],
  ['file?', 'file1', true],
  ['file[12]', 'file2', true],
  ['# a comment', '# a comment', false],
  ['Docs', 'docs/adr/0001.md', false],
  ['*\n!proto', 'proto/user/v1/user.proto', false],
  ['*\n!proto', 'protocol.txt', true],
  ['*\n!proto\nproto/**/*.bak', 'proto/user/v1/user.proto.bak', true],
  ['!kept\nkept', 'kept', true],
])('with the rules %j, whether %j is left out is %j', (rules, path, expected) => {
  write({ '.dockerignore': rules, [path]: '' });

  expect(!contextFiles(context, 'Dockerfile').includes(path)).toBe(expected);
});

test('lists the files that an allow-list keeps, and always the Dockerfile and .dockerignore', () => {
  write({
    '.dockerignore': '*\n!services\n**/*.pyc\n',
    Dockerfile: '',
    'README.md': '',
    'services/rest/app.py': '',
    'services/rest/app.pyc': '',
    'node_modules/zod/index.js': '',
  });

  expect(contextFiles(context, 'Dockerfile')).toEqual(['.dockerignore', 'Dockerfile', 'services/rest/app.py']);
});

test('finds a Dockerfile and kept files below folders that are left out', () => {
  write({
    '.dockerignore': '*\n!data/in/kept.txt\n',
    'build/docker/Dockerfile': '',
    'build/other': '',
    'data/in/kept.txt': '',
    'data/in/other.txt': '',
  });

  expect(contextFiles(context, 'build/docker/Dockerfile')).toEqual([
    '.dockerignore',
    'build/docker/Dockerfile',
    'data/in/kept.txt',
  ]);
});

test('lists everything where there is no .dockerignore', () => {
  write({ Dockerfile: '', 'a/b/c': '' });

  expect(contextFiles(context, 'Dockerfile')).toEqual(['Dockerfile', 'a/b/c']);
});

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(context, path)), { recursive: true });
    writeFileSync(join(context, path), text);
  }
}
