import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  fittingFiles,
  MAX_ARTIFACT_BYTES,
  MAX_ARTIFACT_FILES,
  type ResultFile,
} from '../../../../src/github/host/artifacts.ts';

const file = (path: string, bytes = 10): ResultFile => ({ path, bytes });
const sizes = (files: readonly ResultFile[]) => files.reduce((sum, { bytes }) => sum + bytes, 0);

describe('fittingFiles', () => {
  test('keeps the run and its reports before anything else, then what is small', () => {
    const files = [file('b.log', 60e6), file('a.log', 50e6), file('report.html'), file('run.json', 40e6)];

    const { kept, leftOut } = fittingFiles(files);

    expect(kept.map(({ path }) => path)).toEqual(['run.json', 'report.html', 'a.log']);
    expect(leftOut.map(({ path }) => path)).toEqual(['b.log']);
  });

  test('loses no file, keeps to the limits, and does not hang on the order', () => {
    const files = fc.uniqueArray(
      fc.record({ path: fc.string({ minLength: 1 }), bytes: fc.integer({ min: 0, max: MAX_ARTIFACT_BYTES }) }),
      { selector: ({ path }) => path },
    );
    fc.assert(
      fc.property(files, (all) => {
        const { kept, leftOut } = fittingFiles(all);
        expect(new Set([...kept, ...leftOut])).toEqual(new Set(all));
        expect(sizes(kept)).toBeLessThanOrEqual(MAX_ARTIFACT_BYTES);
        expect(fittingFiles(all.toReversed())).toEqual({ kept, leftOut });
      }),
    );
  });

  test('takes so many files and no more', () => {
    const files = Array.from({ length: MAX_ARTIFACT_FILES + 2 }, (_, index) => file(`${index}.log`));

    expect(fittingFiles(files).leftOut).toHaveLength(2);
  });
});
