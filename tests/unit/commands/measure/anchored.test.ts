import { describe, expect, it } from 'vitest';
import { againstAnchor } from '../../../../src/commands/measure/anchored.ts';
import { EnvironmentError, MeasurementError } from '../../../../src/foundation/errors.ts';
import type { AnchorRecord } from '../../../../src/model/run/anchor.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';

const ANCHOR = { name: 'v1.4.0', commit: 'a'.repeat(40) };
const LINKS = ['b', 'c'].map((digit) => ({ commit: digit.repeat(40), ratios: [] }));
const UNBUILT = new MeasurementError('base (v1.4.0): the image cannot be built');

/** What was tried, if those bases throw, and how it ended. */
async function tried(throwing: Readonly<Record<string, Error>>, links = LINKS) {
  const bases: string[] = [];
  const said: string[] = [];
  const run = sampleRounds();
  const measure = async ({ commit, through }: AnchorRecord) => {
    const base = (through?.commit ?? commit).slice(0, 1);
    bases.push(base);
    const failure = throwing[base];
    if (failure !== undefined) {
      throw failure;
    }
    return run;
  };
  const log = (line: string) => void said.push(line);
  const thrown = await againstAnchor(ANCHOR, measure, async () => links, log).then(
    () => undefined,
    (failure: unknown) => failure,
  );
  return { bases: bases.join(''), said, thrown };
}

describe('a comparison with an anchor', () => {
  it('is with the anchor itself as long as that can be built', async () => {
    expect(await tried({})).toMatchObject({ bases: 'a', thrown: undefined });
  });

  it('goes on from the last commit that was compared with it, and says so', async () => {
    const { bases, said, thrown } = await tried({ a: UNBUILT });

    expect([bases, thrown]).toEqual(['ab', undefined]);
    expect(said.at(-1)).toMatch(/^v1\.4\.0 can no longer be compared \(.*cannot be built\): continuing from bbbbbbb,/);
    expect((await tried({ a: UNBUILT, b: UNBUILT })).bases).toBe('abc');
  });

  it('throws what was thrown last if nothing is left', async () => {
    expect(await tried({ a: UNBUILT }, [])).toMatchObject({ bases: 'a', thrown: UNBUILT });
  });

  it('does not look for another base on a machine that cannot measure, or after a bug', async () => {
    const unfit = new EnvironmentError('one core is too few');

    expect(await tried({ a: unfit })).toMatchObject({ bases: 'a', thrown: unfit });
    expect(await tried({ a: new TypeError('bug') })).toMatchObject({ bases: 'a' });
  });
});
