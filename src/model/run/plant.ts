import * as z from 'zod';
import { count } from '../fields.ts';

/** Additional CPU time: 0.05 is 5%. */
const cpuPlant = z.strictObject({ cpu: z.number().positive().max(1) });

/** Planted cost in the head of a build that is compared with itself: CPU time, a later start in ms, memory in MB, or memory in bytes per request. */
export const plantSchema = z.union([
  cpuPlant,
  z.strictObject({ startMs: z.number().positive().max(60_000) }),
  z.strictObject({ memoryMB: z.number().positive().max(4096) }),
  z.strictObject({ leakBytes: z.number().positive().max(99_999) }),
]);

/** Newest plant in the history on the same kind of machine, with the same suite and profile. */
export const storedPlantSchema = cpuPlant.extend({
  at: z.iso.datetime(),
  /** Seconds from the start of the rounds until the plant was found in the last service; absent if one service lacks it. */
  seconds: z.number().nonnegative().optional(),
  /** Largest number of rounds of a service. */
  rounds: count,
});

export type CpuPlant = z.infer<typeof cpuPlant>;

export type PlantRecord = z.infer<typeof plantSchema>;

export type StoredPlant = z.infer<typeof storedPlantSchema>;

export function plantSize(plant: PlantRecord): string {
  if ('cpu' in plant) {
    return `${Number((plant.cpu * 100).toPrecision(3))}%`;
  }
  if ('leakBytes' in plant) {
    return `leak=${plant.leakBytes}B`;
  }
  return 'startMs' in plant ? `${plant.startMs}ms` : `${plant.memoryMB}MB`;
}
