import * as z from 'zod';
import { nameSchema as name } from '../../foundation/names.ts';
import { listOf } from '../../foundation/schema.ts';
import { side, text } from '../fields.ts';

const start = z
  .object({
    service: name,
    side,
    /** Number of the start, from 1. */
    start: z.int().positive(),
    requests: listOf(z.int().nonnegative()),
    memoryMiB: listOf(z.number().nonnegative()),
  })
  .refine(({ requests, memoryMiB }) => requests.length === memoryMiB.length, {
    message: 'the blocks of a start are of different lengths',
  });

/** Memory of services under a long load, if their rounds did not show that it stays constant. */
export const memoryGrowthSchema = z.object({
  starts: listOf(start),
  missing: listOf(z.object({ service: name, message: text, next: text.optional() })),
});

export type MemoryGrowthRecord = z.infer<typeof memoryGrowthSchema>;

export type MemoryStart = MemoryGrowthRecord['starts'][number];
