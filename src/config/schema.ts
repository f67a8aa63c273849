import { z } from 'zod';
import { METRIC_NAMES, type MetricName } from '../core/metric.ts';
import { ALL_OPERATIONS, SATURATION } from '../core/sample.ts';
import { policyBlock } from './policy-schema.ts';

const name = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,79}$/, 'must be 1 to 80 letters, digits, dots, dashes or underscores');
const positive = z.number().positive();
const title = z.string().min(1).max(120);
const scalar = z.union([z.string(), z.number(), z.boolean()]);
const argv = z.array(scalar.transform(String)).min(1);
/** A path inside the repository: neither absolute nor leading out of it. */
const path = z
  .string()
  .min(1)
  .refine(
    (value) => !value.startsWith('/') && !value.split('/').includes('..'),
    'must be a path inside the repository',
  );

/** `service.yml`: a service under test. */
export const serviceSchema = z.strictObject({
  name,
  title,
  protocol: z.enum(['rest', 'grpc']),
  port: z.int().min(1).max(65_535),
  image: z.strictObject({ context: path, dockerfile: path, target: name.optional() }),
  process: z.strictObject({ build: z.array(argv).default([]), command: argv }),
  environment: z
    .record(
      z.string().regex(/^[A-Z_][A-Z0-9_]*$/, 'must be capitals, digits and underscores'),
      scalar.transform(String),
    )
    .default({}),
  proto: z.strictObject({ root: path, file: path }).optional(),
});

const operation = z.strictObject({
  name: name.refine(
    (value) => value !== ALL_OPERATIONS,
    `must not be "${ALL_OPERATIONS}", which stands for all operations together`,
  ),
  share: z.number().gt(0).max(1),
  arguments: z.array(z.record(z.string(), z.json())).min(1),
  rest: z
    .string()
    .regex(/^[A-Z]+ \/\S*$/, 'must be a method and a path, like GET /user/{id}')
    .optional(),
  grpc: z
    .string()
    .regex(/^[\w.]+\/\w+$/, 'must be a service and a method, like user.v1.UserService/GetUser')
    .optional(),
});

const tier = z.strictObject({
  name: name.refine((value) => value !== SATURATION, `must not be "${SATURATION}", which stands for the closed loop`),
  users: z.int().positive(),
  spawnPerSecond: positive,
  thinkSeconds: positive,
});

const metric = z.enum(METRIC_NAMES as [MetricName, ...MetricName[]]);

const published = z.strictObject({
  source: z.string(),
  note: z.string(),
  figures: z.array(z.strictObject({ service: name, tier: name, metric, text: z.string() })),
});

/** `suites/<name>.yml`: services, operations and tiers that are measured together. */
export const suiteSchema = z.strictObject({
  name,
  title,
  services: z.array(name).min(1).refine(isDistinct, 'names a service twice'),
  operations: z
    .array(operation)
    .min(1)
    .refine((operations) => isDistinct(operations.map((one) => one.name)), 'names an operation twice')
    .refine((operations) => isOne(operations.map((one) => one.share)), 'has shares that do not add up to 1'),
  tiers: z
    .array(tier)
    .min(1)
    .refine((tiers) => isDistinct(tiers.map((one) => one.name)), 'names a tier twice'),
  saturation: z.strictObject({ workers: z.int().positive() }),
  published: published.optional(),
  policy: policyBlock().default({}),
});

function isDistinct(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}

function isOne(shares: readonly number[]): boolean {
  return Math.abs(shares.reduce((sum, share) => sum + share, 0) - 1) < 1e-9;
}
