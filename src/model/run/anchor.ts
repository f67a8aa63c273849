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
  /** Ratio of a version to the anchor, of the metric itself. */
  ratio: z.number().positive(),
  /** Half of the 95% interval of the logarithm. */
  spread: z.number().nonnegative(),
});

const ratios = z.array(ratio).max(2000).readonly();

/** Anchor of a comparison: its base, or the earlier version that the base replaces. */
export const anchorSchema = z.object({
  name: anchorName,
  commit,
  /** The base, if the anchor itself could no longer be built, and its ratio to the anchor. */
  through: z.object({ commit, ratios }).optional(),
});

export type AnchorRecord = z.infer<typeof anchorSchema>;

export type AnchoredRatio = z.infer<typeof ratio>;

/** Drift of the default branch in the history that a comparison reads. */
export const storedDriftSchema = z.object({
  /** Anchor of the newest anchored run; undefined if no run is anchored yet. */
  anchor: z.object({ name: anchorName, commit }).optional(),
  /** Version that was compared with the anchor, and its ratio to it. */
  commit: commit.optional(),
  ratios,
  /** Medians of the newest runs with this anchor. */
  recent: z.object({ runs: count, ratios }),
  plant: storedPlantSchema.optional(),
});

export type StoredDrift = z.infer<typeof storedDriftSchema>;
