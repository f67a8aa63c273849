import * as z from 'zod';
import { listOf } from '../../foundation/schema.ts';

/** Every order of changing factors is analyzed, and every pair of services. */
export const MAX_FACTORS = 5;
export const MAX_LEVELS = 12;
export const MAX_CELLS = 100;

const name = z.string().max(80);
const title = z.string().max(120);

function atMost<Item extends z.ZodType>(item: Item, most: number) {
  return listOf(item).refine((found) => found.length <= most, `has more than ${most} entries`);
}

const levels = atMost(title, MAX_LEVELS);
const factors = atMost(title, MAX_FACTORS);

export const factorialSchema = z.object({
  factors: atMost(z.object({ name: title, levels }), MAX_FACTORS),
  /** One level for each factor, in their order. */
  services: atMost(z.object({ service: name, levels: factors }), 2 * MAX_CELLS),
  lead: z
    .object({ of: factors, against: factors, parts: atMost(z.object({ name: title, factors }), MAX_FACTORS) })
    .optional(),
});

/** Factors with levels, the first of which others are compared with, and the levels of each service. */
export type Factorial = z.infer<typeof factorialSchema>;
