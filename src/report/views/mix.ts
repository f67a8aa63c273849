import { formatShare, wordList } from '../../foundation/index.ts';
import { isClosed } from '../../model/index.ts';
import { type RunView, type TierView, tierLabel } from './run-view.ts';

/** From this difference between two shares on it is another mix; less is rounding, or what was under way at the end. */
const OTHER_MIX = 0.02;

/**
 * Sentences on closed loops whose operations had other shares of the requests than the suite gives them: in earlier versions, each
 * operation had workers of its own, and a slow one fewer requests.
 */
export function mixSentences(view: RunView): readonly string[] {
  return closedTiers(view).flatMap((tier) =>
    view.services.flatMap(({ name, label }) => {
      const shares = sharesAt(view, tier, name);
      const isOther = shares.some(({ share, wanted }) => Math.abs(share - wanted) > OTHER_MIX);
      const words = shares.map(
        ({ operation, share, wanted }) => `${operation} ${formatShare(share)} instead of ${formatShare(wanted)}`,
      );
      return isOther
        ? [`${label} was sent another mix than the suite's at ${tierLabel(view, tier.name)}: ${wordList(words)}.`]
        : [];
    }),
  );
}

function closedTiers({ run, tiers }: RunView): readonly TierView[] {
  const closed = run.suite.tiers.filter(isClosed).map(({ name }) => name);
  return tiers.filter(({ name, isSaturation }) => isSaturation || closed.includes(name));
}

interface OperationShare {
  readonly operation: string;
  readonly share: number;
  readonly wanted: number;
}

/** Of the requests that a service was sent in a tier; none if there were none. */
function sharesAt({ run }: RunView, tier: TierView, service: string): readonly OperationShare[] {
  const named = run.suite.tiers.find(({ name }) => name === tier.name)?.operations;
  const operations = run.suite.operations.filter(({ name }) => named?.includes(name) ?? true);
  const whole = operations.reduce((sum, { share }) => sum + share, 0);
  const counts = operations.map(({ name }) =>
    run.samples
      .filter(({ cell }) => cell.service === service && cell.tier === tier.name && cell.operation === name)
      .reduce((sum, { requests }) => sum + requests, 0),
  );
  const total = counts.reduce((sum, count) => sum + count, 0);
  return total === 0
    ? []
    : operations.map(({ name, share }, index) => ({
        operation: name,
        share: (counts[index] ?? 0) / total,
        wanted: share / whole,
      }));
}
