import { describe, expect, test } from 'vitest';
import { EnvironmentError } from '../../../../src/foundation/errors.ts';
import { timeToCount, timeToCountHead } from '../../../../src/measure/instructions/time.ts';
import { compareProfile, countingSeconds, headCountingSeconds } from '../../../../src/model/profiles.ts';
import { fewestRounds, roundSeconds } from '../../../../src/model/rounds.ts';
import type { Runtime } from '../../../../src/runtime/port.ts';
import { restService, usersSuite } from '../../../support/suite.ts';

const suite = usersSuite();
const place = {
  runtime: 'process',
  services: new Map(suite.services.map((name) => [name, restService(name)])),
} as const;

const counter = async () => ({ name: 'valgrind' as const, version: '3.19.0', architecture: 'x64' });
const without = async () => {
  throw new EnvironmentError('Valgrind is not installed', { next: 'Install it.' });
};
const runtimeWith = (counting: object | undefined) => ({ counting }) as unknown as Runtime;

async function timeOf(name: string, runtime = runtimeWith({ counter }), budgetSeconds = 600) {
  const lines: string[] = [];
  const comparing = { profile: compareProfile(name), suite, place, budgetSeconds };
  return { seconds: await timeToCount(comparing, runtime, (line) => lines.push(line)), lines };
}

describe('the time to count instructions', () => {
  test.each(['quick', 'standard', 'thorough'])('leaves the rounds of the first look to profile %s', async (name) => {
    const profile = compareProfile(name);
    const rounds = fewestRounds(profile) * roundSeconds(profile, suite, place);
    const usual = countingSeconds(suite);
    const secondsOf = async (budget: number) => (await timeOf(name, runtimeWith({ counter }), budget)).seconds;

    expect(await secondsOf(3600)).toBe(3 * usual);
    expect(await secondsOf(1.1 * rounds + 1.2 * usual)).toBeCloseTo(1.2 * usual);
    expect(await secondsOf(rounds + usual)).toBe(usual);
  });

  test('is all of it if nothing else is run, and none of a first try', async () => {
    expect(await timeOf('instructions')).toEqual({ seconds: 600, lines: [] });
    expect(await timeOf('smoke')).toEqual({ seconds: undefined, lines: [] });
  });

  test('is left to the rounds if it is short', async () => {
    const profile = compareProfile('quick');
    const rounds = fewestRounds(profile) * roundSeconds(profile, suite, place);
    const budget = Math.floor(rounds + countingSeconds(suite) - 1);

    expect(await timeOf('quick', runtimeWith({ counter }), budget)).toEqual({
      seconds: undefined,
      lines: [expect.stringMatching(/^instructions are not counted: the budget of .* is for rounds$/)],
    });
  });

  test('is none, with the reason, if nothing can count', async () => {
    expect(await timeOf('quick', runtimeWith({ counter: without }))).toEqual({
      seconds: undefined,
      lines: ['instructions are not counted: Valgrind is not installed. Install it.'],
    });
  });
});

describe('the time to count what a run measured', () => {
  const services = ['rest', 'grpc'];
  const usual = headCountingSeconds({ services });
  const timeLeft = async (secondsLeft: number, runtime = runtimeWith({ counter }), names = services) => {
    const lines: string[] = [];
    const seconds = await timeToCountHead({ services: names, secondsLeft }, runtime, (line) => lines.push(line));
    return { seconds, lines };
  };

  test('is four times the usual, or what the budget leaves', async () => {
    expect(await timeLeft(Number.POSITIVE_INFINITY)).toEqual({ seconds: 4 * usual, lines: [] });
    expect(await timeLeft(usual + 1)).toEqual({ seconds: usual + 1, lines: [] });
  });

  test('is none, with the reason, if too little is left or nothing can count', async () => {
    expect(await timeLeft(20)).toEqual({
      seconds: undefined,
      lines: [expect.stringMatching(/^instructions are not counted: the budget leaves 20 s, and counting takes about/)],
    });
    expect((await timeLeft(1e6, runtimeWith({ counter: without }))).lines).toEqual([
      expect.stringMatching(/^instructions are not counted: Valgrind is not installed/),
    ]);
  });

  test('is none, without a word, if there is nothing to count', async () => {
    expect(await timeLeft(1e6, runtimeWith({ counter: without }), [])).toEqual({ seconds: undefined, lines: [] });
  });
});
