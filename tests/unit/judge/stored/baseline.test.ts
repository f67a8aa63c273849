import { describe, expect, test } from 'vitest';
import { formatBaseline, parseBaseline } from '../../../../src/judge/stored/baseline.ts';
import { baselineOf, storedRun } from './histories.ts';

const file = 'baselines/users/linux-x64-2core.json';
const baseline = baselineOf([0, 0.01, 0.02]);
const text = formatBaseline(baseline);

describe('a baseline', () => {
  test('survives its file', () => {
    const flagged = {
      ...baseline,
      runs: [storedRun(1, 0, { suspicious: ['rest/all/high cpuMicrosPerRequest'], controlMs: 151.2 })],
    };

    expect(parseBaseline(text, file)).toEqual(baseline);
    expect(parseBaseline(formatBaseline(flagged), file)).toEqual(flagged);
  });

  test('is one run a line, so that a new run is a new line', () => {
    const more = formatBaseline(baselineOf([0, 0.01, 0.02, 0.03]));

    const added = more
      .split('\n')
      .filter((line) => !text.split('\n').some((known) => known.replace(/,$/, '') === line.replace(/,$/, '')));
    expect(added).toHaveLength(1);
    expect(text.split('\n')).toHaveLength(8 + baseline.runs.length);
  });

  test('has each run once and in order of time, whatever a merge made of the file', () => {
    const [first, second, third] = baseline.runs;
    const merged = { ...baseline, runs: [third, first, second, third].filter((run) => run !== undefined) };

    expect(parseBaseline(formatBaseline(merged), file)).toEqual(baseline);
  });

  test.each([
    ['cut short', text.slice(0, 300), /linux-x64-2core\.json: is not valid JSON, or is truncated/],
    [
      'of the layout before',
      '{"schema":1,"provenance":{},"cells":[]}',
      /has schema 1, and this version reads schema 2/,
    ],
    ['of a later layout', '{"schema":3}', /has schema 3/],
    ['something else', '[]', /has no schema/],
    ['without runs', '{"schema":2,"suite":"users","runnerClass":"x"}', /json: runs: /],
    [
      'with a value that is none',
      text.replace(/"cpuMicrosPerRequest":[\d.]+/, '"cpuMicrosPerRequest":"fast"'),
      /runs\.0\.cells\.\S+cpuMicrosPerRequest: /,
    ],
    ['with an unknown metric', text.replace('cpuMicrosPerRequest', 'happiness'), /runs\.0\.cells/],
    ['with a cell that is none', text.replace('rest/all/low', 'rest'), /runs\.0\.cells/],
    ['with a time that is none', text.replace(/"startedAt":"[^"]+"/, '"startedAt":"yesterday"'), /runs\.0\.startedAt/],
  ])('is refused when it is %s', (_what, content, message) => {
    expect(() => parseBaseline(content, file)).toThrow(message);
  });

  test('of the layout before says what to do', () => {
    expect(() => parseBaseline('{"schema":1}', file)).toThrow(
      expect.objectContaining({ next: expect.stringContaining('wiregauge baseline update') }),
    );
  });

  test('that is a run says how to store it', () => {
    const run = '{"schema":2,"suite":{"name":"users"},"samples":{}}';

    expect(() => parseBaseline(run, 'out/run.json')).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/^out\/run\.json is a run, not a file of stored runs/),
        next: expect.stringContaining('`wiregauge baseline update out/run.json`'),
      }),
    );
  });
});
