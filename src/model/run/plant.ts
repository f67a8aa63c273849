import * as z from 'zod';

/** Slowdown of known size in the head of a build that is compared with itself. */
export const plantSchema = z.object({
  /** More CPU time: 0.05 is 5%. */
  cpu: z.number().positive().max(1),
});

/** Newest plant in the history on the same kind of machine, with the same suite and profile. */
export const storedPlantSchema = plantSchema.extend({
  at: z.iso.datetime(),
  /** From the start of the rounds until the last service was found; absent if a service was not found. */
  seconds: z.number().nonnegative().optional(),
  /** Most rounds of a service. */
  rounds: z.number().int().nonnegative(),
});

export type PlantRecord = z.infer<typeof plantSchema>;

export type StoredPlant = z.infer<typeof storedPlantSchema>;
