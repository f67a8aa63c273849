import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CellReading, CellTable } from '../../../../src/judge/reading/cells.ts';
import type { PairedServices, Pairing, Times } from '../../../../src/judge/study/versus.ts';
import type { Mark } from '../../../../src/model/sample/mark.ts';
import { contrastsOf, type FactorialDesign } from '../../../../studies/judge/design.ts';
import { effectOf, leadAt } from '../../../../studies/judge/effects.ts';

const PLACE = { tier: 'saturation', metric: 'achievedRps' } as const;

const BODIES = ['json', 'protobuf'];
const VERSIONS = ['h1', 'h2'];
const CONNECTIONS = ['each', '8', '1'];

/** Two bodies, two versions, three numbers of connections, and another server with protobuf over h2 alone. */
const DESIGN: FactorialDesign = {
  runtime: undefined,
  factors: [
    { name: 'body', levels: BODIES },
    { name: 'version', levels: VERSIONS },
    { name: 'connections', levels: CONNECTIONS },
    { name: 'server', levels: ['own', 'grpc'] },
  ],
  cells: [
    ...BODIES.flatMap((body) =>
      VERSIONS.flatMap((version) => CONNECTIONS.map((count) => [body, version, count, 'own'])),
    ),
    ...CONNECTIONS.map((count) => ['protobuf', 'h2', count, 'grpc']),
  ].map((levels) => ({ service: levels.join('-'), levels })),
  lead: {
    of: ['protobuf', 'h2', '1', 'grpc'],
    against: ['json', 'h1', 'each', 'own'],
    parts: [
      { name: 'multiplexing', factors: ['version', 'connections'] },
      { name: 'protobuf', factors: ['body'] },
      { name: 'the server', factors: ['server'] },
    ],
  },
};

/** What a combination of levels does: 1,000 times what each level makes. */
type Truth = (levels: readonly string[]) => number;

const MULTIPLES: Readonly<Record<string, number>> = { protobuf: 1.5, h2: 0.8, '8': 1.1, '1': 0.9, grpc: 2 };

const independent: Truth = (levels) => levels.reduce((product, level) => product * (MULTIPLES[level] ?? 1), 1000);

/** On one connection HTTP/2 is three times as good as else. */
const interacting: Truth = (levels) => independent(levels) * (levels.includes('h2') && levels.includes('1') ? 3 : 1);

interface Options {
  readonly marks?: Readonly<Record<string, readonly Mark[]>>;
  readonly without?: readonly string[];
}

function slotsOf(truth: Truth, { marks = {}, without = [] }: Options = {}): CellTable {
  return {
    at: ({ service, operation, tier }): CellReading | undefined => {
      const cell = DESIGN.cells.find((one) => one.service === service);
      if (cell === undefined || operation !== 'all' || tier !== PLACE.tier || without.includes(service)) {
        return undefined;
      }
      const value = truth(cell.levels);
      return {
        samples: [],
        figures: { achievedRps: { median: value, low: value, high: value, rounds: 1 } },
        offeredRps: undefined,
        requests: 1000,
        failures: [],
        droppedRequests: 0,
        marks: (marks[service] ?? []).map((mark) => ({ mark, rounds: 1 })),
      };
    },
  };
}

const REFERENCE = 'json-h1-each-own';

/** Each service against the first one, with an interval that goes by a share of it up and down; undefined: without one. */
function pairedOf(truth: Truth, share: number | undefined, services = DESIGN.cells): PairedServices {
  const base = truth(DESIGN.cells[0]?.levels ?? []);
  const pairings = services.flatMap(({ service, levels }): readonly Pairing[] => {
    const times = truth(levels) / base;
    const ratio: Times =
      share === undefined ? { times } : { times, low: times / (1 + share), high: times * (1 + share) };
    const status = {
      cell: { suite: 's', service, operation: 'all', tier: PLACE.tier },
      metric: PLACE.metric,
      reference: 1,
      other: 1,
      ratio,
      status: 'unclear' as const,
      noise: 'low' as const,
      rounds: 8,
    };
    return service === REFERENCE ? [] : [{ service, ratios: [status], perCpuSecond: undefined, capacity: undefined }];
  });
  return { reference: REFERENCE, pairings };
}

function contrast(to: string) {
  const found = contrastsOf(DESIGN).find((one) => one.to === to);
  if (found === undefined) {
    throw new Error(`no contrast of ${to}`);
  }
  return found;
}

describe.each([
  ['slots', { slots: slotsOf(independent) }],
  ['rounds', { paired: pairedOf(independent, 0.05) }],
] as const)('effects by %s', (by, evidence) => {
  it.each(Object.entries(MULTIPLES))('of %s are what was made', (level, multiple) => {
    const { steps, within } = contrast(level);
    const effect = effectOf(steps, PLACE, evidence);

    expect(effect).toMatchObject({ by, measured: steps.length });
    expect(effect?.times.times).toBeCloseTo(multiple, 10);
    for (const conditional of within) {
      expect(effectOf(conditional.steps, PLACE, evidence)?.times.times).toBeCloseTo(multiple, 10);
    }
  });

  it('narrow with the number of independent pairs', () => {
    const width = (steps: Parameters<typeof effectOf>[0]) => {
      const { low = 0, high = 0 } = effectOf(steps, PLACE, evidence)?.times ?? {};
      return Math.log(high / low);
    };
    // Pairs without the reference, whose figure is exact by rounds.
    const steps = contrast('h2').steps.filter(({ against }) => against !== REFERENCE);

    expect(steps).toHaveLength(5);
    expect(width(steps.slice(0, 4))).toBeCloseTo(width(steps.slice(0, 1)) / 2, 10);
  });

  it('take the lead apart into what was made, whichever way is gone', () => {
    const lead = leadAt(DESIGN, PLACE, evidence);

    expect(lead?.whole.times.times).toBeCloseTo(0.8 * 0.9 * 1.5 * 2, 10);
    const parts = lead?.parts.map(({ name, effect }) => [name, Number(effect.times.times.toFixed(6))]);
    expect(parts).toEqual([
      ['multiplexing', 0.72],
      ['protobuf', 1.5],
      ['the server', 2],
    ]);
  });
});

describe('effects that interact', () => {
  const evidence = { slots: slotsOf(interacting) };

  it('differ by the level of the other factor, and their mean is the main effect', () => {
    const { steps, within } = contrast('h2');
    const byConnections = within.filter(({ factor }) => factor === 'connections');

    expect(byConnections.map((one) => effectOf(one.steps, PLACE, evidence)?.times.times)).toEqual([
      expect.closeTo(0.8, 10),
      expect.closeTo(0.8, 10),
      expect.closeTo(2.4, 10),
    ]);
    expect(effectOf(steps, PLACE, evidence)?.times.times).toBeCloseTo((0.8 * 0.8 * 2.4) ** (1 / 3), 10);
  });

  it('leave the effect of a third factor as it is', () => {
    for (const { steps } of contrast('protobuf').within) {
      expect(effectOf(steps, PLACE, evidence)?.times.times).toBeCloseTo(1.5, 10);
    }
  });

  it('are shared by the orders in which a lead is gone, so that its parts are the whole', () => {
    // Protobuf is worth more over h2, so what it brings depends on whether multiplexing comes before it.
    const truth: Truth = (levels) =>
      independent(levels) * (levels.includes('h2') && levels.includes('protobuf') ? 4 : 1);
    const lead = leadAt(DESIGN, PLACE, { slots: slotsOf(truth) });
    const [multiplexing, protobuf, server] = lead?.parts.map(({ effect }) => effect.times.times) ?? [];

    // The geometric mean of 1.5 and 1.5 * 4, and of 0.72 * 4 and 0.72.
    expect([multiplexing, protobuf, server]).toEqual([
      expect.closeTo(0.72 * 2, 10),
      expect.closeTo(1.5 * 2, 10),
      expect.closeTo(2, 10),
    ]);
    expect((multiplexing ?? 0) * (protobuf ?? 0) * (server ?? 0)).toBeCloseTo(lead?.whole.times.times ?? 0, 10);
  });

  it('multiply to the whole for any figures', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0.1, max: 10, noNaN: true }), { minLength: 15, maxLength: 15 }), (all) => {
        const truth: Truth = (levels) =>
          all[DESIGN.cells.findIndex(({ service }) => service === levels.join('-'))] ?? 1;
        const lead = leadAt(DESIGN, PLACE, { slots: slotsOf(truth) });
        const product = lead?.parts.reduce((times, { effect }) => times * effect.times.times, 1) ?? 0;
        expect(Math.log(product)).toBeCloseTo(Math.log(lead?.whole.times.times ?? 1), 8);
      }),
    );
  });
});

describe('what was not measured', () => {
  it('leaves the pairs that were, and says how many', () => {
    const slots = slotsOf(independent, {
      without: ['json-h2-8-own'],
      marks: { 'protobuf-h2-8-own': ['failing'] },
    });

    expect(effectOf(contrast('h2').steps, PLACE, { slots })).toMatchObject({ measured: 4 });
    expect(effectOf(contrast('h2').steps, { ...PLACE, tier: 'night' }, { slots })).toBeUndefined();
  });

  it('lets a lead go another way, or none', () => {
    const parts = (without: readonly string[]) =>
      leadAt(DESIGN, PLACE, { slots: slotsOf(interacting, { without }) })?.parts.map(({ name }) => name);

    expect(parts(['json-h2-1-own'])).toEqual(['multiplexing', 'protobuf', 'the server']);
    expect(parts(['json-h2-1-own', 'protobuf-h1-each-own'])).toEqual([]);
    expect(parts(['protobuf-h2-1-grpc'])).toBeUndefined();
    expect(leadAt({ ...DESIGN, lead: undefined }, PLACE, { slots: slotsOf(independent) })).toBeUndefined();
  });

  it('opens a side of an effect if users came no faster', () => {
    const slots = slotsOf(independent, { marks: { 'protobuf-h2-1-grpc': ['not-saturated'] } });
    const { times } = effectOf(contrast('grpc').steps, PLACE, { slots }) ?? {};

    expect(times?.high).toBe(Number.POSITIVE_INFINITY);
    expect(times?.low).toBeGreaterThan(1.8);
  });
});

describe('rounds and slots', () => {
  const slots = slotsOf(independent);

  it('rounds decide if they measured as many pairs', () => {
    const paired = pairedOf(interacting, 0.05);

    expect(effectOf(contrast('grpc').steps, PLACE, { paired, slots })).toMatchObject({ by: 'rounds' });
  });

  it('slots decide if they measured more, or if rounds have no interval', () => {
    const few = pairedOf(independent, 0.05, DESIGN.cells.slice(0, 3));

    expect(effectOf(contrast('h2').steps, PLACE, { paired: few, slots })).toMatchObject({ by: 'slots', measured: 6 });
    expect(effectOf(contrast('h2').steps, PLACE, { paired: pairedOf(independent, undefined), slots })?.by).toBe(
      'slots',
    );
  });

  it('rounds without an interval give a figure alone, if there are no slots', () => {
    const effect = effectOf(contrast('h2').steps, PLACE, { paired: pairedOf(independent, undefined) });

    expect(effect?.times).toEqual({ times: expect.closeTo(0.8, 10), low: undefined, high: undefined });
  });

  it('rounds against different references are not put together', () => {
    const paired = { ...pairedOf(independent, 0.05), references: { 'protobuf-h2-1-grpc': 'json-h2-8-own' } };

    expect(effectOf(contrast('grpc').steps, PLACE, { paired })).toMatchObject({ measured: 2 });
  });
});
