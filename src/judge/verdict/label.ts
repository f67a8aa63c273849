import * as z from 'zod';
import { nameSchema as name } from '../../foundation/names.ts';
import { shortCommit } from '../../foundation/text.ts';
import { type Acceptance, isAbout } from '../../model/policy.ts';
import type { RoundsRecord } from '../../model/run/rounds.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { type ComparisonResult, evidenceIn, type Finding, isRegression, mayFail } from './finding.ts';

/** The label of a pull request that accepts the regressions that its comment shows. */
export const ACCEPTED_LABEL = 'wiregauge: accepted';

/** User who added the label to a pull request, or commented, and the time; untrusted texts. */
export interface LabelEvent {
  readonly by: string;
  readonly at: string;
}

/** Largest change for the worse that a policy can accept: 1000%. */
export const MAX_ACCEPTED = 10;

/** Row of a comment about a comparison that may fail, for a later acceptance. */
export const shownRowSchema = z
  .strictObject({
    service: name,
    operation: name,
    tier: name,
    metric: name,
    /** Worse end of the interval, so that the same change is still accepted when measured again: 0.08 is 8%. */
    upTo: z.number().gt(0).lte(MAX_ACCEPTED),
    /** True if it was a regression, accepted or not. */
    isRed: z.boolean(),
  })
  .readonly();

export type ShownRow = z.infer<typeof shownRowSchema>;

export interface ShownResult {
  readonly head: string;
  readonly rows: readonly ShownRow[];
  /** Changes that loosen the policy, in the format of policyText. */
  readonly policy?: string | undefined;
}

/** Rows of a comment that may be accepted: none if nothing regressed, else everything that got worse, the regressions first. */
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

/** Rows in a comment that a user with write access accepted, by the label or a command, at the size shown. */
export interface AcceptedRows extends LabelEvent {
  /** "label …" or "comment …". */
  readonly how: string;
  readonly shown: ShownResult;
  /** Largest accepted change, if a command gives one: 0.08 is 8%. */
  readonly upTo?: number | undefined;
}

/**
 * Run with the regressions accepted that a comment had shown, each up to the size shown. Rows that were not shown as regressions are accepted only
 * for the same commit, whose new measurement differs slightly. Failures, errors and budgets are not regressions and do not change. The file alone
 * gives the same verdict again.
 */
export function withAcceptedRows(
  { run, result }: { readonly run: RunInRounds; readonly result: Pick<ComparisonResult, 'answers'> },
  { by, at, how, shown, upTo = MAX_ACCEPTED }: AcceptedRows,
): RunInRounds {
  const { head, policy } = run.rounds;
  const isSame = head.commit === shown.head && !head.dirty;
  const why = `${how}, when ${shortCommit(shown.head)} was shown`;
  // Accepted for the day of the measurement.
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

/** A longer policy text is not stored, so it cannot be accepted. */
export const MAX_POLICY_TEXT = 4000;

/** Changes that loosen the policy, accepted or not, as JSON; undefined if there are none or too many. */
export function policyText(rules: RoundsRecord['rules']): string | undefined {
  const changes = rules?.accepted?.changes ?? rules?.pending ?? [];
  const text = JSON.stringify(changes);
  return changes.length === 0 || text.length > MAX_POLICY_TEXT ? undefined : text;
}

/** Run by the head's own policy, if a comment had shown its changes and a user with write access accepted them; else unchanged. */
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
