import { describe, expect, test } from 'vitest';
import { toolSamples } from '../../../../src/commands/runs/tool-samples.ts';
import { ConfigError } from '../../../../src/foundation/errors.ts';
import { GO, HYPERFINE, K6 } from '../../../support/sample-benchmarks.ts';
import { go, jmh, read, times } from '../../../support/sample-outputs.ts';

function complaint(work: () => unknown): ConfigError {
  try {
    work();
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(ConfigError);
    return thrown as ConfigError;
  }
  throw new Error('nothing was refused');
}

describe('outputs that cannot be judged', () => {
  const refused = [
    ['are of no known tool', ['PASS\n'], [GO], /^base-1: has no figures of go-test, .*, k6, hyperfine$/, 'WG-100'],
    ['are cut short', [JSON.stringify(K6).slice(0, 90)], [K6], /^base-1: has no figures of go-test/, 'WG-100'],
    [
      'are of two tools',
      [GO],
      [HYPERFINE],
      /^base-1 is an output of go-test, and head-1 is an output of hyperfine$/,
      'WG-404',
    ],
    [
      'are of two tools on one side',
      [GO, K6],
      [GO, GO],
      /^base-1 is an output of go-test, and base-2 is an output of k6$/,
      'WG-404',
    ],
    [
      'have no benchmark in common',
      [go([5], 'BenchmarkA-2')],
      [go([5], 'BenchmarkA-8')],
      /^base and head have no benchmark in common: base-1 has BenchmarkA-2, head-1 has BenchmarkA-8$/,
      'WG-406',
    ],
    [
      'have units of different things',
      [jmh(5, 'ops/s')],
      [jmh(5, 'rows/s')],
      /^head-1:1: the throughput of A\.run thrpt is in rows\/s, and in ops\/s in an earlier file$/,
      'WG-404',
    ],
    ['are of one version only', [GO, GO], [GO], /^--base has 2 files, but --head has 1$/, 'WG-101'],
    ['are too many', times(301, () => ''), times(301, () => ''), /^--base has 301 files; the limit is 300$/, 'WG-101'],
  ] as const;

  const cases = refused.map(([why, base, head, message, code]) => [why, { base, head, message, code }] as const);
  test.each(cases)('since they %s', (_why, { base, head, message, code }) => {
    const { message: said, code: of, next = '' } = complaint(() => read(base, head));

    expect(said).toMatch(message);
    expect(of).toBe(code);
    expect(next).toMatch(/^[A-Z].*\.$/);
  });

  test('since one is given twice', () => {
    const source = { file: 'a.txt', text: GO };

    expect(() => toolSamples({ base: [source], head: [source] })).toThrow('a.txt is given twice');
  });
});
