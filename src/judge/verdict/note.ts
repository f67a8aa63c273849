import type { CellKey } from '../../model/metric.ts';
import type { Acceptance, PolicyPlace } from '../../model/policy.ts';

/** Data of a note that only judging gives. Whatever the run shows by itself, reports read from it. */
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
