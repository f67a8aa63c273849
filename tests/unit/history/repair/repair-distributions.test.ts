import { describe, expect, it } from 'vitest';
import { readIndex } from '../../../../src/history/store/index-file.ts';
import { INDEX_PATH } from '../../../../src/history/store/segments.ts';
import { distributionsOf, type Files, historyOf, repaired, STEPPED } from '../repairs.ts';

describe('distributions next to a repaired segment', () => {
  const PATH = 'history/2026-02.histograms.jsonl';

  /** Two runs of February have some, and the index counts them. */
  async function distributed(): Promise<Files> {
    const files = await historyOf(STEPPED);
    files.set(PATH, distributionsOf('run-47', 'run-48'));
    await repaired(files);
    return files;
  }

  const rowIn = (files: Files) => readIndex(files.get(INDEX_PATH) ?? '', INDEX_PATH).segments.at(-1);

  it('are recounted, and it says how many runs lost theirs, and which have none', async () => {
    const files = await distributed();
    expect(rowIn(files)).toMatchObject({ distributions: 2 });
    files.set(PATH, distributionsOf('run-47'));

    const { shorter, changes } = await repaired(files);

    expect(shorter).toMatchObject([{ now: { distributions: 1 }, before: { distributions: 2 } }]);
    expect(shorter[0]?.undistributed).toContain('run-48');
    expect(shorter[0]?.undistributed).not.toContain('run-47');
    expect(changes.map(({ path }) => path)).toEqual([INDEX_PATH]);
    expect(rowIn(files)).toMatchObject({ distributions: 1 });
    expect((await repaired(files)).changes).toEqual([]);
  });

  it.each([
    ['a line', (text: string) => `${text.slice(0, -9)}`, distributionsOf('run-47'), { distributions: 1 }],
    ['all of them', (text: string) => text.slice(0, 20), undefined, {}],
  ])('lose %s that was cut short, and nothing else', async (...[, damage, rest, row]) => {
    const files = await distributed();
    files.set(PATH, damage(files.get(PATH) ?? ''));

    const { changes, cut } = await repaired(files);

    expect(cut).toEqual([PATH]);
    expect(changes).toMatchObject([{ path: PATH, text: rest }, { path: INDEX_PATH }]);
    expect(rowIn(files)).toMatchObject(row);
    expect(rowIn(files)?.distributions).toBe((row as { distributions?: number }).distributions);
  });

  it('of which some line cannot be read are named, together with segments that cannot be, and stay', async () => {
    const files = await distributed();
    files.set(PATH, `<<<<<<<\n${files.get(PATH)}`);
    files.set('history/2026-01.jsonl', '<<<<<<<\n');

    await expect(repaired(files)).rejects.toThrow(
      /2026-01\.jsonl:1: is not JSON; .*2026-02\.histograms\.jsonl:1: is not JSON/,
    );
  });
});
