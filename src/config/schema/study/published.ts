import { z } from 'zod';
import { name } from '../../../foundation/index.ts';
import { METRIC_NAMES, type MetricName, OWN_NAME } from '../../../model/index.ts';

const metric = z.enum(METRIC_NAMES as [MetricName, ...MetricName[]]);

const limit = z.number().nonnegative();

const runtime = z.enum(['docker', 'process']);

const ratioTest = z
  .strictObject({
    service: name.describe('Whose figure it is.'),
    against: name
      .optional()
      .describe('The service whose figure it is compared with; default: none, and the figure is tested as it is.'),
    tier: name.describe('The tier, or saturation.'),
    againstTier: name.optional().describe('The tier of the other figure; default: the same.'),
    operation: name.optional().describe('The operation; default: all together.'),
    againstOwn: z
      .string()
      .regex(OWN_NAME, 'is no name of a metric')
      .optional()
      .describe(
        'A time in the `metrics` of its programs, such as `calls_seconds`: the mean latency is compared with the mean of that, of the same requests.',
      ),
    runtime: runtime
      .optional()
      .describe('Where the service has to run for it: a run in the other runtime cannot tell. Default: anywhere.'),
    againstRuntime: runtime
      .optional()
      .describe('Where the other service has to run; default: where the first does. `run --runtime both` has both.'),
    metric: metric.describe('The figure.'),
    atLeast: limit.optional().describe('The least that the one has to be as a multiple of the other, or in its unit.'),
    atMost: limit.optional().describe('The most that the one may be as a multiple of the other, or in its unit.'),
  })
  .refine(
    ({ against, againstTier }) => against !== undefined || againstTier === undefined,
    'has againstTier and no against',
  )
  .refine(
    ({ againstOwn, against, operation, metric: of }) =>
      againstOwn === undefined || (against === undefined && operation === undefined && of === 'latencyMeanMs'),
    'has againstOwn, which is for the metric latencyMeanMs alone, without against and operation',
  )
  .refine(
    ({ runtime: own, againstRuntime }) => own !== undefined || againstRuntime === undefined,
    'has againstRuntime and no runtime',
  )
  .refine(({ atLeast, atMost }) => atLeast !== undefined || atMost !== undefined, 'says neither atLeast nor atMost');

const finding = z.strictObject({
  says: z.string().min(1).max(500).describe('What the study found.'),
  of: z
    .string()
    .min(1)
    .max(80)
    .optional()
    .describe(
      'Which case of it this is, such as Python: findings in a row that say the same are one group of the table.',
    ),
  published: z.string().min(1).max(200).optional().describe('The figure for it as it was printed.'),
  holdsIf: z.array(ratioTest).min(1).describe('What has to be measured, all of it, for that to hold here.'),
});

const price = z.number().nonnegative();

const cost = z.strictObject({
  source: z.string().max(500).describe('Whose prices, and of what day.'),
  tier: name.describe('The tier at which the services are measured for it.'),
  requestsPerDay: z.int().positive().describe('Requests in a day; a month has 30 days.'),
  replicas: z.int().positive().describe('How many times the memory is taken.'),
  prices: z
    .strictObject({
      vcpuMonth: price.describe('Of a core for a month.'),
      gibMonth: price.describe('Of 1 GiB of memory for a month.'),
      gbMoved: price.describe('Of 1 GB between the programs of a service.'),
      month: price.describe('Of what each service has besides, for a month, such as a load balancer.'),
    })
    .describe('In US dollars.'),
  totals: z
    .array(
      z.strictObject({
        service: name.describe('The service.'),
        text: z.string().max(80).describe('What it costs in a month, as it was printed.'),
      }),
    )
    .default([])
    .describe('What the study came to.'),
});

/** Figures and findings of a study, with the prices that it reckons with. */
export const published = z.strictObject({
  source: z.string().describe('The place of publication.'),
  note: z.string().describe('What differed there.'),
  figures: z
    .array(
      z.strictObject({
        service: name.describe('The service.'),
        tier: name.describe('The tier.'),
        metric: metric.describe('The figure.'),
        text: z.string().describe('The figure as it was printed.'),
        runtime: runtime.optional().describe('The runtime of the figure; default: it stands beside either.'),
      }),
    )
    .describe('Its figures.'),
  findings: z.array(finding).default([]).describe('What it found, to test here.'),
  leftOpen: z
    .boolean()
    .default(false)
    .describe('Its findings are about what the study left open: not part of `run --suite all-studies`.'),
  cost: cost.optional().describe('Prices, for the cost of the services in a month.'),
});
