import * as z from 'zod';
import { ConfigError } from '../../foundation/errors.ts';
import { COUNTED, memberOperation } from '../../model/metric.ts';
import { changedPolicy, DEFAULT_POLICY, type Policy, type PolicyChange, PRESET_NAMES } from '../../model/policy.ts';
import type { Suite } from '../../model/suite/suite.ts';
import type { SourceText } from '../yaml/frame.ts';
import { parseYaml } from '../yaml/yaml.ts';
import { type KnownMetrics, MEASURED_METRICS, metricHint, metricNamed } from './metric-names.ts';

const name = z
  .string()
  .regex(/^(\*|[A-Za-z0-9_.-]{1,80})$/, 'must be a name of 1 to 80 letters, digits, dots, dashes or underscores, or *');

const NO_SHARE = 'must be a share like 5% or 0.05';

/** Share, as a percentage or a number below 1. A bare 5 is ambiguous (5% or a factor of 5) and is refused. */
const share = z.union([z.number(), z.string()], { error: NO_SHARE }).transform((value, context) => {
  const read = typeof value === 'number' ? value : percentIn(value);
  if (read !== undefined && read >= 0 && (typeof value === 'string' || read < 1)) {
    return read;
  }
  context.addIssue({ code: 'custom', message: NO_SHARE });
  return z.NEVER;
});

const slowdown = share.refine((value) => value > 0 && value <= 10, 'must be above 0% and at most 1000%');

/** Share in a text like "5%" or "0.5%"; undefined for other texts. */
function percentIn(text: string): number | undefined {
  return /^\d{1,4}(\.\d{1,6})?\s?%$/.test(text) ? Number(text.replace('%', '')) / 100 : undefined;
}

/** Share of unchanged pull requests that may fail. */
const alphaSchema = share.refine((value) => value > 0 && value <= 0.2, 'must be above 0% and at most 20%');

const place = {
  cell: z
    .string()
    .regex(/^[^/]+\/[^/]+\/[^/]+$/, 'must be service/operation/tier, each a name or *')
    .transform((text) => text.split('/'))
    .pipe(z.tuple([name, name, name]))
    .optional()
    .describe('`service/operation/tier`, each a name or `*`; or the next three keys.'),
  service: name.optional().describe('Only this service; default or `*`: all.'),
  operation: name.optional().describe('Only this operation; `all`: all of them together.'),
  tier: name.optional().describe('Only this tier; `saturation`: the closed loop.'),
};

const ofMember = {
  member: name
    .refine((value) => value !== '*', 'must be the name of one member')
    .optional()
    .describe(
      'Only this member of a service with several programs: its CPU time, instructions and system calls per request.',
    ),
};

interface GivenPlace {
  readonly member?: string | undefined;
  readonly cell?: readonly [string, string, string] | undefined;
  readonly service?: string | undefined;
  readonly operation?: string | undefined;
  readonly tier?: string | undefined;
}

/** Line with the fields of its cell; wildcards are removed. */
function placed<Line extends GivenPlace>({ cell, service, operation, tier, member, ...line }: Line) {
  const [ofService, given, ofTier] = cell ?? [service, operation, tier];
  const ofOperation = member === undefined ? given : memberOperation(member);
  return { ...line, ...named('service', ofService), ...named('operation', ofOperation), ...named('tier', ofTier) };
}

function named<Key extends string>(key: Key, value: string | undefined): { readonly [Name in Key]?: string } {
  return value === undefined || value === '*' ? {} : ({ [key]: value } as { readonly [Name in Key]: string });
}

function saysPlaceOnce({ cell, service, operation, tier }: GivenPlace): boolean {
  return cell === undefined || [service, operation, tier].every((field) => field === undefined);
}

/** Members are measured only for all operations together. */
function isWholeMember({ member, cell, operation, metric }: GivenPlace & { readonly metric?: string | undefined }) {
  const isJudged = metric === undefined || OF_MEMBER.includes(metric);
  return member === undefined || (cell === undefined && operation === undefined && isJudged);
}

const OF_MEMBER: readonly string[] = ['cpuMicrosPerRequest', ...COUNTED];

const MEMBER_MISFIT =
  'selects a member, for which only `cpu`, `instructions` and `syscalls` of all operations together are judged: remove cell and operation';

const PLACE_TWICE = 'cannot combine cell with service, operation or tier';

function metricOf(known: KnownMetrics) {
  return z.string().transform((text, context) => {
    const metric = metricNamed(text, known);
    if (metric === undefined) {
      const message = `there is no metric "${text.slice(0, 80)}": ${metricHint(text, known)}`;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    }
    return metric;
  });
}

function thresholdOf(known: KnownMetrics) {
  return z
    .strictObject({
      ...place,
      ...ofMember,
      metric: metricOf(known).optional().describe('Only this metric, by its name or short name.'),
      threshold: slowdown.optional().describe('The slowdown that counts as a regression, like `15%` or `0.15`.'),
      gate: z
        .boolean()
        .optional()
        .describe('`true`: it may fail a pull request, even if it is noisy; `false`: it is only shown.'),
    })
    .refine(saysPlaceOnce, PLACE_TWICE)
    .refine(isWholeMember, MEMBER_MISFIT)
    .refine((line) => line.threshold !== undefined || line.gate !== undefined, 'needs threshold, gate or both')
    .transform(placed);
}

function budgetOf(known: KnownMetrics) {
  const limit = z.number().positive().optional();
  return z
    .strictObject({
      ...place,
      metric: metricOf(known).describe('The metric, by its name or short name.'),
      atMost: limit.describe("The largest median of the head, in the metric's unit, if lower is better."),
      atLeast: limit.describe('The smallest one, if higher is better.'),
    })
    .refine(saysPlaceOnce, PLACE_TWICE)
    .refine((line) => (line.atMost === undefined) !== (line.atLeast === undefined), 'needs either atMost or atLeast')
    .refine(({ metric }) => known.get(metric) !== 'unknown', {
      error: 'is for a metric without a direction: set it with better, like `better: { score: higher }`',
    })
    .refine(
      ({ metric, atMost }) =>
        known.get(metric) === 'unknown' || (known.get(metric) === 'lower') === (atMost !== undefined),
      {
        error: 'has the wrong bound: use atMost if lower is better, atLeast if higher is better',
      },
    )
    .transform(({ atMost, atLeast, ...line }) => placed({ ...line, limit: atMost ?? atLeast ?? 0 }));
}

function driftOf(known: KnownMetrics) {
  const { service, tier } = place;
  return z
    .strictObject({
      service,
      tier,
      metric: metricOf(known).describe('The metric, by its name or short name.'),
      atMost: slowdown.describe('The slowdown against the anchor from which it fails, like `5%` or `0.05`.'),
    })
    .transform(({ atMost, ...line }) => placed({ ...line, limit: atMost }));
}

/** Known regressions that are accepted, in `.wiregauge/accepted.yml`. An empty file is an empty list. */
export function acceptedSchema(known: KnownMetrics = MEASURED_METRICS) {
  const line = z
    .strictObject({
      ...place,
      ...ofMember,
      metric: metricOf(known),
      upTo: slowdown,
      until: z.iso.date({ error: 'must be a date like 2027-01-31' }),
      why: z.string().min(1, 'needs a reason').max(2000),
    })
    .refine(saysPlaceOnce, PLACE_TWICE)
    .refine(isWholeMember, MEMBER_MISFIT)
    .transform(placed);
  return z
    .array(line)
    .max(500)
    .nullable()
    .transform((lines) => lines ?? []);
}

export function policyBlock(known: KnownMetrics = MEASURED_METRICS) {
  return z.strictObject({
    preset: z.enum(PRESET_NAMES).optional().describe('A named policy; the other keys override it.'),
    alpha: alphaSchema.optional().describe('The share of unchanged pull requests that may fail; default: `2%`.'),
    floor: share
      .refine((value) => value < 1, 'must be below 100%')
      .optional()
      .describe('Smaller slowdowns are never reported; default: `1%`.'),
    proof: z
      .enum(['usual', 'strict'])
      .optional()
      .describe('`strict`: a regression only if the whole interval is above the threshold; default: `usual`.'),
    inconclusive: z
      .enum(['warn', 'fail', 'pass'])
      .optional()
      .describe('Result of an inconclusive comparison; default: `warn`.'),
    answers: z.enum(['warn', 'fail', 'ignore']).optional().describe('Result of changed answers; default: `warn`.'),
    thresholds: z
      .array(thresholdOf(known))
      .max(500)
      .optional()
      .describe('Thresholds, and what may fail; the last matching entry applies.'),
    budgets: z
      .array(budgetOf(known))
      .max(500)
      .optional()
      .describe('Absolute limits for the head, independent of the base.'),
    drift: z
      .array(driftOf(known))
      .max(500)
      .optional()
      .describe('Limits for the drift of the default branch from the anchor.'),
  });
}

/**
 * Policy of a comparison: the default, changed by the suite, with the regressions in `.wiregauge/accepted.yml` if it
 * exists. Throws ConfigError with file, line and path of every mistake.
 */
export function policyOf(suite: Pick<Suite, 'policy'>, accepted: SourceText | undefined): Policy {
  const policy = changedPolicy(DEFAULT_POLICY, suite.policy);
  return accepted === undefined ? policy : { ...policy, accepted: parseYaml(accepted, acceptedSchema()) };
}

/**
 * Policy in its own file, for `--policy`: the keys of a suite's `policy:` block, and `accepted`. `known` are the
 * metrics that it may name. Throws ConfigError with file, line and path of every mistake.
 */
export function parsePolicy(source: SourceText, known: KnownMetrics = MEASURED_METRICS): PolicyChange {
  return parseYaml(source, policyBlock(known).extend({ accepted: acceptedSchema(known).optional() }));
}

/** Directions by patterns of metrics or benchmarks, in which `*` matches any text. The last match wins. */
const betterSchema = z.record(z.string().min(1).max(200), z.enum(['lower', 'higher'])).optional();

/** Returns the direction that a policy file sets for a metric of another tool's benchmark; undefined if it sets none. */
export type GivenDirection = (figure: {
  readonly name: string;
  readonly metric: string;
}) => 'lower' | 'higher' | undefined;

/**
 * Policy file for figures of other tools: the keys of `parsePolicy`, and `better`, a map from patterns of metrics or
 * benchmarks to `lower` or `higher`. Throws ConfigError with file, line and path of every mistake.
 */
export function parseToolPolicy(source: SourceText) {
  const { better = {} } = parseYaml(source, z.looseObject({ better: betterSchema }));
  const patterns = Object.entries(better).map(([pattern, direction]) => ({ parts: pattern.split('*'), direction }));
  const given: GivenDirection = ({ name, metric }) =>
    patterns.findLast(({ parts }) => fitsParts(metric, parts) || fitsParts(name, parts))?.direction;
  const policy = (known: KnownMetrics): PolicyChange => {
    const schema = policyBlock(known).extend({ accepted: acceptedSchema(known).optional(), better: betterSchema });
    const { better: _better, ...own } = parseYaml(source, schema);
    return own;
  };
  return { given, policy };
}

/** True if a text has these parts in this order, with anything between them. */
export function fitsParts(text: string, [first = '', ...others]: readonly string[]): boolean {
  const last = others.pop();
  if (last === undefined || !text.startsWith(first)) {
    return last === undefined && text === first;
  }
  const end = others.reduce((at, part) => {
    const found = at < 0 ? -1 : text.indexOf(part, at);
    return found < 0 ? -1 : found + part.length;
  }, first.length);
  return end >= 0 && text.length - last.length >= end && text.endsWith(last);
}

/** Value of `--alpha`, like "1%" or "0.01"; throws ConfigError if it is invalid. */
export function parseAlpha(text: string): number {
  const parsed = alphaSchema.safeParse(text.endsWith('%') ? text : Number(text));
  if (!parsed.success) {
    throw new ConfigError(
      `--alpha "${text.slice(0, 40)}": ${parsed.error.issues[0]?.message ?? 'is not a valid rate'}`,
      { code: 'WG-101', next: 'The default is 2%; use 1% to be stricter, or 5% to be more sensitive.' },
    );
  }
  return parsed.data;
}
