import { expect, it } from 'vitest';
import { tilesOf } from '../../../../src/report/run/tiles.ts';
import { viewRun } from '../../../../src/report/views/run-view.ts';
import { sampleJudgment } from '../../../support/sample-run.ts';
import { sampleMainJob } from '../../../support/sample-versus.ts';

function tilesFor({ run, compared }: ReturnType<typeof sampleMainJob>) {
  return tilesOf(viewRun(run), compared).groups.map(({ tiles }) =>
    tiles.map(({ name, value, chips }) => [name, value, ...chips.map(({ text }) => text)]),
  );
}

it('come from the rounds, and agree with their ratio', () => {
  const job = sampleMainJob({ worse: [{ metric: 'cpuMicrosPerRequest', side: 'base', by: 1 }] });

  const [reference, other] = tilesFor(job);
  const [before, now] = [reference, other].map((tiles) => Number.parseFloat(tiles?.[1]?.[1] ?? ''));
  const times = Number.parseFloat(other?.[1]?.[2] ?? '');

  expect(other?.[1]?.[2]).toMatch(/^0\.\d{3} × REST$/);
  expect((now ?? 0) / (before ?? 1)).toBeCloseTo(times, 1);
});

it('say which figure is not from the rounds', () => {
  const [[, , p99] = []] = tilesFor(sampleMainJob());

  expect(p99?.slice(0, 1)).toEqual(['p99 at 500 users']);
  expect(p99?.slice(2)).toEqual(['single start']);
});

it('have the marks of their figures, with what these mean', () => {
  const { run } = sampleJudgment({ shapes: { 'rest/medium': { marks: ['disturbed'] } } });

  const chips = tilesOf(viewRun(run), undefined).groups[0]?.tiles.map((tile) => tile.chips);

  expect(chips?.map((own) => own.map(({ text }) => text))).toEqual([[], [], ['disturbed']]);
  expect(chips?.[2]?.[0]?.meaning).toMatch(/took over 10% of a core/);
});
