import * as z from 'zod';
import { nameSchema as name } from '../../foundation/names.ts';
import { count } from '../fields.ts';
import { storedPlantSchema } from './plant.ts';

const anchorName = z.string().min(1).max(100);

const commit = z.string().regex(/^[0-9a-f]{40,64}$/);

const ratio = z.object({
  service: name,
  operation: name,
  tier: name,
  metric: name,
  /** For a version over the anchor, of the metric itself. */
  ratio: z.number().positive(),
  /** Half of the 95% interval of the logarithm. */
  spread: z.number().nonnegative(),
});

const ratios = z.array(ratio).max(2000).readonly();

/** The anchor of a comparison: its base, or the earlier version that the base replaces. */
export const anchorSchema = z.object({
  name: anchorName,
  commit,
  /** The base, if the anchor itself could not be built any more, and how far that was from the anchor. */
  through: z.object({ commit, ratios }).optional(),
});

export type AnchorRecord = z.infer<typeof anchorSchema>;

/** How far a version is from the anchor in one metric. */
export type AnchoredRatio = z.infer<typeof ratio>;

/** Drift of the default branch in the history that a comparison reads. */
export const storedDriftSchema = z.object({
  /** The anchor of the newest anchored run; undefined if no run is anchored yet. */
  anchor: z.object({ name: anchorName, commit }).optional(),
  /** The version that was compared with the anchor, and how far it was from it. */
  commit: commit.optional(),
  ratios,
  /** The medians of the newest runs with this anchor. */
  recent: z.object({ runs: count, ratios }),
  plant: storedPlantSchema.optional(),
});

export type StoredDrift = z.infer<typeof storedDriftSchema>;
