import * as z from 'zod';
import { nameSchema } from '../../foundation/names.ts';
import { listOf } from '../../foundation/schema.ts';
import { count, text } from '../fields.ts';

/** Page on which a program shows its own metrics, in the text format of Prometheus, and the metrics to read. */
export interface MetricsPage {
  readonly path: string;
  readonly names: readonly string[];
}

export const OWN_NAME = /^[A-Za-z_:][A-Za-z0-9_:]{0,119}$/;

export const MAX_OWN_FIGURES = 20;

export const OWN_KINDS = ['histogram', 'summary', 'counter', 'gauge'] as const;

/** Maximum number of programs in one service: each is compared under each load. */
export const MAX_MEMBERS = 32;

const TOO_MANY = `has more than ${MAX_MEMBERS} members`;

/** A list with no more items than a service may have members. */
export const membersOf = <Item extends z.ZodType>(item: Item) =>
  listOf(item).refine(({ length }) => length <= MAX_MEMBERS, TOO_MANY);

/** Values of each member of a service, by its name. */
export const byMember = <Item extends z.ZodType>(item: Item) =>
  z.record(nameSchema, item).refine((members) => Object.keys(members).length <= MAX_MEMBERS, TOO_MANY);

const share = z.number().nonnegative();

/** One metric of a program, over all of its labels. */
const ownFigure = z.object({
  name: z.string().regex(OWN_NAME, 'is not the name of a metric'),
  kind: z.enum(OWN_KINDS),
  /** Number of observations, or increase of a counter; undefined for a gauge. */
  count: z.number().nonnegative().optional(),
  /** Mean of observations, in the unit of the metric; for a gauge its value after the load. */
  mean: z.number().optional(),
  /** Histogram only: the value that a share of the observations does not exceed, in a bucket that begins at `from`. */
  quantiles: listOf(z.object({ share, value: z.number(), from: z.number() })).optional(),
});

const ownFigures = z.object({
  program: nameSchema,
  /** Reason that nothing could be read: untrusted text. */
  refusal: text.optional(),
  figures: listOf(ownFigure).refine(
    (figures) => figures.length <= MAX_OWN_FIGURES,
    `has more than ${MAX_OWN_FIGURES} metrics`,
  ),
});

/** Metrics of programs for the steady load, from before its first request to after its last response, next to those of the load tool. */
export const ownSampleSchema = z.object({
  /** Requests of the load tool, including failed ones and those of the warm-up. */
  requests: count,
  meanMs: z.number().nonnegative().optional(),
  quantiles: listOf(z.object({ share, ms: z.number().nonnegative() })),
  programs: membersOf(ownFigures),
});

export type OwnQuantile = NonNullable<OwnFigure['quantiles']>[number];

export type OwnFigure = z.infer<typeof ownFigure>;

export type OwnFigures = z.infer<typeof ownFigures>;

export type OwnSample = z.infer<typeof ownSampleSchema>;

/** Page of one program, or the reason that it could not be read: both are untrusted text. */
export interface ProgramPage {
  readonly program: string;
  readonly names: readonly string[];
  readonly text: string;
  readonly refusal?: string | undefined;
}
