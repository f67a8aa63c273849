import type { CellKey } from '../../model/metric.ts';
import type { Acceptance, PolicyPlace } from '../../model/policy.ts';
import type { Side } from '../../model/rounds.ts';
import type { ShardName } from '../../model/run/rounds.ts';

/** Data of a note that only judging provides. Reports read the rest from the run. */
export type Note =
  | { readonly kind: 'undated' | 'answers-not-compared' }
  | { readonly kind: 'unmatched-acceptance'; readonly acceptance: Acceptance }
  | { readonly kind: 'expired-acceptance'; readonly acceptance: Acceptance; readonly isNeeded: boolean }
  | {
      readonly kind: 'exceeded-acceptance';
      readonly acceptance: Acceptance;
      readonly cell: CellKey;
      readonly size: number;
    }
  | { readonly kind: 'unmatched-budget'; readonly budget: PolicyPlace }
  | { readonly kind: 'few-errors'; readonly cell: CellKey; readonly baseRate: number; readonly headRate: number }
  | { readonly kind: 'few-requests'; readonly cells: readonly CellKey[]; readonly fewest: number };

/** Reason that something was not compared, as data; `said` is text of a failed program. */
export type Why =
  | { readonly kind: 'not-in'; readonly side: Side }
  | { readonly kind: 'failed'; readonly rounds: number | undefined; readonly said: string; readonly isAdopted: boolean }
  | { readonly kind: 'unkept'; readonly rounds: number; readonly failed: number; readonly said: string | undefined }
  | { readonly kind: 'in-no-round'; readonly sides: readonly Side[] }
  | { readonly kind: 'holes'; readonly of: 'missing' | 'not-positive'; readonly count: number; readonly rounds: number }
  | { readonly kind: 'shard'; readonly shard: ShardName; readonly isCutShort: boolean }
  | { readonly kind: 'uncounted'; readonly side: Side; readonly said: string }
  | Faulty;

/** Rounds in which requests of some sides failed, or the load tool was at its limit. */
export type Faulty = { readonly count: number; readonly rounds: number; readonly isDisturbed: boolean } & (
  | { readonly kind: 'errors'; readonly sides: readonly Side[] }
  | {
      readonly kind: 'load-tool';
      /** Rounds of each side, if head reached the limit more often. */
      readonly more: Readonly<Record<Side, number>> | undefined;
      /** One core cannot load the service up to its own limit. */
      readonly isBeyond: boolean;
      readonly isCpuLeft: boolean;
    }
);
