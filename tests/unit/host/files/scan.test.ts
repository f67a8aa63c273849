import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { scanRepository } from '../../../../src/host/files/scan.ts';

const root = mkdtempSync(join(tmpdir(), 'scan-'));
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('reads packages of Java that are called as folders that are left out', () => {
  const kept = 'src/main/java/com/example/shop/Prices.java';
  for (const path of [kept, 'example/java/Prices.java', 'src/test/java/com/example/Other.java']) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), 'class Prices {}');
  }

  expect(scanRepository(root).files.map(({ path }) => path)).toEqual([kept]);
});
