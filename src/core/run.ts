import { z } from 'zod';
import { ConfigError } from './errors.ts';
import { firstIssue, otherSchema, schemaOf } from './file-schema.ts';
import { METRIC_NAMES } from './metric.ts';
import { roundsSchema } from './run-rounds.ts';
import { runnerSchema } from './runner.ts';

/** Version of the layout of `run.json`; a file of another version is refused. */
export const RUN_SCHEMA = 2;

const count = z.number().int().nonnegative();
const share = z.number().nonnegative();
const name = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,80}$/, 'a name has 1 to 80 letters, digits, dots, dashes or underscores');
const metricName = z.enum(METRIC_NAMES as [(typeof METRIC_NAMES)[number], ...(typeof METRIC_NAMES)[number][]]);
const text = z.string().max(2000);
const list = <Item extends z.ZodType>(item: Item) => z.array(item).readonly();

const cell = z.object({ suite: name, service: name, operation: name, tier: name });

const series = z
  .object({
    second: list(z.number()),
    offeredRps: list(z.number()),
    achievedRps: list(z.number()),
    latencyP50Ms: list(z.number().nullable()),
    latencyP99Ms: list(z.number().nullable()),
  })
  .refine((columns) => new Set(Object.values(columns).map((column) => column.length)).size === 1, {
    message: 'the columns of a time series are of different lengths',
  });

const marks = [
  'saturated',
  'generator-limited',
  'not-saturated',
  'failing',
  'dropped',
  'stalled',
  'socket-limited',
  'disturbed',
] as const;

const sample = z.object({
  cell,
  round: count,
  side: z.enum(['base', 'head']),
  position: count,
  blocks: count.optional(),
  values: z.partialRecord(metricName, z.number()),
  histogram: z.string(),
  requests: count,
  failures: list(z.object({ kind: text, count })),
  offeredRps: z.number().optional(),
  droppedRequests: count,
  measuredSeconds: z.number(),
  workers: count,
  marks: list(z.enum(marks)),
  series: series.optional(),
  host: z.object({
    stealShare: share,
    foreignCpuShare: share,
    needsCpuShare: share.optional(),
    cpuPressureShare: share.optional(),
    listenOverflows: count,
    timeWaitSockets: count,
  }),
});

const cellFailure = z.object({
  suite: name,
  service: name,
  tier: name,
  round: count,
  message: text,
  next: text.optional(),
});

const tier = z.object({
  name,
  users: count,
  spawnPerSecond: z.number(),
  thinkSeconds: z.number(),
});

const profile = z.object({
  name,
  rampScale: z.number(),
  warmupSeconds: z.number(),
  measureSeconds: z.number(),
  saturationSeconds: z.number(),
  rounds: count,
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
  runtime: z.object({ name: z.enum(['docker', 'process']), reason: text }),
  /** Of each service. */
  limits,
  tools: z.record(name, text),
  suite: z.object({
    name,
    title: text,
    operations: list(z.object({ name, share: z.number() })),
    tiers: list(tier),
    published: z
      .object({
        source: text,
        note: text,
        figures: list(z.object({ service: name, tier: name, metric: metricName, text })),
      })
      .optional(),
  }),
  services: list(
    z.object({
      name,
      title: text,
      protocol: z.enum(['rest', 'grpc']),
      environment: z.record(z.string(), text),
      /** Where they differ from those of the run. */
      limits: limits.optional(),
      /** Of a service that was running already. */
      address: text.optional(),
      needs: list(z.object({ name, source: text, fresh: z.enum(['slot', 'run']), limits })).optional(),
    }),
  ),
  plan: z.object({ profile, modes: list(z.enum(['open', 'saturate'])), plannedSeconds: z.number() }),
  /** Wall time of the run and how much of it was neither warm-up nor measurement. */
  spent: z.object({ totalSeconds: z.number(), overheadSeconds: z.number() }),
  /** False where the run was ended before its plan was done. */
  complete: z.boolean(),
  /** Only of two versions that were compared; samples of discarded rounds are kept, too. */
  rounds: roundsSchema.optional(),
  samples: list(sample),
  failures: list(cellFailure),
});

/** All that one run measured, and on what: the only thing that crosses stages and machines. */
export type Run = z.infer<typeof runSchema>;

/** A slot that gave no samples, and why. */
export type CellFailure = z.infer<typeof cellFailure>;

/** What stands in `run.json` for a run. */
export function formatRun(run: Run): string {
  return `${JSON.stringify(run)}\n`;
}

/**
 * The run in the text of a `run.json`.
 * Throws ConfigError, naming the file and the place in it, for a text that is cut short, of another schema or malformed.
 */
export function parseRun(content: string, file: string): Run {
  const found = parseJson(content, file);
  if (schemaOf(found) !== RUN_SCHEMA) {
    throw new ConfigError(`${file}: ${otherSchema(found, RUN_SCHEMA)}`, {
      next: 'Measure again with this version, or read the file with the version that wrote it: in workflows, the same `uses: wiregauge/wiregauge@<version>` in the one that measures and the one that comments.',
    });
  }
  const parsed = runSchema.safeParse(found);
  if (!parsed.success) {
    throw new ConfigError(`${file}: ${firstIssue(parsed.error)}`, {
      next: 'The file was changed or damaged after it was written; measure again.',
    });
  }
  return parsed.data;
}

function parseJson(content: string, file: string): unknown {
  try {
    return JSON.parse(content);
  } catch (cause) {
    throw new ConfigError(`${file}: is not JSON, or was cut short (${content.length} characters)`, {
      cause,
      next: 'Give the run.json that `wiregauge run` left in its output folder.',
    });
  }
}
