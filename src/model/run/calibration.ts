import * as z from 'zod';
import { nameSchema as name } from '../../foundation/names.ts';
import { listOf, recordIn } from '../../foundation/schema.ts';
import { cell, count, text } from '../fields.ts';
import { type RunnerFingerprint, runnerSchema } from '../runner.ts';

/** Version of the layout of a calibration record; a file of another version is refused. */
const CALIBRATION_SCHEMA = 1;

const alarms = z.object({ compares: count, alarms: count, low: z.number(), high: z.number() });

const noise = z.object({
  cell,
  metric: name,
  family: z.enum(['gate', 'watch']),
  threshold: z.number(),
  rounds: count,
  /** Robust standard deviation of log(head / base) of one round. */
  sd: z.number().nonnegative(),
  level: z.enum(['low', 'medium', 'high']),
  /** Smallest slowdown that would fail a pull request in 95 of 100 comparisons of full length, relative. */
  detectable: z.number().optional(),
  /** Rounds by slowdown after which it would fail in 95 of 100 or, if it does not exceed the threshold, be significant; none if that takes over 100. */
  wanted: listOf(z.object({ effect: z.number(), rounds: count.optional() })),
});

export const calibrationSchema = z.object({
  schema: z.literal(CALIBRATION_SCHEMA),
  wiregauge: text,
  at: z.iso.datetime(),
  runner: runnerSchema,
  /** Vendor and product of the virtual machine, "unnamed", or "none"; absent in records of earlier versions. */
  hypervisor: text.optional(),
  /** Share of a core that went to other virtual machines during the blocks; absent in records of earlier versions. */
  stealShare: z.number().nonnegative().optional(),
  suite: name,
  profile: name,
  /** Kept rounds that every service has. */
  rounds: count,
  /** Wall time of one round of all services. */
  secondsPerRound: z.number().positive(),
  alpha: z.number(),
  floor: z.number(),
  /** Rounds at the last look of a comparison of full length. */
  mostRounds: count,
  falseAlarms: z.object({
    /** Groups of consecutive rounds, labeled in the order of measurement: the result of design and rule together. */
    measured: alarms,
    /** Random rounds with newly drawn labels: the result of the rule for noise of this shape. */
    drawn: alarms,
  }),
  comparisons: listOf(noise),
});

/** Smallest changes that a machine can detect, from comparing a build with itself. */
export type Calibration = z.infer<typeof calibrationSchema>;

export type CalibrationOrigin = Pick<
  Calibration,
  'wiregauge' | 'at' | 'runner' | 'hypervisor' | 'stealShare' | 'suite' | 'profile' | 'secondsPerRound'
>;

/** Noise of one metric of a service in rounds, all operations together. */
export interface RowNoise {
  readonly service: string;
  readonly tier: string;
  readonly metric: string;
  readonly sd: number;
}

export interface NoisePlace {
  readonly runner: Pick<RunnerFingerprint, 'cpuModel' | 'cores' | 'kernel'>;
  readonly runtime: string;
  readonly profile: string;
  readonly interleave: string;
}

export interface KnownNoise {
  readonly rows: readonly RowNoise[];
  readonly source: string;
}

export function calibrationRecord(calibration: Omit<Calibration, 'schema'>): Calibration {
  return { schema: CALIBRATION_SCHEMA, ...calibration };
}

export function formatCalibration(calibration: Calibration): string {
  return `${JSON.stringify(calibration, null, 2)}\n`;
}

const REPEAT = 'Run `wiregauge calibrate` again to recreate it.';

/** Record in a file's text. Throws ConfigError with the file for one that is truncated, of another version or malformed. */
export function parseCalibration(content: string, file: string): Calibration {
  return recordIn(content, file, {
    schema: calibrationSchema,
    version: CALIBRATION_SCHEMA,
    next: { notJson: REPEAT, otherVersion: REPEAT, malformed: REPEAT },
  });
}
