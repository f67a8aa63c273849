import type { RoundsRecord } from '../../src/model/run/rounds.ts';
import type { RunFile, RunInRounds } from '../../src/model/run/run.ts';
import { type SampleRoundsOptions, sampleRounds } from './sample-rounds.ts';

/** A shard to make up: services of any name, all with the figures of the REST service. */
export interface SampleShard extends Omit<SampleRoundsOptions, 'services' | 'record' | 'without'> {
  readonly index: number;
  /** The services of every shard. */
  readonly services: readonly (readonly string[])[];
  readonly record?: Partial<RoundsRecord>;
}

/** The run of one shard as `wiregauge compare --shard` leaves it; each service has a seed of its own. */
export function sampleShard({ index, services, record, ...options }: SampleShard): RunInRounds {
  const own = services[index - 1] ?? [];
  const seed = options.seed ?? index;
  const runs = own.map((name, place) =>
    renamed(sampleRounds({ ...options, seed: seed + 100 * place, services: ['rest'] }), name),
  );
  const [first] = runs;
  if (first === undefined) {
    throw new Error(`shard ${index} has no services`);
  }
  const side = (version: RoundsRecord['base']) => ({ ...version, services: own });
  return {
    ...first,
    seed,
    services: runs.flatMap((run) => run.services),
    samples: runs.flatMap(({ samples }) => samples),
    rounds: {
      ...first.rounds,
      base: side(first.rounds.base),
      head: side(first.rounds.head),
      rounds: runs.flatMap(({ rounds }) => rounds.rounds),
      shards: { kind: 'shard', of: services.length, index, services },
      ...record,
    },
  };
}

function renamed(run: RunInRounds, name: string): RunInRounds {
  return {
    ...run,
    services: run.services.map((service) => ({ ...service, name })),
    rounds: { ...run.rounds, rounds: run.rounds.rounds.map((round) => ({ ...round, service: name })) },
    samples: run.samples.map((sample) => ({ ...sample, cell: { ...sample.cell, service: name } })),
  };
}

/** Three services, a shard each. */
export const THREE = [['one'], ['two'], ['three']] as const;

/** The files of three shards, changed each as asked. */
export function threeShards(changes: readonly Partial<SampleShard>[] = []): readonly RunFile[] {
  return THREE.map((_, place) => ({
    file: `shard-${place + 1}/run.json`,
    run: sampleShard({ index: place + 1, services: THREE, ...changes[place] }),
  }));
}
