import { distance } from 'fastest-levenshtein';
import * as z from 'zod';

/** Names of services, operations, tiers and suites in files written by this program. */
export const NAME = /^[A-Za-z0-9_.-]{1,80}$/;

export const nameSchema = z.string().regex(NAME, 'must be 1 to 80 letters, digits, dots, dashes or underscores');

/** Name of a service, an operation, a tier or a suite, as used in paths, flags and URLs. */
export const name = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_.-]{0,79}$/,
    'must be 1 to 80 letters, digits, dots, dashes or underscores, starting with a letter or digit',
  );

export const title = z.string().min(1).max(120);

export const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String);

export const variable = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be letters, digits and underscores, not starting with a digit');

/** Name of a variable in the environment of a program: some read names such as `discovery.type`. */
export const setting = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_.]*$/, 'must be letters, digits, underscores and dots, not starting with a digit');

function isInside(value: string): boolean {
  return !value.startsWith('/') && !value.split('/').includes('..');
}

export const path = z.string().min(1).refine(isInside, 'must be a path inside the repository');

/** Relative path inside the checkout, which may begin with `../`, such as from one service of a monorepo to a shared folder. */
export const sharedPath = z
  .string()
  .min(1)
  .refine((value) => isInside(value.replace(/^(?:\.\.\/+)+/, '')), 'must be a path inside the repository');

export function isDistinct(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}

/** Longer names are not typos. */
const LONGEST = 60;

/** Two swapped letters are two edits; more make another word. */
const MAX_EDITS = 2;

/** Known name nearest to a misspelled one, ignoring case; undefined if none is near. */
export function nearName(text: string, known: readonly string[]): string | undefined {
  const written = text.toLowerCase().slice(0, LONGEST);
  const nearest = known
    .map((name) => ({ name, edits: distance(written, name.toLowerCase()) }))
    .toSorted((left, right) => left.edits - right.edits)[0];
  const most = Math.min(MAX_EDITS, Math.ceil((nearest?.name.length ?? 0) / 3));
  return nearest !== undefined && nearest.edits <= most ? nearest.name : undefined;
}

/** Known name with one letter added, missing or changed, or with the letters in another order; undefined without one. */
export function slipOf(text: string, known: readonly string[]): string | undefined {
  const letters = (word: string): string => [...word].toSorted().join('');
  const written = text.slice(0, LONGEST);
  return known.find((name) => distance(written, name) === 1 || letters(written) === letters(name));
}

export function nameHint(text: string, known: readonly string[]): string {
  const near = nearName(text, known);
  const all = `${known.length > 1 ? 'one of ' : ''}${known.join(', ')}`;
  return near === undefined ? `expected ${all}` : `did you mean ${near}?`;
}

const MAX_NAMED = 20;

/** Sentence with the nearest name, or the first known ones after a heading: "Available operations: a, b.". */
export function nameAdvice(text: string, known: readonly string[], heading: string): string {
  const near = nearName(text, known);
  const more = known.length > MAX_NAMED ? ` and ${known.length - MAX_NAMED} more` : '';
  return near === undefined
    ? `${heading}: ${known.slice(0, MAX_NAMED).join(', ') || 'none'}${more}.`
    : `Did you mean ${near}?`;
}
