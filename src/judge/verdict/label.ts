import * as z from 'zod';
import { nameSchema as name } from '../../foundation/names.ts';
import { shortCommit } from '../../foundation/text.ts';
import { type Acceptance, isAbout } from '../../model/policy.ts';
import type { RoundsRecord } from '../../model/run/rounds.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { type ComparisonResult, evidenceIn, type Finding, isRegression, mayFail } from './finding.ts';

/** The label of a pull request that accepts the regressions that its comment shows. */
export const ACCEPTED_LABEL = 'wiregauge: accepted';

/** Who put the label on a pull request, or commented, and when; texts from outside. */
export interface LabelEvent {
  readonly by: string;
  readonly at: string;
}

/** The largest change for the worse that a policy can accept: 1000%. */
export const MAX_ACCEPTED = 10;

/** Row of a comment about a comparison that may fail, for the acceptance that may follow. */
export const shownRowSchema = z
  .strictObject({
    service: name,
    operation: name,
    tier: name,
    metric: name,
    /** The worse end of the interval, so that the same change is accepted when it is measured again: 0.08 is 8%. */
    upTo: z.number().gt(0).lte(MAX_ACCEPTED),
    /** True if it was a regression, accepted or not. */
    isRed: z.boolean(),
  })
  .readonly();

export type ShownRow = z.infer<typeof shownRowSchema>;

export interface ShownResult {
  readonly head: string;
  readonly rows: readonly ShownRow[];
  /** The changes that loosen the policy, as policyText gives them. */
  readonly policy?: string | undefined;
}

/** Rows of a comment that may be accepted: nothing if nothing regressed, else all that got worse, the regressions first. */
export function shownRows(result: Pick<ComparisonResult, 'answers'>): readonly ShownRow[] {
  const rows = evidenceIn(result, 'change')
    .filter(mayFail)
    .map(shownRow)
    .filter(({ upTo }) => upTo > 0);
  const red = rows.filter(({ isRed }) => isRed);
  return red.length === 0 ? [] : [...red, ...rows.filter(({ isRed }) => !isRed)];
}

function shownRow({ cell, metric, better, change, verdict }: Finding): ShownRow {
  const { service, operation, tier } = cell;
  const { estimate, low = estimate, high = estimate } = change;
  const upTo = Math.min(better === 'lower' ? high : -low, MAX_ACCEPTED);
  return { service, operation, tier, metric, upTo, isRed: verdict === 'regressed' };
}

/** Rows that a comment had shown and that a user with write access accepted, by the label or a command, at the size shown. */
export interface AcceptedRows extends LabelEvent {
  /** "label …" or "comment …". */
  readonly how: string;
  readonly shown: ShownResult;
  /** Largest accepted change, if a command gives one: 0.08 is 8%. */
  readonly upTo?: number | undefined;
}

/**
 * The run with the regressions accepted that a comment had shown, each at most at the size that it showed. What it showed as no regression
 * is accepted for the same commit only, which is measured anew, and not exactly alike. Failures, errors and budgets are no regressions and
 * stay what they are. The file alone gives the same verdict again.
 */
export function withAcceptedRows(
  { run, result }: { readonly run: RunInRounds; readonly result: Pick<ComparisonResult, 'answers'> },
  { by, at, how, shown, upTo = MAX_ACCEPTED }: AcceptedRows,
): RunInRounds {
  const { head, policy } = run.rounds;
  const isSame = head.commit === shown.head && !head.dirty;
  const why = `${how}, when ${shortCommit(shown.head)} was shown`;
  // For the day on which the run was measured.
  const until = run.startedAt.slice(0, 'yyyy-mm-dd'.length);
  const red = evidenceIn(result, 'change').filter((one) => isRegression(one) && one.family === 'gate');
  const accepted = red.flatMap((finding): readonly Acceptance[] => {
    const { cell, metric } = finding;
    const row = shown.rows.find((one) => isAbout(one, finding));
    if (row === undefined || !(row.isRed || isSame)) {
      return [];
    }
    const { service, operation, tier } = cell;
    return [{ service, operation, tier, metric, until, by, at, why, upTo: Math.min(row.upTo, upTo) }];
  });
  return { ...run, rounds: { ...run.rounds, policy: { ...policy, accepted: [...policy.accepted, ...accepted] } } };
}

/** A longer one is not remembered, so it cannot be accepted. */
export const MAX_POLICY_TEXT = 4000;

/** The changes that loosen the policy, accepted or not, as JSON; undefined if there are none or too many. */
export function policyText(rules: RoundsRecord['rules']): string | undefined {
  const changes = rules?.accepted?.changes ?? rules?.pending ?? [];
  const text = JSON.stringify(changes);
  return changes.length === 0 || text.length > MAX_POLICY_TEXT ? undefined : text;
}

/** The run by the head's own policy, whose changes a comment had shown and a user with write access accepted; else unchanged. */
export function withAcceptedPolicy(
  run: RunInRounds,
  { by, at, how }: LabelEvent & { readonly how: string },
): RunInRounds {
  const { rules } = run.rounds;
  if (rules?.proposed === undefined) {
    return run;
  }
  const accepted = { by, at, how, changes: rules.pending };
  return { ...run, rounds: { ...run.rounds, policy: rules.proposed, rules: { ...rules, pending: [], accepted } } };
}
