/**
 * A kind of noise that a machine adds to measurements in blocks. All sizes are shares (0.02 is about 2%) on the log
 * scale. The ranges are those measured with fresh processes on two cores: a standard deviation of the log ratio of one
 * round of 1-3% at saturation; at the tiers of 3-7% for CPU time per request and of 5-13% for p50.
 */
export interface NoiseKind {
  readonly name: string;
  /** Standard deviation of log(head/base) of one round that is left when everything below is taken away. */
  readonly sd: Readonly<Record<Place, number>>;
  /** Share of that variance that all metrics of a service have in common in a round. */
  readonly commonShare: number;
  /** Two starts of the same build differ by this much (sd of one start); drawn anew in every round. */
  readonly processSd: number;
  /** The version that is loaded second is slower by this much. */
  readonly positionBias: number;
  /** The machine's level drifts by this much from round to round (sd of a random walk), for both versions alike. */
  readonly driftSd: number;
  /** Share of slots that something else on the machine slows down, and by how much on average. */
  readonly outlierRate: number;
  readonly outlierSize: number;
  /** Degrees of freedom of the heavy-tailed rest (Student's t, scaled to the sd above). */
  readonly tailFreedom: number;
  /** Once, in a round among the first 15, the level of the machine jumps up or down by this much. */
  readonly levelShift: number;
}

/** Where a comparison of the family is measured: saturation metrics, and CPU time per request and p50 at a tier. */
export type Place = 'saturation' | 'cpu' | 'p50';

const TYPICAL: NoiseKind = {
  name: 'typical',
  sd: { saturation: 0.02, cpu: 0.045, p50: 0.06 },
  commonShare: 0.4,
  processSd: 0.01,
  positionBias: 0.005,
  driftSd: 0.01,
  outlierRate: 0.05,
  outlierSize: 0.2,
  tailFreedom: 5,
  levelShift: 0,
};

/** Kinds of noise for the rules. */
export const NOISE_KINDS: readonly NoiseKind[] = [
  {
    name: 'quiet',
    sd: { saturation: 0.01, cpu: 0.03, p50: 0.05 },
    commonShare: 0.4,
    processSd: 0.007,
    positionBias: 0.002,
    driftSd: 0.003,
    outlierRate: 0.01,
    outlierSize: 0.1,
    tailFreedom: 8,
    levelShift: 0,
  },
  TYPICAL,
  {
    name: 'noisy',
    sd: { saturation: 0.03, cpu: 0.07, p50: 0.09 },
    commonShare: 0.4,
    processSd: 0.015,
    positionBias: 0.01,
    driftSd: 0.02,
    outlierRate: 0.1,
    outlierSize: 0.3,
    tailFreedom: 4,
    levelShift: 0,
  },
  { ...TYPICAL, name: 'level shift', levelShift: 0.1 },
];
