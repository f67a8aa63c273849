import { beforeEach, expect, test } from 'vitest';
import { HistoryError } from '../../src/history/store/fields.ts';
import { gitIn } from '../integration/git-repository.ts';
import { publishDistributed, publishPerTest } from '../integration/publish-bench.ts';

const bench = publishPerTest();

beforeEach(async () => {
  await bench.begun(async () => {
    bench.seed('gh-pages');
    await publishDistributed(bench, 1);
  });
});

const INDEX = 'performance/history/index.json';
const SEGMENT = 'performance/history/2026-11.jsonl';
const DISTRIBUTIONS = 'performance/history/2026-11.histograms.jsonl';

const [GOOD, NEWER, REPAIR] = [/last good version/, /version of Wiregauge that wrote it/, /`wiregauge history repair`/];

const CASES: readonly (readonly [string, string, ((text: string) => string) | undefined, RegExp, RegExp])[] = [
  ['a segment that was cut short', SEGMENT, (text: string) => text.slice(0, -20), /2026-11\.jsonl.*cut short/, GOOD],
  [
    'a segment of a newer schema',
    SEGMENT,
    (text: string) => text.replaceAll('"schema":1', '"schema":2'),
    /schema 2/,
    NEWER,
  ],
  ['a segment that is no JSON', SEGMENT, () => '<<<<<<< HEAD\n', /not JSON/, GOOD],
  [
    'a segment that lost its last line',
    SEGMENT,
    (text: string) => text.replace(/[^\n]*\n$/, ''),
    /2026-11\.jsonl:1: has 0 of the 1 run that the index names.*cut short/,
    /git log.*`wiregauge history repair --yes`/,
  ],
  [
    'distributions that lost their last line',
    DISTRIBUTIONS,
    (text: string) => text.replace(/[^\n]*\n$/, ''),
    /histograms\.jsonl:1: has distributions of 0 of the 1 run that the index names.*cut short/,
    /git log.*`wiregauge history repair --yes`/,
  ],
  [
    'distributions that are gone',
    DISTRIBUTIONS,
    undefined,
    /histograms\.jsonl:1: is missing, and the index names distributions of 1 run/,
    /git log.*`wiregauge history repair --yes`/,
  ],
  ['a segment that is gone', SEGMENT, undefined, /which is missing/, REPAIR],
  ['an index that was cut short', INDEX, (text: string) => text.slice(0, -5), /index\.json.*cut short/, REPAIR],
  ['an index that is gone', INDEX, undefined, /index\.json:1: is missing, though/, REPAIR],
  ['an index that is empty', INDEX, () => '', /index\.json/, REPAIR],
  ['an index of a newer schema', INDEX, (text: string) => text.replace('"schema":1', '"schema":9'), /schema 9/, NEWER],
  ['change points that cannot be read', 'performance/history/changes.json', () => '[]\n', /changes\.json/, REPAIR],
];

test.each(CASES)('%s stops the publisher, and stays as it is', async (...damaged) => {
  const [, path, damage, words, next] = damaged;
  const text = damage?.(bench.text(path));
  await using store = await bench.open();
  await store.change(async () => [{ path: path.replace('performance/', ''), text }], 'Damage');
  const tip = gitIn(bench.remote, 'rev-parse', 'gh-pages');

  const thrown = await publishDistributed(bench, 2).catch((error: unknown) => error);

  expect(thrown).toBeInstanceOf(HistoryError);
  expect(String(thrown)).toMatch(words);
  expect((thrown as HistoryError).next).toMatch(next);
  expect(gitIn(bench.remote, 'rev-parse', 'gh-pages')).toBe(tip);
});

test('segments without an index and change points stop the publisher, which would name none of them', async () => {
  await using store = await bench.open();
  const gone = ['history/index.json', 'history/changes.json'].map((path) => ({ path, text: undefined }));
  await store.change(async () => gone, 'Damage');
  const tip = gitIn(bench.remote, 'rev-parse', 'gh-pages');

  await expect(publishDistributed(bench, 2)).rejects.toThrow(/is missing, though history\/2026-11\.jsonl is there/);

  expect(gitIn(bench.remote, 'rev-parse', 'gh-pages')).toBe(tip);
});
