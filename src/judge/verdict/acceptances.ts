import { type Acceptance, isAbout, type Policy } from '../../model/policy.ts';
import { type Finding, isRegression } from './finding.ts';
import type { Note } from './note.ts';

/**
 * Marks the regressions that the policy accepts on that day, up to the accepted size. An acceptance that has expired, is exceeded or matches no
 * comparison is noted. Without a day none expires.
 */
export function withAcceptances(
  findings: readonly Finding[],
  policy: Policy,
  day: string | undefined,
): { readonly findings: readonly Finding[]; readonly notes: readonly Note[] } {
  const marked = findings.map((finding): Finding => {
    if (finding.verdict !== 'regressed') {
      return finding;
    }
    const isAccepting = (one: Acceptance) => isAbout(one, finding) && sizeOf(finding) <= one.upTo;
    const accepted = policy.accepted.find((one) => isAccepting(one) && !hasExpired(one, day));
    return accepted === undefined ? finding : { ...finding, accepted };
  });
  const hasUndated = day === undefined && policy.accepted.length > 0;
  return {
    findings: marked,
    notes: [
      ...(hasUndated ? [{ kind: 'undated' as const }] : []),
      ...policy.accepted.flatMap((acceptance) => notesOnAcceptance(acceptance, marked, day)),
    ],
  };
}

/** ISO dates compare as strings. */
function hasExpired({ until }: Acceptance, day: string | undefined): boolean {
  return day !== undefined && day > until;
}

/** Size of the change in its printed form: a regression is always for the worse. */
function sizeOf({ change }: Finding): number {
  return Math.abs(change.estimate);
}

/** Mistakes in an acceptance, for findings that are already marked: it matches nothing, has expired, or is exceeded. */
export function notesOnAcceptance(
  acceptance: Acceptance,
  findings: readonly Finding[],
  day: string | undefined,
): readonly Note[] {
  const matching = findings.filter((finding) => isAbout(acceptance, finding));
  const red = matching.filter(isRegression);
  if (matching.length === 0) {
    return [{ kind: 'unmatched-acceptance', acceptance }];
  }
  if (hasExpired(acceptance, day)) {
    return [{ kind: 'expired-acceptance', acceptance, isNeeded: red.length > 0 }];
  }
  return red
    .filter((finding) => sizeOf(finding) > acceptance.upTo)
    .map((finding) => ({ kind: 'exceeded-acceptance', acceptance, cell: finding.cell, size: sizeOf(finding) }));
}
