import { describe, expect, it } from 'vitest';
import type { StepObservation } from '../../../../src/measure/knee/criteria.ts';
import { concluded } from '../../../../src/measure/knee/record.ts';
import { disturbedSentence, kneeSentence } from '../../../../src/report/knee/words.ts';
import { kneeIn } from '../../../support/sample-saturate.ts';
import { SEARCH, type SimulatedService, searched, seenOf } from '../../../support/simulated-service.ts';

const USUAL: SimulatedService = { capacityRps: 4000, baseMs: 1 };
const stepsOf = (change: Partial<SimulatedService>) => searched((rate) => seenOf({ ...USUAL, ...change }, rate));

describe('what is said of a search', () => {
  it.each<[string, Partial<SimulatedService>, readonly [string, RegExp]]>([
    ['too slow answers', {}, ['found', /^api sustains [\d,]+\/s \(p99 [\d.]+ ms\); at [\d,]+\/s p99 is [\d.]+ ms\.$/]],
    ['failures', { failsFrom: 1500 }, ['found', /; at 1,\d{3}\/s 2\.00% of its requests fail\.$/]],
    ['an end', { endsFrom: 1500 }, ['found', /; at 1,\d{3}\/s it exits\.$/]],
    [
      'the load tool',
      { toolEndsFrom: 2000 },
      ['at-least', / sustains at least .*; at 2,\d{3}\/s the load tool is at its limit\.$/],
    ],
    ['failures at any rate', { failsFrom: 1 }, ['none', /^api sustains none of the tested rates; at [\d.]+\/s /]],
  ])('with %s is reported', (_what, change, [kind, words]) => {
    // An end in the closed loop would leave no estimate.
    const steps = searched((rate) => seenOf(rate === undefined ? USUAL : { ...USUAL, ...change }, rate));

    expect(concluded(SEARCH, steps).kind).toBe(kind);
    expect(kneeSentence(kneeIn(steps))).toMatch(words);
  });

  it('names the rate that it does not answer in full if p99 stays low', () => {
    const seen = (rate: number | undefined): StepObservation => ({ ...seenOf(USUAL, rate), latencyP99Ms: 1 });

    expect(kneeSentence(kneeIn(searched(seen)))).toMatch(/; at 4,\d{3}\/s it answers 4,000\/s\.$/);
  });

  it('is inconclusive if steps at one rate contradict each other, with the rates that are sure', () => {
    const steps = stepsOf({});
    const { held } = concluded(SEARCH, steps);
    const last = steps.at(-1) ?? expect.unreachable();
    const torn = [...steps, { ...last, verdict: 'not-held' as const, reasons: ['p99' as const], latencyP99Ms: 90 }];

    const conclusion = concluded(SEARCH, torn);

    expect(conclusion.kind).toBe('inconclusive');
    expect(conclusion.contested).toEqual([
      { offeredRps: held?.offeredRps, held: expect.any(Number), steps: expect.any(Number) },
    ]);
    expect(conclusion.held?.offeredRps).toBeLessThan(held?.offeredRps ?? 0);
    expect(kneeSentence(kneeIn(torn))).toMatch(
      /^api: inconclusive: [\d,]+\/s was sustained in \d of \d steps; it sustains /,
    );
  });

  it('is no more than was seen if the search was ended early', () => {
    const steps = stepsOf({}).slice(0, 4);
    const rising = kneeIn(steps, { ended: 'budget' });

    expect(rising.conclusion.kind).toBe('at-least');
    expect(kneeSentence(rising)).toMatch(/ sustains at least .*; the time budget ran out first\.$/);
    expect(kneeIn(stepsOf({}).slice(0, -1)).conclusion.kind).toBe('inconclusive');
    expect(kneeSentence(kneeIn([], { ended: 'interrupted' }))).toMatch(
      /^api: not measured: the search was interrupted/,
    );
  });

  it('says nothing of a service if the load tool is at its limit with little to do', () => {
    const steps = stepsOf({ toolEndsFrom: 1 });

    expect(steps.map(({ purpose }) => purpose)).toEqual(['closed-loop', 'unloaded', 'again']);

    expect(kneeSentence(kneeIn(steps))).toMatch(/^api: inconclusive: at [\d.]+\/s the load tool is at its limit\.$/);
    expect(kneeSentence(kneeIn(steps.slice(0, 2), { ended: 'interrupted' }))).toMatch(
      /^api: inconclusive: the search was interrupted; at 400\/s the load tool/,
    );
  });

  it('says what the service did if the load tool was at its limit in some of the steps only', () => {
    const steps = stepsOf({ toolEndsFrom: 2000 });
    const last = steps.findLast(({ verdict }) => verdict === 'tool-limited') ?? expect.unreachable();
    const own = [...steps, { ...last, verdict: 'not-held' as const, reasons: ['p99' as const], latencyP99Ms: 90 }];

    expect(kneeSentence(kneeIn(own))).toMatch(/^api sustains 1,9\d\d\/s \(.*\); at 2,000\/s p99 is /);
  });

  it.each([
    [
      'every step',
      () => true,
      /^Other programs .* in which api did not sustain the higher rate: on a quiet machine, it may sustain more\.$/,
    ],
    ['some steps', (index: number) => index % 2 === 0, undefined],
  ] as const)(
    'owns up to a machine that disturbed %s of the rate that is not sustained',
    (_what, isDisturbed, words) => {
      const steps = stepsOf({}).map((step, index) =>
        isDisturbed(index) ? { ...step, marks: ['disturbed' as const] } : step,
      );

      const sentence = disturbedSentence([kneeIn(steps), kneeIn(stepsOf({}), { name: 'other' })]);

      expect(words === undefined ? sentence === undefined : words.test(sentence ?? '')).toBe(true);
    },
  );
});
