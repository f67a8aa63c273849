import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { readTraffic } from '../../../../../src/commands/init/traffic/files.ts';
import { ifPossible } from '../../../../../src/foundation/errors.ts';

const folder = mkdtempSync(join(tmpdir(), 'traffic-'));
afterAll(() => rmSync(folder, { recursive: true }));

const LINES = Buffer.from('no request\n'.repeat(100_000));

test.each([
  ['of lines that are not requests', LINES],
  ['of a gzip file with such lines', gzipSync(LINES)],
  ['of a gzip file that is damaged', Buffer.concat([gzipSync(LINES).subarray(0, 60), LINES])],
])('a file %s is refused, and closed', async (_, content) => {
  const path = join(folder, 'access.log');
  writeFileSync(path, content);

  await expect(readTraffic([path], [])).rejects.toThrow(path);

  const opened = readdirSync('/proc/self/fd').map((fd) => ifPossible(() => readlinkSync(`/proc/self/fd/${fd}`)));
  expect(opened).not.toContain(path);
});
