import { z } from 'zod';
import { recordIn } from '../../foundation/file-schema.ts';
import { listOf } from '../../foundation/list-schema.ts';
import { nameSchema as name } from '../../foundation/name-schema.ts';
import { runnerSchema } from '../../model/runner.ts';
import { PROTOCOL_NAMES } from '../../model/service.ts';
import { conclusionSchema } from './conclusion.ts';
import { criteriaSchema } from './criteria.ts';
import { stepSchema } from './step.ts';

/** Version of the layout of `saturate.json`; a file of another version is refused. */
export const SATURATE_SCHEMA = 1;

const text = z.string().max(2000);

const serviceSchema = z.object({
  name,
  title: text,
  protocol: z.enum(PROTOCOL_NAMES),
  environment: z.record(z.string(), text),
  /** Every load in the order in which they were played. */
  steps: listOf(stepSchema),
  /** The highest p99 at which a rate counted as held. */
  p99LimitMs: z.number().positive().optional(),
  /** Why the search ended: `done` by itself. */
  ended: z.enum(['done', 'steps', 'budget', 'interrupted', 'failed']),
  failure: z.object({ message: text, next: text.optional() }).optional(),
  conclusion: conclusionSchema,
});

/** What one service holds. */
export type ServiceKnee = Readonly<z.infer<typeof serviceSchema>>;

const recordSchema = z.object({
  /** Tells it from a run.json; the first key of the file. */
  kind: z.literal('saturate'),
  schema: z.literal(SATURATE_SCHEMA),
  wiregauge: text,
  startedAt: z.iso.datetime(),
  commit: z.object({ head: text.optional(), dirty: z.boolean() }),
  configHash: text,
  runner: runnerSchema,
  runtime: z.object({ name: z.enum(['docker', 'process']), reason: text }),
  limits: z.object({ cpus: z.number(), memoryMiB: z.number() }),
  tools: z.record(name, text),
  suite: z.object({ name, title: text, operations: listOf(z.object({ name, share: z.number() })) }),
  criteria: criteriaSchema,
  step: z.object({ warmupSeconds: z.number(), measureSeconds: z.number() }),
  budgetSeconds: z.number(),
  /** False where it was ended before every service was searched. */
  complete: z.boolean(),
  services: listOf(serviceSchema),
});

/** All that a search for the knees of services measured, and on what: `saturate.json`. */
export type SaturateRecord = Readonly<z.infer<typeof recordSchema>>;

/** What stands in `saturate.json`. */
export function formatSaturate({ kind, ...record }: SaturateRecord): string {
  return `${JSON.stringify({ kind, ...record }, undefined, 1)}\n`;
}

/** Whether the text of a file is that of a `saturate.json`, well-formed or not. */
export function isSaturate(content: string): boolean {
  return /^\s*\{\s*"kind":\s*"saturate"/.test(content);
}

/** The record in the text of a `saturate.json`; throws ConfigError, naming the file and the place in it, for any other text. */
export function parseSaturate(content: string, file: string): SaturateRecord {
  return recordIn(content, file, {
    schema: recordSchema,
    version: SATURATE_SCHEMA,
    next: {
      notJson: 'Give the saturate.json that `wiregauge saturate` left in its output folder.',
      otherVersion: 'Measure again with this version, or read the file with the version that wrote it.',
      malformed: 'The file was changed or damaged after it was written; measure again.',
    },
  });
}
