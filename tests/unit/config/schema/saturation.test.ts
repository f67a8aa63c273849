import { describe, expect, it } from 'vitest';
import { parseSuite } from '../../../../src/config/parse.ts';

const suiteWith = (saturation: string) =>
  parseSuite({
    file: 'suites/small.yml',
    text: `name: small\ntitle: small\nservices: [api]\noperations: [{ name: Index, rest: GET / }]\nsaturation: ${saturation}\n`,
  }).saturation;

describe('saturation', () => {
  it('may have a warm-up', () => {
    expect(suiteWith('{ workers: 8, warmupSeconds: 7.5 }')).toEqual({ workers: 8, warmupSeconds: 7.5 });
    expect(suiteWith('{ workers: 8 }')).toEqual({ workers: 8 });
  });

  it.each(['0', '-1', '601', 'long'])('refuses a warm-up of %s', (seconds) => {
    expect(() => suiteWith(`{ workers: 8, warmupSeconds: ${seconds} }`)).toThrow(/warmupSeconds/);
  });
});
