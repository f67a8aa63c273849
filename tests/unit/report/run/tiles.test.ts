import { expect, it } from 'vitest';
import { tilesOf } from '../../../../src/report/run/tiles.ts';
import { viewRun } from '../../../../src/report/views/run-view.ts';
import { type SampleRunOptions, sampleJudgment } from '../../../support/sample-run.ts';
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

it('are multiples of the same tile of the reference, also with several services', () => {
  const services = ['grpc', 'rest-development'] as const;

  const [reference, ...others] = tilesFor(sampleMainJob({ services }, { services: ['rest', ...services] }));
  const cpuOf = (tiles: typeof reference) => Number.parseFloat(tiles?.[1]?.[1] ?? '');

  expect(others).toHaveLength(2);
  for (const tiles of others) {
    const times = Number.parseFloat(tiles[1]?.[2] ?? '');
    expect(cpuOf(tiles) / (times * cpuOf(reference))).toBeCloseTo(1, 2);
  }
});

it('say which figure is not from the rounds', () => {
  const [[, , p99] = []] = tilesFor(sampleMainJob());

  expect(p99?.slice(0, 1)).toEqual(['p99 at 500 users']);
  expect(p99?.slice(2)).toEqual(['single start']);
});

it('have the marks of their figures, with what these mean, and those of all next to the service', () => {
  const marked = { marks: ['disturbed'] } as const;
  const chipsWith = (shapes: NonNullable<SampleRunOptions['shapes']>) => {
    const [first] = tilesOf(viewRun(sampleJudgment({ shapes }).run), undefined).groups;
    return [first?.chips, ...(first?.tiles.map(({ chips }) => chips) ?? [])];
  };
  const textsWith = (shapes: NonNullable<SampleRunOptions['shapes']>) =>
    chipsWith(shapes).map((chips) => chips?.map(({ text }) => text));

  expect(textsWith({ 'rest/medium': marked })).toEqual([[], [], [], ['disturbed']]);
  expect(chipsWith({ 'rest/medium': marked })[3]?.[0]?.meaning).toMatch(/took over 10% of a core/);
  expect(textsWith({ 'rest/medium': marked, 'rest/saturation': marked })).toEqual([['disturbed'], [], [], []]);
});
