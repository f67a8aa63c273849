import * as z from 'zod';
import { nameSchema as name } from '../foundation/names.ts';

export const count = z.number().int().nonnegative();

/** Message or other untrusted text. */
export const text = z.string().max(2000);

export const SIDES = ['base', 'head'] as const;

export const side = z.enum(SIDES);

export const cell = z.object({ suite: name, service: name, operation: name, tier: name });
