import { ALL_OPERATIONS, type CellKey, SATURATION } from '../metric.ts';
import { operationsFor } from '../suite/groups.ts';
import type { RoundsRecord } from './rounds.ts';
import type { MainRun, Run, RunInRounds } from './run.ts';
import type { Sample } from './sample.ts';

/** Run in rounds that compares services with a reference, rather than two versions with each other. */
export interface VersusRun extends RunInRounds {
  readonly rounds: NonNullable<MainRun['versus']>['rounds'];
}

export function isInRounds(run: Run): run is RunInRounds {
  return run.rounds !== undefined;
}

export function isVersus(run: Run): run is VersusRun {
  return run.rounds?.versus !== undefined;
}

export type VersusReference = NonNullable<RoundsRecord['versus']>;

export function referenceOf({ reference, references = {} }: VersusReference, service: string): string {
  return (Object.hasOwn(references, service) ? references[service] : undefined) ?? reference;
}

/** One cell in the kept rounds of its service; entry i is its i-th kept round. */
export interface KeptCell {
  readonly cell: CellKey;
  /** True if it compares two services, neither of which has to be the better one. */
  readonly isVersus: boolean;
  readonly base: readonly (Sample | undefined)[];
  readonly head: readonly (Sample | undefined)[];
}

export function servicesOf({ base, head }: RoundsRecord): readonly string[] {
  return [...new Set([...head.services, ...base.services])];
}

/** Every loaded cell, by service, in an order that does not depend on that of the samples. */
export function keptCells(run: RunInRounds): readonly KeptCell[] {
  const { rounds: record, samples } = run;
  const found = new Map(samples.map((sample) => [placeOf(sample.cell, sample), sample]));
  const planned = plannedCells(run);
  return servicesOf(record).flatMap((service) => {
    const rounds = keptRounds(record, service);
    return planned(service).map((cell) => {
      const samplesOf = (side: Sample['side']) => rounds.map((round) => found.get(placeOf(cell, { round, side })));
      return { cell, isVersus: isVersus(run), base: samplesOf('base'), head: samplesOf('head') };
    });
  });
}

/** Cells that each round of a service loads: saturation and then the tiers, all operations together and then each. */
export function plannedCells({ rounds: record, suite }: RunInRounds): (service: string) => readonly CellKey[] {
  return (service) => {
    const names = operationsFor(suite, service).map(({ name }) => name);
    return [SATURATION, ...record.tiers].flatMap((tier) => {
      const named = suite.tiers.find(({ name }) => name === tier)?.operations;
      const own = names.filter((name) => named?.includes(name) ?? true);
      // If others have separate operations, a tier may have no request for this service.
      const loaded = own.length === 0 && suite.groups !== undefined ? [] : [ALL_OPERATIONS, ...own];
      return loaded.map((operation) => ({ suite: suite.name, service, operation, tier }));
    });
  };
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

/** Rounds in which services were compared, as a separate run; undefined if there are none. */
export function versusRun(run: Run): VersusRun | undefined {
  const { versus, instructions: _ofEach, ...trials } = run;
  if (versus === undefined) {
    return isVersus(run) ? run : undefined;
  }
  return { ...trials, ...versus, failures: [] };
}

/** Main job's run with its rounds separate from its other trials, which are all that baselines and the history read. */
export function withVersus(run: MainRun, paired: RunInRounds): MainRun {
  if (!isVersus(paired)) {
    throw new RangeError('these rounds compare two versions');
  }
  const { startedAt, plan, spent, complete, rounds, samples } = paired;
  return { ...run, versus: { startedAt, plan, spent, complete, rounds, samples } };
}
