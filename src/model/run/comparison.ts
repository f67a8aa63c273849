import { ALL_OPERATIONS, type CellKey, SATURATION, type Sample } from '../metric.ts';
import type { RoundsRecord } from './rounds.ts';
import type { Run } from './run.ts';

/** A run in which two versions were compared. */
export type RunInRounds = Run & { readonly rounds: RoundsRecord };

/** One cell in the kept rounds of its service; the i-th entry is the i-th kept round of the service. */
export interface KeptCell {
  readonly cell: CellKey;
  readonly base: readonly (Sample | undefined)[];
  readonly head: readonly (Sample | undefined)[];
}

/** Services of either version, in the order of the head. */
export function servicesOf({ base, head }: RoundsRecord): readonly string[] {
  return [...new Set([...head.services, ...base.services])];
}

/**
 * Every cell that was loaded, in an order that does not hang on the order of the samples: by service, saturation and
 * then the tiers, all operations together and then each.
 */
export function keptCells({ rounds: record, samples, suite }: RunInRounds): readonly KeptCell[] {
  const found = new Map(samples.map((sample) => [placeOf(sample.cell, sample), sample]));
  const operationsOf = (tier: string): readonly string[] => {
    const named = suite.tiers.find(({ name }) => name === tier)?.operations;
    return [
      ALL_OPERATIONS,
      ...suite.operations.map(({ name }) => name).filter((name) => named?.includes(name) ?? true),
    ];
  };
  return servicesOf(record).flatMap((service) => {
    const rounds = keptRounds(record, service);
    return [SATURATION, ...record.tiers].flatMap((tier) =>
      operationsOf(tier).map((operation) => {
        const cell = { suite: suite.name, service, operation, tier };
        const samplesOf = (side: Sample['side']) => rounds.map((round) => found.get(placeOf(cell, { round, side })));
        return { cell, base: samplesOf('base'), head: samplesOf('head') };
      }),
    );
  });
}

function keptRounds({ rounds }: RoundsRecord, service: string): readonly number[] {
  return rounds
    .filter((record) => record.service === service && record.outcome === 'kept')
    .map(({ round }) => round)
    .sort((left, right) => left - right);
}

function placeOf({ service, operation, tier }: CellKey, { round, side }: Pick<Sample, 'round' | 'side'>): string {
  return `${service} ${operation} ${tier} ${round} ${side}`;
}

/**
 * The rounds in which services were held against each other, as a run of their own: of `wiregauge versus` the run itself, of a main
 * job the part of it that has them. undefined where there are none.
 */
export function versusRun({ versus, ...run }: Run): RunInRounds | undefined {
  const { rounds } = run;
  if (rounds?.versus !== undefined) {
    return { ...run, rounds };
  }
  return versus === undefined ? undefined : { ...run, ...versus, failures: [] };
}

/**
 * The main job's run with the rounds of its services. They stay apart from its slots: whatever reads a run without rounds, as baselines
 * and the history do, goes on reading the slots alone.
 */
export function withVersus(run: Run, { startedAt, plan, spent, complete, rounds, samples }: RunInRounds): Run {
  const { versus } = rounds;
  if (versus === undefined) {
    throw new RangeError('these rounds compare two versions');
  }
  return { ...run, versus: { startedAt, plan, spent, complete, rounds: { ...rounds, versus }, samples } };
}
