import { describe, expect, test } from 'vitest';
import { parseSamples } from '../../../../src/commands/runs/samples.ts';
import { ConfigError } from '../../../../src/foundation/errors.ts';

const HEADER = 'round,side,position,service,operation,tier,metric,value';

function complaint(text: string): { readonly message: string; readonly next: string | undefined } {
  try {
    parseSamples({ file: 'mine.csv', text });
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(ConfigError);
    return thrown as ConfigError;
  }
  throw new Error('nothing was refused');
}

describe('parseSamples refuses', () => {
  const good = '1,base,1,rest,Get,low,latencyP50Ms,10';

  test.each([
    ['an unknown side', '1,trunk,1,rest,Get,low,latencyP50Ms,10', /^mine\.csv:2: side "trunk" is not base or head/],
    ['a value that is NaN', '1,base,1,rest,Get,low,latencyP50Ms,NaN', /:2: value "NaN" is not a finite number/],
    ['a value without end', '1,base,1,rest,Get,low,latencyP50Ms,1e999', /:2: value "1e999"/],
    ['a value with a unit', '1,base,1,rest,Get,low,latencyP50Ms,10 ms', /:2: value "10 ms"/],
    ['no value', '1,base,1,rest,Get,low,latencyP50Ms,', /:2: value ""/],
    ['a comma in a value', '1,base,1,rest,Get,low,latencyP50Ms,"1,5"', /:2: value "1,5"/],
    ['round 0', '0,base,1,rest,Get,low,latencyP50Ms,10', /:2: round "0" is not a whole number from 1/],
    ['position 3', '1,base,3,rest,Get,low,latencyP50Ms,10', /:2: position "3" is not 1 or 2/],
    ['a service without a name', '1,base,1,,Get,low,latencyP50Ms,10', /:2: service ""/],
    ['too few fields', '1,base,1,rest,Get,low,latencyP50Ms', /:2: has 7 fields, but the header has 8/],
    ['too many fields', `${good},1`, /:2: has 9 fields/],
    ['an open quote', `"${good}`, /:2: is not CSV: a quote/],
    ['a quote in the middle', good.replace('rest', 're"st'), /:2: is not CSV/],
    ['a very long field', good.replace('rest', 'r'.repeat(500)), /:2: is not CSV: .*over 400 characters/],
    [
      'a slip of the finger',
      good.replace('latencyP50Ms', 'latencyP5Ms'),
      /:2: there is no metric "latencyP5Ms": did you mean/,
    ],
    ['the same figure twice', `${good}\n${good}`, /:3: repeats latencyP50Ms of base in round 1 of the same cell/],
    [
      'two positions of one version',
      `${good}\n1,base,2,rest,Get,low,latencyP95Ms,10`,
      /:3: base has position 2 in round 1, and base has position 1 on line 2/,
    ],
    [
      'one position of two versions',
      `${good}\n1,head,1,rest,Get,low,latencyP50Ms,10`,
      /:3: head has position 1 in round 1, and base has position 1 on line 2/,
    ],
  ])('%s, with the line', (_what, lines, message) => {
    const { message: said, next } = complaint(`${HEADER}\n${lines}\n`);

    expect(said).toMatch(message);
    expect(next).toMatch(/^[A-Z].*\.$/);
  });

  test.each([
    ['a direction against what is known', `${good},higher,`, /:2: sets better to higher for latencyP50Ms/],
    [
      'two directions',
      `${good.replace('latencyP50Ms', 'x')},lower,\n${good.replace('latencyP50Ms', 'x').replace('base,1', 'head,2')},higher,`,
      /:3: sets better to higher for x/,
    ],
    ['an unknown direction', `${good},more,`, /:2: better "more" is not lower or higher/],
    ['an unknown gate', `${good},,yes`, /:2: gate "yes" is not true or false/],
    [
      'two gates of one comparison',
      `${good},,true\n${good.replace('base,1', 'head,2')},,false`,
      /:3: sets gate to false, but/,
    ],
  ])('%s', (_what, lines, message) => {
    expect(complaint(`${HEADER},better,gate\n${lines}\n`).message).toMatch(message);
  });

  test.each([
    ['nothing', '', /^mine\.csv: is empty/],
    ['a header alone', `${HEADER}\n`, /^mine\.csv: has a header but no samples/],
    [
      'a header that lacks columns',
      'round,side,value\n',
      /:1: the header lacks position, service, operation, tier, metric/,
    ],
    ['an unknown column', `${HEADER},bettr\n`, /:1: unknown column "bettr"/],
    ['a column twice', `${HEADER},side\n`, /:1: the column side appears twice/],
    [
      'more rounds than anybody measures',
      [HEADER, ...Array.from({ length: 301 }, (_, round) => `${round + 1},base,1,rest,Get,low,latencyP50Ms,1`)].join(
        '\n',
      ),
      /:302: rest has over 300 rounds/,
    ],
    ['too many lines', `${HEADER}${'\n'.repeat(100_001)}`, /has over 100000 lines/],
  ])('%s', (_what, text, message) => {
    expect(complaint(text).message).toMatch(message);
  });

  test('counts the lines of quoted fields', () => {
    expect(complaint(`${HEADER}\n\n"1","ba\nse",1,rest,Get,low,latencyP50Ms,10\n`).message).toMatch(/:3: side/);
    expect(
      complaint(`${HEADER}\n"1\n",base,1,rest,Get,low,latencyP50Ms,10\n2,x,1,rest,Get,low,latencyP50Ms,1`).message,
    ).toMatch(/:4: side "x"/);
  });
});
