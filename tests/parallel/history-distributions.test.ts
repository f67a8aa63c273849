import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../src/commands/program/program.ts';
import { readIndex } from '../../src/history/store/index-file.ts';
import { publishDistributed, publishPerTest } from '../integration/publish-bench.ts';
import { catchPrinted } from '../support/printed.ts';

const bench = publishPerTest();

const PATH = 'history/2026-11.histograms.jsonl';
const INDEX = 'performance/history/index.json';

const printed = catchPrinted();
let before = '';

beforeEach(async () => {
  before = process.cwd();
  process.chdir(bench.scene.repository);
  await bench.begun(async () => {
    bench.seed('gh-pages');
    for (const number of [1, 2, 3]) {
      await publish(number);
    }
  });
});

afterEach(() => {
  process.chdir(before);
});

const publish = (number: number) => publishDistributed(bench, number);

async function history(...argv: readonly string[]): Promise<number> {
  printed.all = '';
  return await runCommandLine(['history', ...argv]);
}

/** The distributions on the branch become others. */
async function damage(change: (text: string) => string): Promise<void> {
  const text = change(bench.text(`performance/${PATH}`));
  await using store = await bench.open();
  await store.change(async () => [{ path: PATH, text }], 'Damage');
}

const counted = () => readIndex(bench.text(INDEX), INDEX).segments.map(({ distributions }) => distributions);

const withoutLastLine = (text: string) => text.replace(/[^\n]*\n$/, '');

const FIRST = 'run-2026-11-01T00-01-00-000Z';
const LAST = 'run-2026-11-01T00-03-00-000Z';

describe('distributions that lost their last line', () => {
  it.each([
    ['list', ['list']],
    ['list --suite', ['list', '--suite', 'users']],
    ['show', ['show', FIRST]],
    ['export', ['export', '--format', 'csv']],
  ])('are reported by `history %s`', async (_, argv) => {
    expect(counted()).toEqual([3]);
    expect(await history(...argv)).toBe(0);
    await damage(withoutLastLine);

    expect(await history(...argv)).toBe(2);

    expect(printed.all).toContain(`${PATH}:2: has distributions of 2 of the 3 runs that the index names`);
    expect(printed.all).toContain('wiregauge history repair --yes');
  });

  it('stop a publisher until `history repair` has said what is lost, and counted the rest', async () => {
    await damage(withoutLastLine);
    await expect(publish(4)).rejects.toThrow(/has distributions of 2 of the 3 runs/);

    expect(await history('repair')).toBe(0);
    expect(printed.all).toContain(`${PATH}: has distributions of 2 runs, but the index lists 3; none of ${LAST}\n`);
    expect(counted()).toEqual([3]);
    expect(await history('repair', '--yes')).toBe(0);

    expect(counted()).toEqual([2]);
    expect(await history('list')).toBe(0);
    expect((await publish(4)).outcome).toBe('written');
    expect(counted()).toEqual([3]);
  });
});

it('a line of distributions that was cut short goes with `history repair --yes`, and the others stay', async () => {
  const whole = bench.text(`performance/${PATH}`);
  await damage((text) => text.slice(0, -9));
  await expect(publish(4)).rejects.toThrow(/cut short/);

  expect(await history('repair')).toBe(0);
  expect(printed.all).toContain(`${PATH}: its last line was cut short, and would be deleted\n`);
  expect(await history('repair', '--yes')).toBe(0);

  expect(printed.all).toContain(`${PATH}: its last line was cut short, and is deleted\n`);
  expect(bench.text(`performance/${PATH}`)).toBe(withoutLastLine(whole));
  expect((await publish(4)).outcome).toBe('written');
  expect(await history('repair', '--json')).toBe(0);
  expect(JSON.parse(printed.all)).toMatchObject({ files: [], shorter: [], cut: [] });
});
