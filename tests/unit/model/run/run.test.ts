import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../../../src/foundation/errors.ts';
import { formatRun, parseRun } from '../../../../src/model/run/run.ts';
import { sampleRun } from '../../../support/sample-run.ts';

const run = sampleRun();
const text = formatRun(run);

function complaint(content: string): string {
  try {
    parseRun(content, 'out/run.json');
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(ConfigError);
    return (thrown as Error).message;
  }
  throw new Error('nothing was refused');
}

describe('parseRun', () => {
  test('gives back what was written', () => {
    expect(parseRun(text, 'out/run.json')).toEqual(run);
  });

  test('knows tiers with a rate next to those with users, which older files have', () => {
    const peak = { name: 'peak', requestsPerSecond: 800, rampSeconds: 10, inFlight: 240 };
    const tiers = [...run.suite.tiers, peak];

    const read = parseRun(formatRun({ ...run, suite: { ...run.suite, tiers } }), 'out/run.json');

    expect(read.suite.tiers).toEqual(tiers);
  });

  test.each([
    [
      'a file that was cut short',
      text.slice(0, text.length / 2),
      /^out\/run\.json: is not valid JSON, or is truncated/,
    ],
    ['an empty file', '', /truncated/],
    [
      'another schema',
      text.replace('"schema":2', '"schema":3'),
      /has schema 3, written by Wiregauge 0\.1\.0, and this version reads schema 2/,
    ],
    ['something else', '[]', /has no readable schema, and this version reads schema 2/],
    [
      'commands to the log in place of versions',
      '{"schema":"\\n::stop-commands::x","wiregauge":"\\n::error::x"}',
      /json: has no readable schema, and this version reads schema 2$/,
    ],
    [
      'a number that is none',
      text.replace('"droppedRequests":0', '"droppedRequests":"0"'),
      /samples\.0\.droppedRequests/,
    ],
    ['a name that could be markup', text.replace('"service":"rest"', '"service":"<b>"'), /\.service: must be/],
    [
      'commands to the log in place of names',
      text.replace('"tools":{', '"tools":{"\\n::stop-commands::x":"1",'),
      /^out\/run\.json: tools\. ::stop-commands::x: .*$/,
    ],
    ['a metric of no known name', text.replace('"latencyP50Ms":', '"latencyP51Ms":'), /samples\.0/],
  ])('refuses %s', (_what, content, message) => {
    expect(complaint(content)).toMatch(message);
  });

  test.each([
    ['text', ' '.repeat(100e6 + 1), 'has 100000001 characters; the limit is 100000000'],
    ['values', `[${'0,'.repeat(5e6)}0]`, 'has 5000002 values; the limit is 5000000'],
    ['items', `{"schema":2,"samples":[${'{},'.repeat(100_000)}{}]}`, 'has 100001 items in a list; the limit is 100000'],
    [
      'keys',
      `{"schema":2,"tools":{${Array.from({ length: 10_001 }, (_, index) => `"k${index}":"1"`).join(',')}}}`,
      'has 10001 keys in a map; the limit is 10000',
    ],
  ])('refuses a file with more %s than memory may be taken for', (_what, content, words) => {
    expect(complaint(content)).toBe(`out/run.json: ${words}`);
  });

  test('reports the first of many samples that do not fit', () => {
    const samples = [...run.samples, ...Array.from({ length: 50_000 }, () => ({}))];

    expect(complaint(JSON.stringify({ ...run, samples }))).toMatch(
      new RegExp(`^out/run\\.json: samples\\.${run.samples.length}\\.`),
    );
  });

  test('refuses a time series with columns of different lengths', () => {
    const [sample] = run.samples;
    const series = { ...sample?.series, second: [1, 2, 3] };

    expect(complaint(JSON.stringify({ ...run, samples: [{ ...sample, series }] }))).toMatch(/different lengths/);
  });
});
