import { expect, it } from 'vitest';
import { publishRun, runsAdded } from '../../../src/history/publish.ts';
import type { HistoryStore } from '../../../src/history/reader.ts';
import { historyEntries } from '../../../src/history/reader.ts';
import { repairedHistory } from '../../../src/history/repair/repair.ts';
import { thinnedHistory } from '../../../src/history/repair/thin.ts';
import type { FileChange } from '../../../src/history/store/changes.ts';
import type { HistoryEntry } from '../../../src/history/store/entry.ts';
import { readIndex } from '../../../src/history/store/index-file.ts';
import { INDEX_PATH } from '../../../src/history/store/segments.ts';
import { sampleEntries, sampleEntry } from '../../support/sample-history.ts';

const ABOUT = { wiregauge: '0.1.0', repository: 'https://github.com/one/service', branch: 'main' };

/** A history in memory. */
function memory(): HistoryStore {
  const files = new Map<string, string>();
  const read = async (path: string) => files.get(path);
  const list = async (folder: string) =>
    [...files.keys()].filter((path) => path.startsWith(`${folder}/`)).map((path) => path.slice(folder.length + 1));
  const change: HistoryStore['change'] = async (apply) => {
    for (const { path, text } of await apply({ read, list })) {
      if (text === undefined) {
        files.delete(path);
      } else {
        files.set(path, text);
      }
    }
    return { outcome: 'written', attempts: 1 };
  };
  return { name: 'memory', read, list, change };
}

const HISTOGRAMS = { 'rest/all/low': 'AAAA' };

const publish = async (store: HistoryStore, entry: HistoryEntry) =>
  await publishRun(store, { addition: { entry, histograms: HISTOGRAMS }, about: ABOUT, page: [] }, 'publish');

const at = (day: string, change: Partial<HistoryEntry> = {}) =>
  sampleEntry({
    run: `run-${day}-${change.suite ?? ''}-${change.branch ?? ''}`,
    at: `${day}T00:00:00.000Z`,
    ...change,
  });

type Step = (store: HistoryStore) => Promise<unknown>;

const published =
  (entry: HistoryEntry): Step =>
  async (store) =>
    await publish(store, entry);

const imported =
  (entries: readonly HistoryEntry[]): Step =>
  async (store) => {
    const additions = entries.map((entry) => ({ entry, ...(entry.kind !== 'import' && { histograms: HISTOGRAMS }) }));
    return await store.change(
      ({ read }): Promise<readonly FileChange[]> => runsAdded(read, additions, ABOUT),
      'import',
    );
  };

const thinned: Step = async (store) =>
  await store.change(
    async ({ read }) => (await thinnedHistory(read, { days: 10, today: '2026-06-01T00:00:00.000Z' })).changes,
    'thin',
  );

const CASES: readonly (readonly [string, readonly Step[]])[] = [
  ['one run', []],
  ['a run that is published late', [published(at('2026-01-05'))]],
  ['a late run of another month', [published(at('2025-12-05'))]],
  ['a run of another branch', [published(at('2026-02-01', { branch: 'topic' }))]],
  ['a run whose branch nobody knows', [published(at('2026-01-07', { branch: undefined } as object))]],
  [
    'a late run of one suite after a month of another',
    [published(at('2026-03-01', { suite: 'orders' })), published(at('2026-01-02'))],
  ],
  ['imported runs after it', [imported([at('2026-04-01', { suite: 'Rust', kind: 'import' })])]],
  [
    'imported runs of its suite, and a run of a day before',
    [imported([at('2026-04-01', { kind: 'import' })]), published(at('2026-03-01'))],
  ],
  ['only imported runs', [imported(sampleEntries([1, 2, 3]).map((entry) => ({ ...entry, kind: 'import' })))]],
  [
    'many runs that were thinned',
    [imported(sampleEntries(Array.from({ length: 60 }, (_, place) => 100 + (place % 7)))), thinned],
  ],
  [
    'a change point',
    sampleEntries(Array.from({ length: 40 }, (_, place) => (place < 20 ? 100 : 140) + (place % 7))).map(published),
  ],
];

it.each(CASES)('repair has nothing to do for a history with %s', async (_, steps) => {
  const store = memory();
  await publish(store, at('2026-01-10'));
  for (const step of steps) {
    await step(store);
  }

  const { changes } = await repairedHistory(store, {
    about: { wiregauge: '0.1.0' },
    otherwise: {},
    findsChanges: false,
  });

  expect(changes.map(({ path }) => path)).toEqual([]);
});

it('a history can be read and added to wherever a folder is left while it is thinned', async () => {
  const entries = sampleEntries(Array.from({ length: 60 }, (_, place) => 100 + (place % 7)));
  const rule = { days: 10, today: '2026-06-01T00:00:00.000Z' };
  const { changes } = await thinnedHistory((await historyWith(entries)).read, rule);
  expect(changes.length).toBeGreaterThan(2);

  for (const written of changes.keys()) {
    const store = await historyWith(entries);
    await store.change(async () => changes.slice(0, written), 'killed');

    await publish(store, at('2026-05-01'));

    const { segments } = readIndex((await store.read(INDEX_PATH)) ?? '', INDEX_PATH);
    expect((await historyEntries(store.read, segments)).map(({ run }) => run)).toContain('run-2026-05-01--');
    const rest = (await thinnedHistory(store.read, rule)).changes;
    await store.change(async () => rest, 'thin');
    expect((await thinnedHistory(store.read, rule)).changes).toEqual([]);
  }
});

async function historyWith(entries: readonly HistoryEntry[]): Promise<HistoryStore> {
  const store = memory();
  await imported(entries)(store);
  return store;
}

it('a run has its distributions, too, once it is added again wherever a folder was left while it was added', async () => {
  const entry = at('2026-01-20');
  const addition = { entry, histograms: HISTOGRAMS };
  const changes = await runsAdded((await historyWith(sampleEntries([1, 2]))).read, [addition], ABOUT);
  expect(changes.length).toBeGreaterThan(2);

  for (const written of changes.keys()) {
    const store = await historyWith(sampleEntries([1, 2]));
    await store.change(async () => changes.slice(0, written), 'killed');

    await publish(store, entry);

    const files = ['history/2026-01.jsonl', 'history/2026-01.histograms.jsonl'];
    const texts = await Promise.all(files.map((path) => store.read(path)));
    expect(texts.map((text) => text?.split(`"run":"${entry.run}"`).length)).toEqual([2, 2]);
  }
});
