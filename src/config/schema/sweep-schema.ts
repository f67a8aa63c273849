import { z } from 'zod';
import { isDistinct, name, title } from '../../foundation/names.ts';

const panel = z.strictObject({
  title: title.describe('What the picture is called.'),
  services: z
    .array(name)
    .min(1)
    .refine(isDistinct, 'names a service twice')
    .describe('Which of the services it shows.'),
});

/** An argument that grows from tier to tier. */
export const sweep = z
  .strictObject({
    argument: z
      .string()
      .min(1)
      .max(80)
      .describe('The argument, a number, of the one operation that each of the tiers asks for.'),
    title: title.describe('What it counts, as `objects in an answer`.'),
    panels: z
      .array(panel)
      .min(1)
      .max(20)
      .refine((panels) => isDistinct(panels.map((one) => one.title)), 'has two panels of one title')
      .describe('The pictures, each of some of the services.'),
  })
  .describe('An argument that grows from tier to tier: reports draw the figures over it.');
