/** The page on which a program shows figures of its own, in the text format of Prometheus, and which of them are read. */
export interface MetricsPage {
  readonly path: string;
  readonly names: readonly string[];
}

export const OWN_NAME = /^[A-Za-z_:][A-Za-z0-9_:]{0,119}$/;

export const MOST_OWN_FIGURES = 20;

export const OWN_KINDS = ['histogram', 'summary', 'counter', 'gauge'] as const;

/** A share of the observations, and what they are at most, in the unit of the metric. */
export interface OwnQuantile {
  readonly share: number;
  readonly value: number;
  /** The lower end of the bucket that it lies in: where in the bucket it is, nobody knows. */
  readonly from: number;
}

/** One metric of a program, over all of its labels. */
export interface OwnFigure {
  readonly name: string;
  readonly kind: (typeof OWN_KINDS)[number];
  /** Observations, or what a counter grew by; undefined of a gauge. */
  readonly count?: number | undefined;
  /** For observations, in the unit of the metric; of a gauge its value after the load. */
  readonly mean?: number | undefined;
  /** Only of a histogram. */
  readonly quantiles?: readonly OwnQuantile[] | undefined;
}

export interface OwnFigures {
  readonly program: string;
  /** Why nothing could be read: text from outside. */
  readonly refusal?: string | undefined;
  readonly figures: readonly OwnFigure[];
}

/** Metrics of programs for the steady load, from before its first request to after its last answer, beside what the load tool saw of it. */
export interface OwnSample {
  /** For the load tool, failed ones and those of the warm-up too. */
  readonly requests: number;
  readonly meanMs?: number | undefined;
  readonly quantiles: readonly { readonly share: number; readonly ms: number }[];
  readonly programs: readonly OwnFigures[];
}

/** The page of one program, or why it could not be read: both are text from outside. */
export interface ProgramPage {
  readonly program: string;
  readonly names: readonly string[];
  readonly text: string;
  readonly refusal?: string | undefined;
}
