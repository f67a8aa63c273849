import { ALL_OPERATIONS } from '../../model/metric.ts';
import { isGate, isIfSeen, type Policy, rowsOf, thresholdOf } from '../../model/policy.ts';
import type { Look } from '../../model/rounds.ts';
import type { RowNoise } from '../../model/run/calibration.ts';
import { roundsIfUnchanged } from '../inference/detectable.ts';

/** Comparison and its judgment. */
interface Expecting {
  readonly suite: string;
  readonly services: readonly string[];
  /** Kinds of load, with saturation. */
  readonly tiers: readonly string[];
  readonly policy: Policy;
  readonly looks: readonly Look[];
}

/**
 * The look at which each service is usually decided if nothing changed, in rounds, by the noise of its rows; undefined if that of a service is
 * unknown. A row that counts only if it is seen delays nothing, as in a comparison.
 */
export function expectedRounds(
  noise: readonly RowNoise[],
  { suite, services, tiers, policy, looks }: Expecting,
): ReadonlyMap<string, number> | undefined {
  const [first] = looks;
  const last = looks.at(-1);
  if (first === undefined || last === undefined) {
    return undefined;
  }
  const waits = services.map((service) => {
    const rows = noise.filter((row) => row.service === service && tiers.includes(row.tier));
    return rows.flatMap(({ tier, metric, sd }): readonly number[] => {
      const cell = { suite, service, operation: ALL_OPERATIONS, tier };
      const name = { cell, metric };
      const usual = rowsOf(cell).find((row) => row.metric === metric);
      if (!isGate(policy, name, usual?.gate === true)) {
        return [];
      }
      const rounds = roundsIfUnchanged(sd, thresholdOf(policy, name));
      const delays = !isIfSeen(policy, name, usual?.ifSeen);
      return [delays ? (looks.find((look) => look.rounds >= rounds) ?? last).rounds : first.rounds];
    });
  });
  return waits.some((rounds) => rounds.length === 0)
    ? undefined
    : new Map(services.map((service, place) => [service, Math.max(...(waits[place] ?? []))]));
}
