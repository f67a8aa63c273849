import { z } from 'zod';

/** A name of a service, an operation, a tier, a suite: it stands in paths, flags and addresses of pages. */
export const name = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,79}$/, 'must be 1 to 80 letters, digits, dots, dashes or underscores');

/** What people read in reports. */
export const title = z.string().min(1).max(120);

/** What YAML may read as a number or a boolean where a text is meant. */
export const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String);

/** The name of an environment variable or of a build argument. */
export const variable = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be letters, digits and underscores, and not begin with a digit');

/** A path inside the repository: neither absolute nor leading out of it. */
export const path = z
  .string()
  .min(1)
  .refine(
    (value) => !value.startsWith('/') && !value.split('/').includes('..'),
    'must be a path inside the repository',
  );

/** Whether no value stands in a list twice. */
export function isDistinct(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}
