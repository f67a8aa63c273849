import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAX_ARTIFACT_BYTES } from '../../src/github/host/artifacts.ts';
import { formatRun } from '../../src/model/run/run.ts';
import { sampleRun } from '../support/sample-run.ts';
import { zipOf } from '../support/zip.ts';

/** Less than Node.js takes by itself on the smallest runners of GitHub. */
const HEAP_MIB = 1536;

let folder: string;
let reader: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hostile-artifact-'));
  reader = join(folder, 'read-artifact.mjs');
  // Once for all: to compile it at each start takes longer than to read most of these files.
  await build({
    entryPoints: [join(import.meta.dirname, 'read-artifact.ts')],
    outfile: reader,
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'warning',
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a program with little memory makes of a run.json in an artifact. */
async function readIn(text: string): Promise<string> {
  const file = join(folder, 'artifact.zip');
  writeFileSync(file, zipOf([{ name: 'run.json', text }]));
  const argv = [`--max-old-space-size=${HEAP_MIB}`, reader, file];
  return (await promisify(execFile)(process.execPath, argv)).stdout;
}

/** A text as long as an artifact may be, with many of a part in its middle. */
function filled(before: string, part: string, behind: string): string {
  const room = MAX_ARTIFACT_BYTES - before.length - behind.length - 10;
  return `${before}${part.repeat(Math.floor(room / part.length))}${behind}`;
}

/** The same with as many values as a file may have. */
const crowded = (before: string, part: string, behind: string): string => `${before}${part.repeat(1_600_000)}${behind}`;

const HEAD = '{"schema":2,';

describe('an artifact of a stranger does not take all the memory of the job that reads it', () => {
  test.each([
    ['maps', filled(`${HEAD}"samples":[`, '{},', '{}]}'), /^refused: run\.json: has \d+ values; the limit is 5000000$/],
    ['lists within lists', '['.repeat(MAX_ARTIFACT_BYTES), /^refused: run\.json: has \d+ values/],
    ['one text', filled(`${HEAD}"wiregauge":"`, 'x', '"}'), /^refused: run\.json: wiregauge: /],
    ['blanks', filled(HEAD, ' ', '"x":0}'), /^refused: run\.json: wiregauge: /],
    [
      'samples that are none',
      crowded(`${HEAD}"samples":[`, '{},', '{}]}'),
      /^refused: run\.json: has 1600001 items in a list/,
    ],
    ['deep lists', crowded(HEAD, '"x":[{', ''), /^refused: run\.json: is not valid JSON, or is truncated/],
    ['a name as a key', crowded(`${HEAD}"tools":{`, '"k":"1",', '"k":"1"}}'), /^refused: run\.json: wiregauge: /],
  ])('with %s', async (_what, text, words) => {
    expect(await readIn(text)).toMatch(words);
  });

  test('with samples that do not fit, as many as there may be', async () => {
    const sample = JSON.stringify({
      ...sampleRun().samples[0],
      requests: -1,
      failures: Array.from({ length: 10 }, () => 0),
    });
    const text = formatRun(sampleRun()).replace('"samples":[', `"samples":[${`${sample},`.repeat(20_000)}`);

    expect(await readIn(text)).toMatch(/^refused: run\.json: samples\.0\.requests: /);
  });

  test('and one as large as a real one is read', async () => {
    const one = sampleRun();
    const rounds = Array.from({ length: 100 }, (_, index) => index + 1);
    const run = { ...one, samples: rounds.flatMap((round) => one.samples.map((sample) => ({ ...sample, round }))) };

    expect(await readIn(formatRun(run))).toBe(`read: ${run.samples.length} samples`);
  });
});
