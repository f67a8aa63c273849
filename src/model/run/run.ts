import * as z from 'zod';
import { nameSchema as name } from '../../foundation/names.ts';
import { listOf, recordIn } from '../../foundation/schema.ts';
import { count, text } from '../fields.ts';
import { profileSchema } from '../plan.ts';
import { runnerSchema } from '../runner.ts';
import { microBenchmarksSchema } from '../sample/micro-benchmark.ts';
import { membersOf } from '../sample/own-figures.ts';
import { PROTOCOL_NAMES, RUNTIMES } from '../service.ts';
import { factorialSchema } from '../suite/factorial.ts';
import { groupsSchema } from '../suite/groups.ts';
import { networkSchema } from '../suite/network.ts';
import { tierSchema } from '../suite/suite.ts';
import { callsSchema } from './calls.ts';
import { profilerSchema } from './functions.ts';
import { instructionsSchema } from './instructions.ts';
import { memoryGrowthSchema } from './memory-growth.ts';
import { failureSchema, type RoundsRecord, roundsSchema, sizesSchema } from './rounds.ts';
import { sampleSchema } from './sample.ts';
import { publishedSchema } from './study.ts';
import { sweepSchema } from './sweep.ts';

/** Version of the layout of `run.json`; a file of another version is refused. */
export const RUN_SCHEMA = 2;

const cellFailure = failureSchema
  .pick({ message: true, code: true, next: true })
  .extend({ suite: name, service: name, tier: name, round: count });

const plan = z.object({
  profile: profileSchema,
  modes: listOf(z.enum(['open', 'saturate'])),
  plannedSeconds: z.number(),
  /** Time limit of the main job after the builds; a comparison has its own in `rounds`. */
  budgetSeconds: z.number().optional(),
  /** Trials (slots) and rounds that the budget left out. */
  cut: z.object({ slots: count, rounds: count }).optional(),
});

const seconds = z.number();
/** Wall time of the run, and how much of it was neither warm-up nor measurement; for a comparison, how much was no measured window, and the time for counting before. */
const spent = z.object({ totalSeconds: seconds, overheadSeconds: seconds, countingSeconds: seconds.optional() });

const wasNamed = z.object({
  services: z.record(name, listOf(name)),
  operations: z.record(name, listOf(name)),
  /** Hashes of the configuration with former names: stored runs that have one of them differ only in names. */
  configHashes: listOf(text),
});

const limits = z.object({ cpus: z.number(), memoryMiB: z.number() });

const runSchema = z.object({
  schema: z.literal(RUN_SCHEMA),
  wiregauge: text,
  startedAt: z.iso.datetime(),
  commit: z.object({ head: text.optional(), dirty: z.boolean() }),
  configHash: text,
  seed: count,
  runner: runnerSchema,
  runtime: z.object({ name: z.enum(RUNTIMES), reason: text }),
  /** Limits of each service. */
  limits,
  tools: z.record(name, text),
  suite: z.object({
    name,
    title: text,
    /** Operations of all services, each name once. */
    operations: listOf(z.object({ name, share: z.number() })),
    /** Operations of each service, if they differ. */
    groups: groupsSchema(z.object({ name, share: z.number() })),
    /** Network of the closed loop; each tier has its own. */
    network: networkSchema.optional(),
    /** Warm-up of the closed loop, in addition to that of the profile. */
    warmupSeconds: z.number().optional(),
    tiers: listOf(tierSchema),
    wasNamed: wasNamed.optional(),
    sweep: sweepSchema.optional(),
    factorial: factorialSchema.optional(),
    published: publishedSchema.optional(),
  }),
  services: listOf(
    z.object({
      name,
      title: text,
      protocol: z.enum(PROTOCOL_NAMES),
      /** Place of the service, in a run of both runtimes. */
      runtime: z.enum(['docker', 'process']).optional(),
      /** Variant of a service, with its settings. */
      variant: z.object({ of: name, name, environment: z.record(z.string(), text) }).optional(),
      environment: z.record(z.string(), text),
      /** Only if they differ from those of the run. */
      limits: limits.optional(),
      /** Only for a service that was already running. */
      address: text.optional(),
      needs: listOf(z.object({ name, source: text, fresh: z.enum(['slot', 'run']), limits })).optional(),
      /** Number of cores of the service; `each`: one per member. */
      cores: z.union([z.literal('each'), z.int().min(2).max(64)]).optional(),
      /** Only for a service with several programs: the entry first, then the others in start order. */
      members: membersOf(
        z.object({ name, source: text, dependsOn: membersOf(name), environment: z.record(z.string(), text), limits }),
      ).optional(),
    }),
  ),
  plan,
  spent,
  /** False if the run ended before its plan was complete. */
  complete: z.boolean(),
  rounds: roundsSchema.optional(),
  instructions: instructionsSchema.optional(),
  calls: callsSchema.optional(),
  /** Build sizes of a run without a base; a comparison has them in its versions. */
  sizes: sizesSchema.optional(),
  memoryGrowth: memoryGrowthSchema.optional(),
  profiler: profilerSchema.optional(),
  microBenchmarks: microBenchmarksSchema.optional(),
  samples: listOf(sampleSchema),
  failures: listOf(cellFailure),
  /** Only for a main job that compared its services with each other. */
  versus: z
    .object({
      startedAt: z.iso.datetime(),
      plan,
      spent,
      complete: z.boolean(),
      rounds: roundsSchema.required({ versus: true }),
      samples: listOf(sampleSchema),
    })
    .optional(),
});

type RunRecord = z.infer<typeof runSchema>;

/** Measurements of one run, and its environment: the only data that crosses stages and machines. */
export type Run = MainRun | RunInRounds;

/** Run of the main job, with `versus` if it then compared its services with each other, in rounds with separate samples. */
export interface MainRun extends Omit<RunRecord, 'rounds'> {
  readonly rounds?: undefined;
}

/** Run that compared two versions, or services with a reference; it includes the samples of discarded rounds. */
export interface RunInRounds extends Omit<RunRecord, 'rounds' | 'versus'> {
  readonly rounds: RoundsRecord;
  readonly versus?: undefined;
}

export type CellFailure = z.infer<typeof cellFailure>;

export function formatRun(run: Run): string {
  return `${JSON.stringify(run)}\n`;
}

/** Run in the text of a `run.json`. Throws ConfigError with the file and the place in it. */
export function parseRun(content: string, file: string): Run {
  const record = recordIn(content, file, {
    schema: runSchema,
    version: RUN_SCHEMA,
    next: {
      notJson: 'Pass the run.json that `wiregauge run` wrote to its output folder.',
      otherVersion:
        'Measure again with this version, or read the file with the version that wrote it: in workflows, use the same `uses: wiregauge/wiregauge@<version>` for measuring and commenting.',
      malformed: 'The file was changed or damaged after it was written; measure again.',
    },
  });
  const { versus: _versus, ...inRounds } = record;
  // No version writes a run of both kinds; in a file with both, the rounds count.
  return (record.rounds === undefined ? record : inRounds) as Run;
}

export interface RunFile {
  readonly file: string;
  readonly run: Run;
}
