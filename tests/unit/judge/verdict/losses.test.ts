import { describe, expect, test } from 'vitest';
import { comparedOf } from '../../../../src/judge/verdict/compared.ts';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import type { RunInRounds } from '../../../../src/model/run/run.ts';
import { detailText } from '../../../../src/report/comparison/sentences.ts';
import { notesOf } from '../../../../src/report/views/notes.ts';
import { type SampleRoundsOptions, sampleRounds } from '../../../support/sample-rounds.ts';

const inputOf = (options: SampleRoundsOptions = {}) => {
  const run: RunInRounds = sampleRounds({ services: ['rest'], ...options });
  const input = comparedOf(run, run.rounds.policy);
  return { ...input, lost: input.lost.map((one) => ({ ...one, detail: detailText(one) })) };
};

type Sample = RunInRounds['samples'][number];

/** Changes one metric of one cell in the first so many rounds of one version. */
const changing =
  (place: { tier: string; operation: string; side: 'base' | 'head'; rounds: number }, values: Sample['values']) =>
  (sample: Sample): Sample => {
    const { cell, side, round } = sample;
    const isThere =
      cell.tier === place.tier && cell.operation === place.operation && side === place.side && round <= place.rounds;
    return isThere ? { ...sample, values: { ...sample.values, ...values } } : sample;
  };

describe('holes', () => {
  const place = { tier: 'low', operation: 'GetUser', side: 'head' as const };
  const ofCell = ({ compared }: ReturnType<typeof inputOf>) =>
    compared.filter(({ cell }) => cell.tier === 'low' && cell.operation === 'GetUser');

  test.each([
    ['missing', undefined],
    ['zero', 0],
    ['negative', -1],
    ['not a number', Number.NaN],
    ['infinite', Number.POSITIVE_INFINITY],
  ])('in up to a fifth of the rounds drop those for all metrics of the cell: %s', (_what, value) => {
    const input = inputOf({ mend: changing({ ...place, rounds: 2 }, { latencyP50Ms: value as number }) });

    expect(input.lost).toEqual([]);
    expect(ofCell(input).map(({ metric }) => metric)).toEqual(['latencyP50Ms', 'latencyP95Ms']);
    for (const { base, head } of ofCell(input)) {
      expect([base, head].map((values) => values.map((one) => one === undefined))).toEqual(
        [base, head].map(() => [true, true, ...Array.from({ length: 8 }, () => false)]),
      );
    }
    expect(input.compared.filter(({ cell }) => cell.tier === 'medium').flatMap(({ base }) => base)).not.toContain(
      undefined,
    );
  });

  test.each([
    ['missing', undefined, 'missing in 3 of 10 rounds'],
    ['not-positive', 0, 'not above 0 in 3 of 10 rounds'],
  ])('in more rounds take the metric out and leave the others: %s', (reason, value, detail) => {
    const input = inputOf({ mend: changing({ ...place, rounds: 3 }, { latencyP50Ms: value as number }) });

    expect(input.lost).toEqual([
      expect.objectContaining({
        metric: 'latencyP50Ms',
        reason,
        detail,
        takes: [expect.objectContaining({ gate: true })],
      }),
    ]);
    expect(ofCell(input).map(({ metric }) => metric)).toEqual(['latencyP95Ms']);
    expect(ofCell(input)[0]?.base).not.toContain(undefined);
  });

  test('of a round that lacks a sample are holes of all its metrics', () => {
    const input = inputOf({
      mend: (sample) =>
        sample.round === 4 && sample.side === 'base' && sample.cell.tier === 'low' ? undefined : sample,
    });

    expect(ofCell(input).map(({ head }) => head.indexOf(undefined))).toEqual([3, 3]);
  });
});

describe('a tier', () => {
  const lostOf = (options: SampleRoundsOptions) =>
    inputOf(options).lost.map(({ cell, reason }) => `${cell.operation} ${cell.tier} ${reason}`);
  const marked =
    (marks: Sample['marks'], where: (sample: Sample) => boolean) =>
    (sample: Sample): Sample => ({ ...sample, marks: where(sample) ? marks : [] });

  test('is invalid where both versions fail over 1% of the requests', () => {
    const both = [
      { tier: 'high', rate: 0.02 },
      { tier: 'high', rate: 0.02, side: 'base' as const },
    ];

    expect(lostOf({ errors: both })).toEqual(['all high invalid']);
    expect(lostOf({ errors: both.slice(0, 1) })).toEqual([]);
  });

  test.each([
    [['head'], 3, ['all low generator-limited']],
    [['head'], 2, []],
  ] as const)('says nothing where the load tool was at its limit of %j in %i of 10 rounds', (sides, rounds, lost) => {
    const mend = marked(
      ['generator-limited'],
      ({ cell, side, round }) => cell.tier === 'low' && sides.some((one) => one === side) && round <= rounds,
    );

    expect(lostOf({ mend })).toEqual(lost);
  });

  test.each([
    [['base', 'head'], 1],
    [['head'], 0],
  ] as const)('at saturation is compared, with a note, if %j did not fill the core', (sides, notes) => {
    const mend = marked(
      ['not-saturated'],
      ({ cell, side }) => cell.tier === 'saturation' && sides.some((one) => one === side),
    );

    expect(lostOf({ mend })).toEqual([]);
    const run: RunInRounds = sampleRounds({ services: ['rest'], mend });
    const found = notesOf({ result: judgeRun(run), run }).notes.filter((note) => note.includes('filled its core'));
    expect(found).toHaveLength(notes);
  });

  test('whose load tool was disturbed says so', () => {
    const mend = marked(['generator-limited', 'disturbed'], ({ cell }) => cell.tier === 'low');

    expect(inputOf({ mend }).lost[0]?.detail).toBe(
      'the load tool was at its limit in 10 of 10 rounds, while other programs took over 10% of a core; CPU per request is still compared',
    );
  });

  test('at saturation loses rate and latency to the load tool, and keeps the CPU time per request', () => {
    const mend = marked(['generator-limited'], ({ cell }) => cell.tier === 'saturation');

    const { compared, lost } = inputOf({ mend, services: ['rest'] });

    const gating = compared.filter(({ cell, gate }) => gate && cell.tier === 'saturation');
    expect(gating.map(({ cell, metric }) => `${cell.operation} ${metric}`)).toEqual(['all cpuMicrosPerRequest']);
    expect(lost.map(({ cell, reason }) => `${cell.tier} ${reason}`)).toEqual(['saturation generator-limited']);
    expect(lost[0]?.detail).toMatch(
      /10 of 10 rounds: a load tool on one core cannot fill the core of this service; CPU/,
    );
    expect(lost[0]?.takes.filter(({ gate }) => gate).map(({ metric }) => metric)).toEqual([
      'achievedRps',
      'latencyP50Ms',
    ]);
  });

  const limitedIn = (rounds: { base: number; head: number }) =>
    marked(
      ['generator-limited'],
      ({ cell, side, round }) => cell.tier === 'low' && round <= (side === 'base' ? rounds.base : rounds.head),
    );

  test.each([
    ['of both versions hides what noise may hide', { base: 4, head: 6 }, true],
    ['of the base alone hides it, too', { base: 10, head: 0 }, true],
    ['of the head in half of the rounds more hides it, too', { base: 1, head: 6 }, true],
    ['of the head alone hides nothing: that is its doing', { base: 1, head: 7 }, false],
  ] as const)('in which the load tool was at its limit %s', (_what, rounds, isHidden) => {
    const input = inputOf({ mend: limitedIn(rounds), services: ['rest'] });

    const [loss] = input.lost;
    const gating = loss?.takes.filter(({ gate }) => gate) ?? [];
    expect(new Set(gating.map(({ metric, ifSeen }) => `${metric} ${ifSeen}`))).toEqual(
      new Set([`latencyP50Ms ${isHidden}`]),
    );
    expect(loss?.detail.includes('(of the head in')).toBe(!isHidden);
  });

  test('that is invalid is hidden by nothing', () => {
    const errors = (['base', 'head'] as const).map((side) => ({ tier: 'high', rate: 0.02, side }));

    const [loss] = inputOf({ errors }).lost;

    expect(loss?.takes.filter(({ gate }) => gate).map(({ ifSeen }) => ifSeen)).not.toContain(true);
  });

  test('that is lost takes the figures of each of its operations with it', () => {
    const mend = marked(['generator-limited'], ({ cell }) => cell.tier === 'low');

    const { lost } = inputOf({ mend, services: ['rest'] });

    const operations = new Set(lost[0]?.takes.filter(({ gate }) => gate).map(({ cell }) => cell.operation));
    expect(lost).toHaveLength(1);
    expect(operations.has('GetUser')).toBe(true);
    expect(operations.has('all')).toBe(false);
  });

  test('has its achieved rate compared only where a version did not hold the offered one', () => {
    const rates = (options: SampleRoundsOptions) =>
      inputOf(options)
        .compared.filter(({ metric }) => metric === 'achievedRps')
        .map(({ cell }) => cell.tier);

    expect(rates({ services: ['rest'] })).toEqual(['saturation']);
    expect(rates({ services: ['rest-development'] })).toEqual(['saturation', 'medium', 'high']);
  });

  test('has its errors counted by round', () => {
    const { errors } = inputOf({ errors: [{ tier: 'high', rate: 0.01 }] });

    const high = errors.find(({ cell }) => cell.tier === 'high');
    expect(errors).toHaveLength(4);
    expect(high?.rounds).toHaveLength(10);
    expect(high?.rounds[0]).toEqual({ base: { failed: 0, requests: 5328 }, head: { failed: 53, requests: 5328 } });
  });
});
