import { describe, expect, it } from 'vitest';
import { gapEvents, gapTexts, isWithin, lacksNewer, lostSegments } from '../../../site/model/gaps.ts';
import { aRun, aSegment } from './runs.ts';

const SEPTEMBER = aSegment('2026-09-01', '2026-09-30', 4);
const OCTOBER = aSegment('2026-10-02', '2026-10-30');
const NOVEMBER = aSegment('2026-11-01', '2026-11-20', 1);
const RUNS = ['2026-09-10', '2026-09-20', '2026-11-05'].map((day) => aRun({ run: day, at: Date.parse(day) }));

describe('gaps of a history', () => {
  it('are the segments that a problem names, the oldest first, and no other file', () => {
    const index = { segments: [NOVEMBER, OCTOBER, SEPTEMBER] };
    const problems = ['history/2026-11.jsonl', 'history/changes.json', 'history/2026-09.jsonl'].map((file) => ({
      file,
    }));

    expect(lostSegments({ index, problems })).toEqual([SEPTEMBER, NOVEMBER]);
    expect(lostSegments({ index, problems: [] })).toEqual([]);
  });

  it('have as many runs as are lacking, and are none where only other text was lost', () => {
    const problems = [
      { file: 'history/2026-10.jsonl', lacking: 2 },
      { file: 'history/2026-09.jsonl', lacking: 0 },
    ];

    expect(lostSegments({ index: { segments: [SEPTEMBER, OCTOBER] }, problems })).toEqual([{ ...OCTOBER, runs: 2 }]);
  });

  it('hold the times from their first run to their last', () => {
    expect(isWithin([OCTOBER], '2026-10-02T00:00:00.000Z')).toBe(true);
    expect(isWithin([OCTOBER], '2026-10-30T00:00:00.001Z')).toBe(false);
    expect(lacksNewer([OCTOBER], Date.parse('2026-10-30'))).toBe(false);
    expect(lacksNewer([OCTOBER, NOVEMBER], Date.parse('2026-10-30'))).toBe(true);
  });

  it.each([
    [[], []],
    [[OCTOBER], ['Runs in between are missing, because they cannot be read (10 runs from 2026-10-02 to 2026-10-30).']],
    [
      [NOVEMBER],
      [
        'The newest runs cannot be read (1 run from 2026-11-01 to 2026-11-20): this chart ends on 2026-11-05, before them.',
      ],
    ],
  ])('are described for %j as %j', (lost, texts) => {
    expect(gapTexts(lost, RUNS)).toEqual(texts);
    expect(gapTexts(lost, [])).toEqual([]);
  });

  it('are marked before the run that follows, once, and nowhere before the first run', () => {
    const older = aSegment('2026-08-01', '2026-08-30');

    expect(gapEvents([older, OCTOBER, OCTOBER, NOVEMBER], RUNS).map(({ place }) => place)).toEqual([2, 3]);
  });
});
