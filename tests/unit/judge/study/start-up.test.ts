import { describe, expect, test } from 'vitest';
import type { CellTable } from '../../../../src/judge/reading/cells.ts';
import { startUpOf } from '../../../../src/judge/study/versus.ts';
import type { Sample } from '../../../../src/model/run/sample.ts';

/** Start-up times in ms, by service and tier; undefined is a start whose time was not seen. */
function cellsOf(
  starts: Readonly<Record<string, Readonly<Record<string, readonly (number | undefined)[]>>>>,
): CellTable {
  return {
    at: ({ service, operation, tier }) => {
      const found = operation === 'all' ? starts[service]?.[tier] : undefined;
      const samples = found?.map((startUpMs) => ({ values: { startUpMs } }) as unknown as Sample);
      return (
        samples && {
          samples,
          figures: {},
          offeredRps: undefined,
          requests: 1,
          failures: [],
          droppedRequests: 0,
          marks: [],
        }
      );
    },
  };
}

const TIERS = ['low', 'saturation'];
const ASKED = { service: 'java', reference: 'go' };

describe('startUpOf', () => {
  test('takes the starts of all tiers, and has the interval of Welch for the ratio of their geometric means', () => {
    const cells = cellsOf({
      go: { low: [100], saturation: [110, 90] },
      java: { low: [2000, 1800], saturation: [2200] },
    });

    const found = startUpOf(ASKED, TIERS, cells);

    // By SciPy: ttest_ind of the logarithms with equal_var=False, and its confidence_interval.
    expect(found).toMatchObject({ medianMs: 2000, starts: 3 });
    expect(found?.times?.times).toBeCloseTo(20, 6);
    expect(found?.times?.low).toBeCloseTo(15.93, 2);
    expect(found?.times?.high).toBeCloseTo(25.11, 2);
  });

  test('has no multiple of the reference itself', () => {
    const cells = cellsOf({ go: { low: [100, 120] } });

    expect(startUpOf({ service: 'go', reference: 'go' }, TIERS, cells)).toEqual({
      medianMs: 110,
      starts: 2,
      times: undefined,
    });
  });

  test('has no interval of one start, nor of starts that do not scatter', () => {
    const once = cellsOf({ go: { low: [100] }, java: { low: [2000, 1900] } });
    const alike = cellsOf({ go: { low: [100, 100] }, java: { low: [2000, 2000] } });

    expect(startUpOf(ASKED, TIERS, once)?.times).toEqual({ times: expect.closeTo(19.49, 2) });
    expect(startUpOf(ASKED, TIERS, alike)?.times).toEqual({ times: expect.closeTo(20, 6) });
  });

  test('takes a time that is too short to be seen for a millisecond', () => {
    const cells = cellsOf({ go: { low: [0] }, java: { low: [50] } });

    expect(startUpOf(ASKED, TIERS, cells)?.times?.times).toBeCloseTo(50, 6);
  });

  test('knows nothing of a service that was not started, or was started elsewhere', () => {
    expect(startUpOf(ASKED, TIERS, cellsOf({ go: { low: [100] } }))).toBeUndefined();
    expect(startUpOf(ASKED, TIERS, cellsOf({ go: { low: [undefined] }, java: { low: [100] } }))).toBeUndefined();
  });
});
