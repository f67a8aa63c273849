import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../../src/core/errors.ts';
import { formatRun, parseRun } from '../../../src/core/run.ts';
import { sampleRun } from '../../sample-run.ts';

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

  test.each([
    ['a file that was cut short', text.slice(0, text.length / 2), /^out\/run\.json: is not JSON, or was cut short/],
    ['an empty file', '', /cut short/],
    [
      'another schema',
      text.replace('"schema":2', '"schema":3'),
      /has schema 3, written by Wiregauge 0\.1\.0, and this version reads schema 2/,
    ],
    ['something else', '[]', /has no schema that could be read, and this version reads schema 2/],
    [
      'commands to the log in place of versions',
      '{"schema":"\\n::stop-commands::x","wiregauge":"\\n::error::x"}',
      /json: has no schema that could be read, and this version reads schema 2$/,
    ],
    [
      'a number that is none',
      text.replace('"droppedRequests":0', '"droppedRequests":"0"'),
      /samples\.0\.droppedRequests/,
    ],
    ['a name that could be markup', text.replace('"service":"rest"', '"service":"<b>"'), /\.service: a name has/],
    [
      'commands to the log in place of names',
      text.replace('"tools":{', '"tools":{"\\n::stop-commands::x":"1",'),
      /^out\/run\.json: tools\. ::stop-commands::x: .*$/,
    ],
    ['a metric of no known name', text.replace('"latencyP50Ms":', '"latencyP51Ms":'), /samples\.0/],
  ])('refuses %s', (_what, content, message) => {
    expect(complaint(content)).toMatch(message);
  });

  test('refuses a time series with columns of different lengths', () => {
    const [sample] = run.samples;
    const series = { ...sample?.series, second: [1, 2, 3] };

    expect(complaint(JSON.stringify({ ...run, samples: [{ ...sample, series }] }))).toMatch(/different lengths/);
  });
});
