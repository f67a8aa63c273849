import { describe, expect, test } from 'vitest';
import { PLAIN } from '../../../../src/report/render/lines.ts';
import { historyList, historyRun } from '../../../../src/report/stored/history.ts';
import { sampleEntry } from '../../../support/sample-history.ts';

const linesOf = (text: string) => text.trimEnd().split('\n');

describe('the runs of a history', () => {
  test('have a line each, without a width', () => {
    const [heads, ...runs] = linesOf(
      historyList([sampleEntry(), sampleEntry({ run: 'b' })], { ...PLAIN, columns: Number.POSITIVE_INFINITY }),
    );

    expect(heads).toMatch(/^run +measured \(UTC\) +suite .* subject$/);
    expect(runs.map((line) => line.split(' ')[0])).toEqual(['4f0c1d7a9be2', 'b']);
  });

  test('are short lists in a narrow terminal', () => {
    expect(linesOf(historyList([sampleEntry()], { ...PLAIN, columns: 80 })).slice(0, 3)).toEqual([
      '4f0c1d7a9be2',
      '  measured (UTC): 2026-11-21 10:00',
      '  suite: users',
    ]);
  });
});

test('a run of a history has its facts and its figures, and no heading without changes', () => {
  const text = historyRun(sampleEntry(), [], PLAIN);

  expect(text).toContain('run: 4f0c1d7a9be2\n');
  expect(text).toMatch(/^cell +metric +median +spread +verdict\n.* ± 2\.1% /m);
  expect(text).not.toContain('Changes');
});
