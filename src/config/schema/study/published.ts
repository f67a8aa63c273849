import * as z from 'zod';
import { name } from '../../../foundation/names.ts';
import { METRIC_NAMES, type MetricName } from '../../../model/metric.ts';
import { OWN_NAME } from '../../../model/sample/own-figures.ts';

const metric = z.enum(METRIC_NAMES as [MetricName, ...MetricName[]]);

const limit = z.number().nonnegative();

const runtime = z.enum(['docker', 'process']);

const ratioTest = z
  .strictObject({
    service: name.describe('The service that the figure belongs to.'),
    against: name
      .optional()
      .describe('The service whose figure it is compared with; default: none, the figure itself is tested.'),
    tier: name.describe('The tier, or saturation.'),
    againstTier: name.optional().describe('The tier of the other figure; default: the same.'),
    operation: name.optional().describe('The operation; default: all together.'),
    againstOwn: z
      .string()
      .regex(OWN_NAME, 'is not the name of a metric')
      .optional()
      .describe(
        'A time in the `metrics` of its programs, such as `calls_seconds`: the mean latency is compared with its mean over the same requests.',
      ),
    runtime: runtime
      .optional()
      .describe('The runtime that the service must run in: in the other, the result is unknown. Default: any.'),
    againstRuntime: runtime
      .optional()
      .describe('The runtime of the other service; default: that of the first. `run --runtime both` has both.'),
    metric: metric.describe('The figure.'),
    atLeast: limit.optional().describe('The minimum, as a multiple of the other figure or in its unit.'),
    atMost: limit.optional().describe('The maximum, as a multiple of the other figure or in its unit.'),
  })
  .refine(
    ({ against, againstTier }) => against !== undefined || againstTier === undefined,
    'has againstTier but no against',
  )
  .refine(
    ({ againstOwn, against, operation, metric: of }) =>
      againstOwn === undefined || (against === undefined && operation === undefined && of === 'latencyMeanMs'),
    'has againstOwn, which works only with the metric latencyMeanMs, without against and operation',
  )
  .refine(
    ({ runtime: own, againstRuntime }) => own !== undefined || againstRuntime === undefined,
    'has againstRuntime but no runtime',
  )
  .refine(({ atLeast, atMost }) => atLeast !== undefined || atMost !== undefined, 'needs atLeast, atMost or both');

const finding = z.strictObject({
  says: z.string().min(1).max(500).describe('The finding.'),
  of: z
    .string()
    .min(1)
    .max(80)
    .optional()
    .describe(
      'The case of the finding, such as Python: consecutive findings with the same text are one group of the table.',
    ),
  published: z.string().min(1).max(200).optional().describe('The figure as it was printed.'),
  holdsIf: z.array(ratioTest).min(1).describe('The tests that must all pass for the finding to hold.'),
});

const price = z.number().nonnegative();

const cost = z.strictObject({
  source: z.string().max(500).describe('The provider of the prices, and their date.'),
  tier: name.describe('The tier at which the cost is measured.'),
  requestsPerDay: z.int().positive().describe('Requests per day; a month has 30 days.'),
  replicas: z.int().positive().describe('The number of replicas, by which the memory is multiplied.'),
  prices: z
    .strictObject({
      vcpuMonth: price.describe('One core for a month.'),
      gibMonth: price.describe('1 GiB of memory for a month.'),
      gbMoved: price.describe('1 GB of traffic between the programs of a service.'),
      month: price.describe('Other costs of each service for a month, such as a load balancer.'),
    })
    .describe('In US dollars.'),
  totals: z
    .array(
      z.strictObject({
        service: name.describe('The service.'),
        text: z.string().max(80).describe('Its cost for a month, as it was printed.'),
      }),
    )
    .default([])
    .describe('The results of the study.'),
});

/** Figures and findings of a study, with prices for the cost. */
export const published = z.strictObject({
  source: z.string().describe('The place of publication.'),
  note: z.string().describe('Differences of the study.'),
  figures: z
    .array(
      z.strictObject({
        service: name.describe('The service.'),
        tier: name.describe('The tier.'),
        metric: metric.describe('The figure.'),
        text: z.string().describe('The figure as it was printed.'),
        runtime: runtime.optional().describe('The runtime of the figure; default: it is shown for both.'),
      }),
    )
    .describe('Its figures.'),
  findings: z.array(finding).default([]).describe('The findings of the study, to test here.'),
  leftOpen: z
    .boolean()
    .default(false)
    .describe('Its findings are about questions that the study left open: not part of `run --suite all-studies`.'),
  cost: cost.optional().describe('Prices, for the monthly cost of the services.'),
});
