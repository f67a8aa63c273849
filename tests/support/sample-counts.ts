import { compareProfile } from '../../src/model/profiles.ts';
import type { ExecutedCall, ExecutedFunction } from '../../src/model/run/functions.ts';
import type { CountedStart, Fingerprint, InstructionsRecord } from '../../src/model/run/instructions.ts';
import type { Run, RunInRounds } from '../../src/model/run/run.ts';
import { sampleRounds } from './sample-rounds.ts';

/** Requests of each window, of either operation. */
export const WINDOW = 200;

/** Counted of the REST service of this repository: instructions per request in three windows each of two fresh starts. */
export const REST_STARTS = [
  [888_276, 889_097, 888_450],
  [888_890, 888_645, 888_540],
] as const;

/** The same with 150 additions more in each request. */
export const SLOWER_STARTS = [
  [901_082, 901_286, 901_649],
  [901_310, 901_120, 901_500],
] as const;

/** Of a service with a compiler that works beside it. */
export const NOISY_STARTS = [
  [657_000, 1_056_000, 840_000],
  [984_000, 850_000, 731_000],
] as const;

/** Of the REST service, as a plain process. */
export const FINGERPRINT: Fingerprint = {
  counter: 'valgrind 3.19.0 x64',
  wiregauge: '0.1.0',
  runtime: 'process',
  system: 'debian 12',
  environment: 'e1',
  command: 'c1',
  requests: 'r1',
};

export interface SampleCounts {
  readonly base?: readonly (readonly number[])[];
  readonly head?: readonly (readonly number[])[];
  readonly failures?: InstructionsRecord['failures'];
  readonly warmFrom?: number | undefined;
  /** What functions executed, as profiles tell it. */
  readonly functions?: Readonly<Record<'base' | 'head', readonly ExecutedFunction[]>>;
  /** The same by who called whom. */
  readonly calls?: Readonly<Record<'base' | 'head', readonly ExecutedCall[]>>;
}

const SIDES = ['base', 'head'] as const;

/** A comparison that counted instructions of the REST service alone; the same counts hold for both operations. */
export function sampleCounts(options: SampleCounts = {}): RunInRounds {
  const { base = REST_STARTS, head = REST_STARTS, failures = [] } = options;
  const warmFrom = 'warmFrom' in options ? options.warmFrom : 0;
  const startsOf = (side: 'base' | 'head', starts: readonly (readonly number[])[]) =>
    starts.map((windows, index): CountedStart => {
      const counted = {
        requests: WINDOW,
        instructions: windows.map((count) => count * WINDOW),
        syscalls: windows.map(() => 1880),
      };
      return {
        service: 'rest',
        side,
        start: index + 1,
        ...(warmFrom !== undefined && { warmFrom }),
        operations: [
          { operation: 'GetUser', ...counted },
          { operation: 'ListUsers', ...counted },
        ],
      };
    });
  const profile = compareProfile('instructions');
  const run = sampleRounds({ services: ['rest'], rounds: 0, record: { profile, tiers: [], ended: 'rounds' } });
  const counter = { name: 'valgrind' as const, version: '3.19.0', architecture: 'x64' };
  const { functions, calls } = options;
  const profiles = SIDES.map((side) => ({
    ...{ service: 'rest', side, functions: [...(functions?.[side] ?? [])] },
    ...(calls !== undefined && { calls: [...calls[side]] }),
  }));
  const instructions = {
    counter,
    starts: [...startsOf('base', base), ...startsOf('head', head)],
    ...(functions !== undefined && { profiles }),
    failures,
  };
  return { ...run, instructions, samples: [] };
}

/** A comparison in rounds that counted instructions of the REST service first. */
export function withCounts(run: RunInRounds, options: SampleCounts = {}): RunInRounds {
  const { instructions } = sampleCounts(options);
  return { ...run, ...(instructions !== undefined && { instructions }) };
}

/** A run that also counted its REST service, which no other version is compared with. */
export function withHeadCounts<Kind extends Run>(
  run: Kind,
  starts: readonly (readonly number[])[] = REST_STARTS,
  fingerprint: Fingerprint = FINGERPRINT,
): Kind {
  const { instructions } = sampleCounts({ head: starts, base: [] });
  return { ...run, instructions: { ...instructions, fingerprints: { rest: fingerprint } } };
}
