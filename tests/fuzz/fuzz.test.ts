import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { FUZZED } from './readers.ts';

/** `npm run fuzz` sets them. */
const { WIREGAUGE_FUZZ_SECONDS, WIREGAUGE_FUZZ_SEED } = process.env;

const seed = WIREGAUGE_FUZZ_SEED === undefined ? undefined : Number(WIREGAUGE_FUZZ_SEED);
const seconds = WIREGAUGE_FUZZ_SECONDS === undefined ? undefined : Number(WIREGAUGE_FUZZ_SECONDS);

/** Whatever hangs is told after this. */
const timeout = ((seconds ?? 0) + 60) * 1000;

describe('a document that was changed is read, or refused with a message:', () => {
  test.each(FUZZED)('$name', { timeout }, async ({ name, search }) => {
    const { cases, slowestMs } = await search({ seed, seconds });

    expect(cases).toBeGreaterThan(0);
    if (seconds !== undefined) {
      process.stdout.write(`${name}: ${cases} documents, the dearest took ${slowestMs.toFixed(0)} ms of CPU time\n`);
    }
  });
});

test('every folder of the corpus is that of a reader', () => {
  const [{ corpus } = { corpus: '' }] = FUZZED;
  const entries = readdirSync(dirname(corpus), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(dirname(corpus), name));

  expect(new Set(FUZZED.map((reader) => reader.corpus)).size).toBe(FUZZED.length);
  expect(folders.filter((folder) => !FUZZED.some((reader) => reader.corpus === folder))).toEqual([]);
});

test('every pull request fuzzes every reader for 20 s, within the time of the job', () => {
  const { on, jobs } = parse(readFileSync('.github/workflows/ci.yml', 'utf8'));
  const { steps, 'timeout-minutes': minutes } = jobs.fuzz;

  expect(on).toHaveProperty('pull_request');
  // Without a pattern, each.
  expect(steps.map(({ run }: { readonly run?: string }) => run)).toContain('npm run fuzz -- --seconds 20');
  expect(FUZZED.length * 20).toBeLessThan((minutes * 60) / 2);
});

test('both workflows fuzz every reader of the load driver, too', () => {
  const source = readFileSync('tools/load/cmd/wiregauge-load/fuzz_test.go', 'utf8');
  const targets = [...source.matchAll(/^func (Fuzz\w+)\(/gm)].map(([, name]) => name);
  const { jobs } = parse(readFileSync('.github/workflows/fuzz.yml', 'utf8'));
  const measured = readFileSync('.github/workflows/ci.yml', 'utf8').matchAll(/-fuzz '\^(\w+)\$' -fuzztime 20s/g);

  expect(jobs.driver.strategy.matrix.target).toEqual(targets);
  expect([...measured].map(([, name]) => name)).toEqual(targets);
});

test('every reader is one of a job in the workflow that fuzzes them for longer', () => {
  const { jobs } = parse(readFileSync('.github/workflows/fuzz.yml', 'utf8'));
  const patterns: readonly string[] = jobs.fuzz.strategy.matrix.reader;
  const readers = patterns.map((pattern) => FUZZED.filter(({ name }) => new RegExp(pattern).test(name)));

  expect(FUZZED.filter((reader) => !readers.flat().includes(reader)).map(({ name }) => name)).toEqual([]);
  // Ten minutes each fit into the time of a job.
  expect(readers.filter(({ length }) => length === 0 || length > 4)).toEqual([]);
});
