import { describe, expect, it } from 'vitest';
import type { CellReading, CellTable } from '../../../../src/judge/reading/cells.ts';
import type { PairedServices, Pairing, ServiceRatio, Times } from '../../../../src/judge/study/versus.ts';
import type { Mark } from '../../../../src/model/sample/mark.ts';
import { recommended, variantsIn } from '../../../../studies/judge/settings.ts';

/** What a setting does at saturation: requests per second, and microseconds of CPU time a request. */
interface Setting {
  readonly rate: number;
  readonly cpu: number;
  readonly marks?: readonly Mark[];
}

function slotsOf(settings: Readonly<Record<string, Setting>>): CellTable {
  const figure = (value: number) => ({ median: value, low: value, high: value, rounds: 1 });
  return {
    at: ({ service, operation, tier }): CellReading | undefined => {
      const found = settings[service];
      return found === undefined || operation !== 'all' || tier !== 'saturation'
        ? undefined
        : {
            samples: [],
            figures: { achievedRps: figure(found.rate), cpuMicrosPerRequest: figure(found.cpu) },
            offeredRps: undefined,
            requests: 1000,
            failures: [],
            droppedRequests: 0,
            marks: (found.marks ?? []).map((mark) => ({ mark, rounds: 1 })),
          };
    },
  };
}

/** Settings held against `a` in rounds: their rates and CPU times as multiples of its own, with an interval where there is one. */
function pairedOf(
  pairs: Readonly<Record<string, { readonly rate: Times; readonly cpu: Times; readonly failed?: number }>>,
) {
  const pairings = Object.entries(pairs).map(([service, { rate, cpu, failed = 0 }]): Pairing => {
    const status = (metric: string, ratio: Times, other = 1): ServiceRatio => ({
      cell: { suite: 's', service, operation: 'all', tier: 'saturation' },
      metric,
      reference: 1,
      other,
      ratio,
      status: 'unclear',
      noise: 'low',
      rounds: 8,
    });
    const ratios = [
      status('achievedRps', rate),
      status('cpuMicrosPerRequest', cpu),
      status('errorRate', { times: 1 }, failed),
    ];
    return { service, ratios, perCpuSecond: undefined, capacity: undefined };
  });
  return { reference: 'a', pairings } satisfies PairedServices;
}

const around = (times: number, width = 0.02): Times => ({ times, low: times - width, high: times + width });

const VARIANTS = { service: 'api', runtime: undefined, names: ['a', 'b', 'c'] };

describe('variants in a run', () => {
  const variant = (of: string) => ({ of, name: 'x', environment: {} });
  const service = (name: string, of?: string, runtime?: 'docker' | 'process') => ({
    name,
    title: name,
    protocol: 'rest' as const,
    environment: {},
    ...(of !== undefined && { variant: variant(of) }),
    ...(runtime !== undefined && { runtime }),
  });

  it('are those of each service of which there are several', () => {
    const services = [service('a', 'api'), service('other'), service('b', 'api'), service('lonely', 'one')];

    expect(variantsIn({ services })).toEqual([{ service: 'api', runtime: undefined, names: ['a', 'b'] }]);
  });

  it('are separate for each runtime', () => {
    const services = [
      service('a-process', 'api', 'process'),
      service('a-docker', 'api', 'docker'),
      service('b-process', 'api', 'process'),
      service('b-docker', 'api', 'docker'),
    ];

    expect(variantsIn({ services }).map(({ names }) => names)).toEqual([
      ['a-process', 'b-process'],
      ['a-docker', 'b-docker'],
    ]);
  });
});

describe('the recommended setting', () => {
  it('by single starts is the one that does surely the most', () => {
    const slots = slotsOf({ a: { rate: 1000, cpu: 900 }, b: { rate: 1500, cpu: 600 }, c: { rate: 1100, cpu: 850 } });
    const found = recommended(VARIANTS, { slots });

    expect(found?.setting).toBe('b');
    expect(found?.aims.map(({ aim, first, best, next, alike }) => [aim, first, best, next, alike])).toEqual([
      ['rate', 'a', 'b', 'c', []],
      ['cpu', 'a', 'b', 'c', []],
    ]);
    expect(found?.aims[0]?.gains.get('b')).toMatchObject({ by: 'slots', times: { times: 1.5 } });
    expect(found?.aims[1]?.gains.get('b')?.times.times).toBeCloseTo(1.5);
  });

  it('by rounds is distinguished from one that is behind by less than the scatter of single starts', () => {
    const slots = slotsOf({ a: { rate: 1000, cpu: 900 }, b: { rate: 1050, cpu: 860 } });
    const variants = { ...VARIANTS, names: ['a', 'b'] };
    const paired = pairedOf({ b: { rate: around(1.05), cpu: around(0.95) } });

    expect(recommended(variants, { slots })?.aims[0]?.alike).toEqual(['a']);
    expect(recommended(variants, { slots, paired })).toMatchObject({
      setting: 'b',
      aims: [
        { best: 'b', alike: [], lead: { by: 'rounds', times: { times: 1.05, low: 1.03, high: 1.07 } } },
        { best: 'b', alike: [] },
      ],
    });
  });

  it('is the first one if the best does not differ from it', () => {
    const paired = pairedOf({
      b: { rate: around(1.01), cpu: around(0.99) },
      c: { rate: around(0.5), cpu: around(2) },
    });

    expect(recommended(VARIANTS, { paired })).toMatchObject({
      setting: 'a',
      aims: [
        { best: 'b', alike: ['a'] },
        { best: 'b', alike: ['a'] },
      ],
    });
  });

  it('is the first one if that does surely the most', () => {
    const paired = pairedOf({
      b: { rate: around(0.8), cpu: around(1.2) },
      c: { rate: around(0.5), cpu: around(2) },
    });

    expect(recommended(VARIANTS, { paired })).toMatchObject({
      setting: 'a',
      aims: [{ best: 'a', next: 'b', alike: [], lead: { times: { times: 1.25 } } }, { best: 'a' }],
    });
  });

  it('is none if each aim wants another', () => {
    const paired = pairedOf({
      b: { rate: around(1.5), cpu: around(1.4) },
      c: { rate: around(1.1), cpu: around(0.7) },
    });

    expect(recommended(VARIANTS, { paired })).toMatchObject({
      setting: undefined,
      aims: [{ best: 'b' }, { best: 'c' }],
    });
  });

  it('is one that no aim speaks against, if the best of one aim is not', () => {
    const paired = pairedOf({
      b: { rate: around(1.5), cpu: around(0.79) },
      c: { rate: around(1.3), cpu: around(0.78) },
    });

    expect(recommended(VARIANTS, { paired })?.setting).toBe('b');
  });

  it('cannot be decided by too few rounds', () => {
    const paired = pairedOf({ b: { rate: { times: 1.5 }, cpu: { times: 0.6 } } });

    expect(recommended(VARIANTS, { paired })).toMatchObject({ setting: 'a', aims: [{ best: 'b', alike: ['a'] }, {}] });
  });

  it('is none under which requests failed', () => {
    const slots = slotsOf({
      a: { rate: 1000, cpu: 900 },
      b: { rate: 9000, cpu: 100, marks: ['failing'] },
      c: { rate: 1500, cpu: 600 },
    });
    const paired = pairedOf({
      b: { rate: around(1.5), cpu: around(0.7), failed: 0.02 },
      c: { rate: around(1.1), cpu: around(0.9), failed: 0.01 },
    });

    expect(recommended(VARIANTS, { slots })).toMatchObject({ setting: 'c', failing: ['b'] });
    expect(recommended(VARIANTS, { paired })).toMatchObject({ setting: 'c', failing: ['b'] });
  });

  it('is compared with the first that was measured', () => {
    const slots = slotsOf({ b: { rate: 1000, cpu: 900 }, c: { rate: 2000, cpu: 450 } });

    expect(recommended(VARIANTS, { slots })).toMatchObject({
      setting: 'c',
      unmeasured: ['a'],
      aims: [{ first: 'b' }, {}],
    });
  });

  it('is not there if no two were measured', () => {
    expect(recommended(VARIANTS, { slots: slotsOf({ a: { rate: 1000, cpu: 900 } }) })).toBeUndefined();
  });
});
