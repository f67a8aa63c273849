import { describe, expect, it } from 'vitest';
import { contrastsOf, designsIn } from '../../../../studies/judge/design.ts';
import { sampleRun } from '../../../support/sample-run.ts';

const FACTORS = [
  { name: 'body', levels: ['json', 'protobuf'] },
  { name: 'version', levels: ['h1', 'h2'] },
  { name: 'server', levels: ['own', 'grpc'] },
];

/** All of body and version with the own server, and one with the other. */
const CELLS = [
  { service: 'a', levels: ['json', 'h1', 'own'] },
  { service: 'b', levels: ['protobuf', 'h1', 'own'] },
  { service: 'c', levels: ['json', 'h2', 'own'] },
  { service: 'd', levels: ['protobuf', 'h2', 'own'] },
  { service: 'e', levels: ['protobuf', 'h2', 'grpc'] },
];

const DESIGN = { factors: FACTORS, cells: CELLS, lead: undefined, runtime: undefined };

const pairs = (steps: readonly { own: string; against: string }[]) => steps.map(({ own, against }) => own + against);

describe('the contrasts of a design', () => {
  it('are the pairs that differ in nothing else, level by level', () => {
    expect(contrastsOf(DESIGN).map(({ factor, from, to, steps }) => [factor, from, to, pairs(steps)])).toEqual([
      ['body', 'json', 'protobuf', ['ba', 'dc']],
      ['version', 'h1', 'h2', ['ca', 'db']],
      ['server', 'own', 'grpc', ['ed']],
    ]);
  });

  it('have pairs at each level of another factor, if that has two', () => {
    const [body, , server] = contrastsOf(DESIGN);

    expect(body?.within.map(({ factor, level, steps }) => [factor, level, pairs(steps)])).toEqual([
      ['version', 'h1', ['ba']],
      ['version', 'h2', ['dc']],
    ]);
    expect(server?.within).toEqual([]);
  });

  it('compare levels of another factor only by pairs that have twins there', () => {
    // gRPC with h1 and JSON, too: its change of version has no twin with protobuf.
    const cells = [
      ...CELLS,
      { service: 'f', levels: ['json', 'h2', 'grpc'] },
      { service: 'g', levels: ['json', 'h1', 'grpc'] },
    ];
    const version = contrastsOf({ ...DESIGN, cells }).find(({ factor }) => factor === 'version');

    expect(version?.within.map(({ factor, level, steps }) => [factor, level, pairs(steps)])).toEqual([
      ['body', 'json', ['ca']],
      ['body', 'protobuf', ['db']],
      ['server', 'own', ['ca']],
      ['server', 'grpc', ['fg']],
    ]);
  });

  it('hold every level against the first, of which a hole leaves fewer pairs', () => {
    const factors = [{ name: 'size', levels: ['s', 'm', 'l'] }, ...FACTORS.slice(0, 1)];
    const cells = [
      { service: 'a', levels: ['s', 'json'] },
      { service: 'b', levels: ['m', 'json'] },
      { service: 'c', levels: ['l', 'json'] },
      { service: 'd', levels: ['s', 'protobuf'] },
      { service: 'e', levels: ['l', 'protobuf'] },
    ];

    expect(contrastsOf({ ...DESIGN, factors, cells }).map(({ to, steps }) => [to, pairs(steps)])).toEqual([
      ['m', ['ba']],
      ['l', ['ca', 'ed']],
      ['protobuf', ['da', 'ec']],
    ]);
  });
});

describe('the designs in a run', () => {
  const run = sampleRun();
  const factorial = (names: readonly string[]) => ({
    factors: [{ name: 'protocol', levels: ['rest', 'grpc'] }],
    services: names.map((service) => ({ service, levels: [service.split('-')[0] ?? ''] })),
  });
  const withServices = (names: readonly string[], runtimes: readonly ('docker' | 'process')[] = []) => ({
    suite: { ...run.suite, factorial: factorial(names) },
    services: names.map((name, place) => ({
      name,
      title: name,
      protocol: 'rest' as const,
      environment: {},
      ...(runtimes[place] !== undefined && { runtime: runtimes[place] }),
    })),
  });

  it('are none without one in the suite, or with fewer than two of its services', () => {
    expect(designsIn(run)).toEqual([]);
    expect(designsIn(withServices(['rest']))).toEqual([]);
    expect(designsIn({ ...withServices(['rest', 'grpc']), services: withServices(['rest']).services })).toEqual([]);
  });

  it('are one for each runtime', () => {
    const both = withServices(
      ['rest-process', 'rest-docker', 'grpc-process', 'grpc-docker'],
      ['process', 'docker', 'process', 'docker'],
    );

    expect(designsIn(both).map(({ runtime, cells }) => [runtime, cells.map(({ service }) => service)])).toEqual([
      ['process', ['rest-process', 'grpc-process']],
      ['docker', ['rest-docker', 'grpc-docker']],
    ]);
    expect(designsIn(withServices(['rest', 'grpc'])).map(({ runtime }) => runtime)).toEqual([undefined]);
  });
});
