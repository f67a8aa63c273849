import { describe, expect, test } from 'vitest';
import { planRun } from '../../../src/model/plan.ts';
import { PROFILES } from '../../../src/model/profiles.ts';
import { roundSeconds } from '../../../src/model/rounds.ts';
import { usersSuite } from '../../support/suite.ts';

const usual = usersSuite();
const suite = { ...usual, saturation: { ...usual.saturation, warmupSeconds: 8 } };
const place = { runtime: 'process', services: new Map() } as const;

/** Of the trials of one profile, by their loads. */
function warmupsOf(name: keyof typeof PROFILES) {
  const { trials } = planRun({ suite, profile: PROFILES[name].trials, modes: ['open', 'saturate'], seed: 1 });
  const of = (mode: string) => [
    ...new Set(trials.filter(({ pace }) => pace.kind === mode).map(({ warmupSeconds }) => warmupSeconds)),
  ];
  return { open: of('open'), saturate: of('saturate') };
}

describe('a warm-up of saturation', () => {
  test('is that of its trials, and of no others', () => {
    expect(warmupsOf('standard')).toEqual({ open: [2], saturate: [8] });
  });

  test('is no shorter than that of the profile', () => {
    const short = { ...suite, saturation: { workers: 50, warmupSeconds: 1 } };
    const { trials } = planRun({ suite: short, profile: PROFILES.standard.trials, modes: ['saturate'], seed: 1 });

    expect(trials.map(({ warmupSeconds }) => warmupSeconds)).toEqual([2, 2]);
  });

  test('is left out by a first try', () => {
    expect(warmupsOf('smoke')).toEqual({ open: [1], saturate: [1] });
    expect(roundSeconds(PROFILES.smoke.rounds, suite, place)).toBe(roundSeconds(PROFILES.smoke.rounds, usual, place));
  });

  test('is planned for both versions of each service in a round', () => {
    const { rounds } = PROFILES.standard;

    const more = roundSeconds(rounds, suite, place) - roundSeconds(rounds, usual, place);

    expect(more).toBeCloseTo(2 * 8 * suite.services.length, 6);
  });
});
