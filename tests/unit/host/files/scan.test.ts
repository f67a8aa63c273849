import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { MAX_MIGRATIONS, scanRepository } from '../../../../src/host/files/scan.ts';

const root = mkdtempSync(join(tmpdir(), 'scan-'));
afterEach(() => rmSync(root, { recursive: true, force: true }));

test.each([
  'Dockerfile.app',
  'mail.Dockerfile',
  'src/main/java/com/example/shop/Prices.java',
  'src/main/java/com/test/a/b/c/d/e/f/Prices.java',
  'cmd/example/main.go',
])('reads packages and programs that are called as folders that are left out: %s', (kept) => {
  for (const path of [
    kept,
    'example/java/Prices.java',
    'example/cmd/main.go',
    'src/test/java/com/example/Other.java',
  ]) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), 'class Prices {}');
  }

  expect(scanRepository(root).files.map(({ path }) => path)).toEqual([kept]);
});

test('reads YAML files with routes of Symfony, and sources in Elixir', () => {
  const kept = ['config/routes.yaml', 'mix.exs', 'config/routes/shop.yaml', 'lib/shop_web/router.ex'];
  for (const path of [...kept, 'config/services.yaml', '_build/dev/router.ex', 'config/runtime.exs']) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), 'a: 1');
  }

  expect(
    scanRepository(root)
      .files.map(({ path }) => path)
      .toSorted(),
  ).toEqual(kept.toSorted());
});

test('reads nothing of a folder of builds but how an image is made', () => {
  for (const path of ['build/package/Dockerfile', 'build/main.js', 'build/package.json', 'cmd/build/main.go']) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), 'FROM scratch');
  }

  expect(scanRepository(root).files.map(({ path }) => path)).toEqual(['build/package/Dockerfile', 'cmd/build/main.go']);
});

test('reads the beginning of lock files that show which tool wrote them, and never values', () => {
  mkdirSync(root, { recursive: true });
  const lock = `# yarn lockfile v1\n${'x'.repeat(2 ** 21)}`;
  for (const [path, text] of Object.entries({ 'yarn.lock': lock, '.env': 'TOKEN=secret', '.env.example': 'TOKEN=' })) {
    writeFileSync(join(root, path), text);
  }
  const { files, unread } = scanRepository(root);
  const texts = new Map(files.map(({ path, text }) => [path, text]));

  expect(texts.get('yarn.lock')).toBe(lock.slice(0, 300));
  expect(texts.get('.env')).toBe('');
  expect(texts.get('.env.example')).toBe('TOKEN=');
  expect(scanRepository(root, ['.env']).files).toContainEqual({ path: '.env', text: 'TOKEN=secret' });
  expect(unread).toEqual([]);
});

test('reads the names of migrations, of which no number leaves anything else out', () => {
  mkdirSync(join(root, 'a'), { recursive: true });
  mkdirSync(join(root, 'b'));
  for (let at = 0; at <= MAX_MIGRATIONS; at += 1) {
    writeFileSync(join(root, 'a', `${at}.up.sql`), 'x');
  }
  writeFileSync(join(root, 'b', 'go.mod'), 'module b');
  mkdirSync(join(root, '0'));
  writeFileSync(join(root, '0', 'up.sql'), 'x');
  const { files } = scanRepository(root);

  expect(files).toHaveLength(MAX_MIGRATIONS + 1);
  expect(files[0]).toEqual({ path: 'b/go.mod', text: 'module b' });
  expect(files[1]).toEqual({ path: '0/up.sql', text: '' });
  expect(files[2]).toEqual({ path: 'a/0.up.sql', text: '' });
});
