import { z } from 'zod';
import { METRIC_NAMES, type MetricName } from '../core/metric.ts';
import { SATURATION } from '../core/sample.ts';
import { isDistinct, name, title } from './names.ts';
import { operation } from './operation-schema.ts';
import { policyBlock } from './policy-schema.ts';
import { refuseSharedAddress, serviceEntry } from './service-schema.ts';

const positive = z.number().positive();

const tier = z.strictObject({
  name: name.refine((value) => value !== SATURATION, `must not be "${SATURATION}", which stands for the closed loop`),
  users: z.int().positive().describe('So many at once, each with one request under way at most.'),
  spawnPerSecond: positive.describe('So many of them begin in a second.'),
  thinkSeconds: positive.describe('From one request of a user to their next: the rate is users / thinkSeconds.'),
});

/** Loads of the study: 100, 500 and 1000 users who think for 0.3 s. */
const USUAL_TIERS = [
  { name: 'low', users: 100, spawnPerSecond: 10, thinkSeconds: 0.3 },
  { name: 'medium', users: 500, spawnPerSecond: 50, thinkSeconds: 0.3 },
  { name: 'high', users: 1000, spawnPerSecond: 100, thinkSeconds: 0.3 },
];

const USUAL_SATURATION = { workers: 50 };

const metric = z.enum(METRIC_NAMES as [MetricName, ...MetricName[]]);

const published = z.strictObject({
  source: z.string(),
  note: z.string(),
  figures: z.array(z.strictObject({ service: name, tier: name, metric, text: z.string() })),
});

const keys = {
  operations: z
    .array(operation)
    .min(1)
    .refine((operations) => isDistinct(operations.map((one) => one.name)), 'names an operation twice')
    .describe('What is asked of the services.'),
  tiers: z
    .array(tier)
    .min(1)
    .refine((tiers) => isDistinct(tiers.map((one) => one.name)), 'names a tier twice')
    .default(USUAL_TIERS)
    .describe('Loads with a fixed rate; default: 100, 500 and 1000 users.'),
  saturation: z
    .strictObject({ workers: z.int().positive() })
    .default(USUAL_SATURATION)
    .describe('The closed loop that finds the highest rate: so many requests under way at any time; default: 50.'),
  published: published.optional().describe('Figures of a study, shown beside the measured ones.'),
  policy: policyBlock().default({}).describe('How a comparison is judged.'),
};

/** `suites/<name>.yml`: services, operations and tiers that are measured together. */
export const suiteSchema = z.strictObject({
  name,
  title,
  services: z.array(name).min(1).refine(isDistinct, 'names a service twice').describe('The reference first.'),
  ...keys,
});

/** Its name unless it says another. */
export const PROJECT_SUITE = 'main';

/** `wiregauge.yml`: the one suite of a repository, with its services in place. */
export const projectSchema = z.strictObject({
  name: name.default(PROJECT_SUITE).describe(`What the history calls it; default: ${PROJECT_SUITE}.`),
  title: title.optional().describe('What reports call it.'),
  services: z
    .record(name, serviceEntry)
    .refine((services) => Object.keys(services).length > 0, 'names no service')
    .superRefine(refuseSharedAddress)
    .describe('The services by their names, the reference first.'),
  ...keys,
});
