import { expect, test } from 'vitest';
import { HistoryError } from '../../src/core/history-store/history-error.ts';
import { gitIn } from './git-repository.ts';
import { numberedRun, publishFrom, publishPerTest } from './publish-bench.ts';

const bench = publishPerTest();

const INDEX = 'performance/history/index.json';
const SEGMENT = 'performance/history/2026-11.jsonl';

const CASES: readonly (readonly [string, string, ((text: string) => string) | undefined, RegExp])[] = [
  ['a segment that was cut short', SEGMENT, (text: string) => text.slice(0, -20), /2026-11\.jsonl.*cut short/],
  ['a segment of a newer schema', SEGMENT, (text: string) => text.replaceAll('"schema":1', '"schema":2'), /schema 2/],
  ['a segment that is no JSON', SEGMENT, () => '<<<<<<< HEAD\n', /not JSON/],
  ['a segment that is gone', SEGMENT, undefined, /which is not there/],
  ['an index that was cut short', INDEX, (text: string) => text.slice(0, -5), /index\.json.*cut short/],
  ['an index that is gone', INDEX, undefined, /index\.json:1: is missing, though/],
  ['an index that is empty', INDEX, () => '', /index\.json/],
  ['an index of a newer schema', INDEX, (text: string) => text.replace('"schema":1', '"schema":9'), /schema 9/],
  ['change points that cannot be read', 'performance/history/changes.json', () => '[]\n', /changes\.json/],
];

test.each(CASES)('%s stops the publisher, and stays as it is', async (...damaged) => {
  const [, path, damage, words] = damaged;
  bench.seed('gh-pages');
  await publishFrom(bench, numberedRun(1));
  const text = damage?.(bench.text(path));
  await using store = await bench.open();
  await store.change(async () => [{ path: path.replace('performance/', ''), text }], 'Damage');
  const tip = gitIn(bench.remote, 'rev-parse', 'gh-pages');

  const thrown = await publishFrom(bench, numberedRun(2)).catch((error: unknown) => error);

  expect(thrown).toBeInstanceOf(HistoryError);
  expect(String(thrown)).toMatch(words);
  expect(gitIn(bench.remote, 'rev-parse', 'gh-pages')).toBe(tip);
});
