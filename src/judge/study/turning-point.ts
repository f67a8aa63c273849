import { ALL_OPERATIONS } from '../../model/metric.ts';
import type { Run } from '../../model/run/run.ts';
import { isSameNetwork } from '../../model/suite/network.ts';
import { arrivalTiers, isStaged, type Tier } from '../../model/suite/suite.ts';
import { type CellReading, readCells } from '../reading/cells.ts';
import { HELD_SHARE } from '../reading/tier-comparison.ts';

/** At a turning point, p90 is at least this multiple of the p90 at the lowest tier, */
const TURNING_TIMES = 10;

/** and at least this many milliseconds, since ten times very little is still very little. */
const TURNING_MS = 5;

/** Turning point of a service in a run. */
export type TurningPoint =
  | { readonly kind: 'turned'; readonly service: string; readonly tier: string; readonly cause: TurningCause }
  | { readonly kind: 'none-seen'; readonly service: string; readonly unclear: readonly string[] }
  | { readonly kind: 'unmeasured'; readonly service: string };

/** Which half of the rule was met, with its figures. */
type TurningCause =
  | { readonly kind: 'rate'; readonly achievedRps: number; readonly offeredRps: number }
  | { readonly kind: 'latency'; readonly p90Ms: number; readonly lowestP90Ms: number };

/**
 * Per service the first tier, in the suite's order, at which it turns: it achieves less than 99% of the offered rate, or its p90 is at least ten
 * times its p90 at the lowest tier and at least 5 ms. Medians over the rounds are taken. A tier that is missing, or at which the load tool was
 * itself at its limit, shows nothing and is listed as unclear. In a suite without rates, the p90 of the users who come and go counts. Other tiers,
 * or of some operations only, are no steps of one load; a suite with no others has no turning points.
 */
export function turningPoints(run: Run): readonly TurningPoint[] {
  return turningTiers(run).length === 0 ? [] : run.services.map(({ name }) => turningPointOf(run, name));
}

function turningPointOf(run: Run, service: string): TurningPoint {
  const cells = readCells(run);
  const tiers = turningTiers(run).map(({ name }) => ({
    tier: name,
    cell: clearCell(cells.at({ service, operation: ALL_OPERATIONS, tier: name })),
  }));
  const lowest = tiers.find(({ cell }) => cell !== undefined)?.cell;
  if (lowest === undefined) {
    return { kind: 'unmeasured', service };
  }
  for (const { tier, cell } of tiers) {
    const cause = cell === undefined ? undefined : causeOf(cell, lowest);
    if (cause !== undefined) {
      return { kind: 'turned', service, tier, cause };
    }
  }
  return {
    kind: 'none-seen',
    service,
    unclear: tiers.filter(({ cell }) => cell === undefined).map(({ tier }) => tier),
  };
}

/** Tiers that are the same load over the same network, but for its rate, or for the number of users. */
function turningTiers({ suite }: Pick<Run, 'suite'>): readonly Tier[] {
  const unlimited = suite.tiers.filter(({ operations }) => operations === undefined);
  const whole = unlimited.filter((tier) => isSameNetwork(tier, unlimited[0] ?? tier));
  const open = arrivalTiers(whole);
  return open.length > 0 ? open : whole.filter(isStaged);
}

function clearCell(cell: CellReading | undefined): CellReading | undefined {
  return cell?.marks.some(({ mark }) => mark === 'generator-limited') ? undefined : cell;
}

function causeOf(cell: CellReading, lowest: CellReading): TurningCause | undefined {
  const achievedRps = cell.figures.achievedRps?.median;
  if (cell.offeredRps !== undefined && achievedRps !== undefined && achievedRps < HELD_SHARE * cell.offeredRps) {
    return { kind: 'rate', achievedRps, offeredRps: cell.offeredRps };
  }
  const p90Ms = cell.figures.latencyP90Ms?.median;
  const lowestP90Ms = lowest.figures.latencyP90Ms?.median;
  if (p90Ms === undefined || lowestP90Ms === undefined) {
    return undefined;
  }
  return p90Ms >= TURNING_TIMES * lowestP90Ms && p90Ms >= TURNING_MS
    ? { kind: 'latency', p90Ms, lowestP90Ms }
    : undefined;
}
