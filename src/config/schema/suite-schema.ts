import { z } from 'zod';
import { isDistinct, name, title } from '../../foundation/names.ts';
import { METRIC_NAMES, type MetricName } from '../../model/metric.ts';
import { operation } from '../operations/operation-schema.ts';
import { policyBlock } from './policy-schema.ts';
import { settings } from './program-schema.ts';
import { refuseSharedAddress, serviceEntry } from './service-schema.ts';
import { sweep } from './sweep-schema.ts';
import { tier } from './tier-schema.ts';

/** Loads of the study: 100, 500 and 1000 users who think for 0.3 s. */
const USUAL_TIERS = [
  { name: 'low', users: 100, spawnPerSecond: 10, thinkSeconds: 0.3 },
  { name: 'medium', users: 500, spawnPerSecond: 50, thinkSeconds: 0.3 },
  { name: 'high', users: 1000, spawnPerSecond: 100, thinkSeconds: 0.3 },
];

const USUAL_SATURATION = { workers: 50 };

const metric = z.enum(METRIC_NAMES as [MetricName, ...MetricName[]]);

const limit = z.number().positive();

const ratioTest = z
  .strictObject({
    service: name.describe('Whose figure it is.'),
    against: name.describe('Whose figure it is held against.'),
    tier: name.describe('The tier, or saturation.'),
    againstTier: name.optional().describe('The tier of the other figure; default: the same.'),
    operation: name.optional().describe('The operation; default: all together.'),
    metric: metric.describe('The figure.'),
    atLeast: limit.optional().describe('The least that the one has to be as a multiple of the other.'),
    atMost: limit.optional().describe('The most that the one may be as a multiple of the other.'),
  })
  .refine(({ atLeast, atMost }) => atLeast !== undefined || atMost !== undefined, 'says neither atLeast nor atMost');

const finding = z.strictObject({
  says: z.string().min(1).max(500).describe('What the study found.'),
  holdsIf: z.array(ratioTest).min(1).describe('What has to be measured, all of it, for that to hold here.'),
});

const published = z.strictObject({
  source: z.string().describe('Where it was published.'),
  note: z.string().describe('What was different there.'),
  figures: z
    .array(
      z.strictObject({
        service: name.describe('The service.'),
        tier: name.describe('The tier.'),
        metric: metric.describe('The figure.'),
        text: z.string().describe('The figure as it was printed.'),
      }),
    )
    .describe('Its figures.'),
  findings: z.array(finding).default([]).describe('What it found, to be tested here.'),
});

const keys = {
  operations: z
    .array(operation)
    .min(1)
    .refine((operations) => isDistinct(operations.flatMap((one) => one.name ?? [])), 'names an operation twice')
    .describe('What is asked of the services.'),
  tiers: z
    .array(tier)
    .min(1)
    .refine((tiers) => isDistinct(tiers.map((one) => one.name)), 'names a tier twice')
    .default(USUAL_TIERS)
    .describe(
      'Loads: by users who think, by requests a second, or by users who do not think; default: 100, 500 and 1000 users who think for 0.3 s.',
    ),
  saturation: z
    .strictObject({ workers: z.int().positive().describe('So many requests are under way at any time.') })
    .default(USUAL_SATURATION)
    .describe('The closed loop that finds the highest rate.'),
  environment: settings
    .optional()
    .describe(
      'Settings of all services in this suite, as environment variables: over those of the service itself, and given, recorded and filled in as they are.',
    ),
  sweep: sweep.optional(),
  published: published.optional().describe('Figures of a study, shown beside the measured ones.'),
  policy: policyBlock()
    .default({})
    .describe('How a comparison is judged: thresholds, budgets, what an inconclusive outcome is.'),
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
  name: name.default(PROJECT_SUITE).describe('What the history calls it.'),
  title: title.optional().describe('What reports call it; default: its name.'),
  services: z
    .record(name, serviceEntry)
    .refine((services) => Object.keys(services).length > 0, 'names no service')
    .superRefine(refuseSharedAddress)
    .describe('The services by their names, the reference first.'),
  ...keys,
});
