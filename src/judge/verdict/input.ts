import type { CellKey } from '../../model/sample.ts';
import type { Look } from '../inference/family-test.ts';
import type { Compared, RoundCount, Uncompared } from './finding.ts';

/** All that is judged, wherever it was measured; nothing else moves a verdict but the policy and the seed. */
export interface ComparisonInput {
  /** Everything that could be compared; the family is fixed from both versions alike before anything is judged. */
  readonly compared: readonly Compared[];
  readonly lost: readonly Lost[];
  readonly errors: readonly CellErrors[];
  /** What the policy's budgets are held against. */
  readonly readings: readonly HeadReading[];
  readonly rounds: readonly RoundCount[];
  /** The planned looks. */
  readonly looks: readonly Look[];
  /** Whether the plan or the clock ended the rounds, so that the last look may spend what is left of alpha. */
  readonly isFinal: boolean;
  /** The day of the measurement in UTC, which acceptances are held against; undefined where nobody knows. */
  readonly day: string | undefined;
  readonly notes: readonly string[];
  readonly remarks: readonly string[];
}

/** Something that should have been compared and could not be. */
export interface Lost extends Uncompared {
  /** Whether it could have failed a pull request, where the policy says nothing else. */
  readonly gate: boolean;
}

/** Requests and failures of a cell in the rounds that both versions have. */
export interface CellErrors {
  readonly cell: CellKey;
  readonly rounds: readonly { readonly base: ErrorCount; readonly head: ErrorCount }[];
}

export interface ErrorCount {
  readonly failed: number;
  readonly requests: number;
}

/** What the head showed of one metric in the rounds that count. */
export interface HeadReading {
  readonly cell: CellKey;
  readonly metric: string;
  readonly better: 'lower' | 'higher';
  readonly values: readonly number[];
}
