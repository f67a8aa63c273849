import { ALL_TIERS, type FamilyRow, rowsOf } from '../../model/families.ts';
import { type CellKey, SATURATION } from '../../model/sample.ts';

const MEMORY: readonly FamilyRow[] = [{ metric: 'peakMemoryMiB', gate: false }];

/**
 * What is held against the past in a cell: what two versions are compared by, but for the achieved rate at a tier, which
 * is the offered one wherever the cell says anything of its service.
 */
export function historyRows(cell: CellKey): readonly FamilyRow[] {
  if (cell.tier === ALL_TIERS) {
    return MEMORY;
  }
  return rowsOf(cell).filter(({ metric }) => metric !== 'achievedRps' || cell.tier === SATURATION);
}
