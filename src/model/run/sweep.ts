import * as z from 'zod';
import { listOf } from '../../foundation/schema.ts';
import { text } from '../fields.ts';
import type { Operation, Suite, Tier } from '../suite/suite.ts';

const name = z.string().max(80);

export const sweepSchema = z.object({
  title: text,
  panels: listOf(z.object({ title: text, services: listOf(name) })),
  points: listOf(z.object({ tier: name, at: z.number().positive() })),
});

export type SweepRecord = z.infer<typeof sweepSchema>;

/** Sweep of a suite. A tier is a point if it has one operation whose argument is one number above 0. */
export function sweepRecord(suite: Pick<Suite, 'sweep' | 'operations' | 'tiers'>): SweepRecord | undefined {
  const { sweep, tiers } = suite;
  if (sweep === undefined) {
    return undefined;
  }
  const points = tiers.flatMap((tier) => {
    const at = numberIn(onlyOperation(suite, tier), sweep.argument);
    return at === undefined ? [] : [{ tier: tier.name, at }];
  });
  return { title: sweep.title, panels: sweep.panels, points };
}

function onlyOperation({ operations }: Pick<Suite, 'operations'>, tier: Tier): Operation | undefined {
  const [first, ...others] = operations.filter((one) => tier.operations?.includes(one.name) ?? true);
  return others.length === 0 ? first : undefined;
}

function numberIn(operation: Operation | undefined, argument: string): number | undefined {
  const [first, ...others] = new Set(operation?.arguments.map((one) => one[argument]));
  const isOne = typeof first === 'number' && Number.isFinite(first) && first > 0 && others.length === 0;
  return isOne ? first : undefined;
}
