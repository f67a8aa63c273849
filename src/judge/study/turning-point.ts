import { ALL_OPERATIONS } from '../../model/metric.ts';
import type { Run } from '../../model/run/run.ts';
import { isSameNetwork } from '../../model/suite/network.ts';
import { arrivalTiers, isStaged, type Tier } from '../../model/suite/suite.ts';
import type { CellReading, CellTable } from '../reading/cells.ts';
import { HELD_SHARE } from '../reading/tier-comparison.ts';

/**
 * The first tier of a service, in the suite's order, at which it achieves less than 99% of the offered rate, or its p90 is at least ten times its
 * p90 at the lowest tier and at least 5 ms. Medians over the rounds are taken. A tier that is missing, or at which the load tool was itself at
 * its limit, shows nothing. In a suite without rates, the p90 of the users who come and go counts. Other tiers, or of some operations only, are
 * no steps of one load.
 */
export function turningTier({ suite }: Pick<Run, 'suite'>, cells: CellTable, service: string): string | undefined {
  const tiers = turningTiers(suite).flatMap(({ name }) => {
    const cell = cells.at({ service, operation: ALL_OPERATIONS, tier: name });
    return cell === undefined || cell.marks.some(({ mark }) => mark === 'generator-limited') ? [] : [{ name, cell }];
  });
  return tiers.find(({ cell }) => isTurned(cell, tiers[0]?.cell.figures.latencyP90Ms?.median))?.name;
}

/** Tiers that are the same load over the same network, but for its rate, or for the number of users. */
function turningTiers({ tiers }: Run['suite']): readonly Tier[] {
  const unlimited = tiers.filter(({ operations }) => operations === undefined);
  const whole = unlimited.filter((tier) => isSameNetwork(tier, unlimited[0] ?? tier));
  const open = arrivalTiers(whole);
  return open.length > 0 ? open : whole.filter(isStaged);
}

function isTurned({ figures, offeredRps }: CellReading, lowestP90Ms: number | undefined): boolean {
  const achievedRps = figures.achievedRps?.median;
  if (offeredRps !== undefined && achievedRps !== undefined && achievedRps < HELD_SHARE * offeredRps) {
    return true;
  }
  const p90Ms = figures.latencyP90Ms?.median ?? 0;
  return lowestP90Ms !== undefined && p90Ms >= 10 * lowestP90Ms && p90Ms >= 5;
}
