import { distance } from 'fastest-levenshtein';
import * as z from 'zod';

/** What names of services, operations, tiers and suites may be in files that this program wrote. */
export const NAME = /^[A-Za-z0-9_.-]{1,80}$/;

/** Such a name. */
export const nameSchema = z.string().regex(NAME, 'must be 1 to 80 letters, digits, dots, dashes or underscores');

/** A name of a service, an operation, a tier, a suite: it stands in paths, flags and addresses of pages. */
export const name = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_.-]{0,79}$/,
    'must be 1 to 80 letters, digits, dots, dashes or underscores, starting with a letter or digit',
  );

/** What people read in reports. */
export const title = z.string().min(1).max(120);

/** What YAML may read as a number or a boolean if a text is meant. */
export const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String);

/** The name of an environment variable or of a build argument. */
export const variable = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be letters, digits and underscores, not starting with a digit');

/** A path inside the repository: neither absolute nor leading out of it. */
export const path = z
  .string()
  .min(1)
  .refine(
    (value) => !value.startsWith('/') && !value.split('/').includes('..'),
    'must be a path inside the repository',
  );

/** A path inside the checkout: it may first lead up, as from one service of a monorepo to a folder of all of them. */
export const sharedPath = z
  .string()
  .min(1)
  .refine(
    (value) =>
      !value.startsWith('/') &&
      !value
        .replace(/^(?:\.\.\/)+/, '')
        .split('/')
        .includes('..'),
    'must be a path inside the repository',
  );

/** Whether no value stands in a list twice. */
export function isDistinct(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}

/** Longer names than this are no slips of the finger. */
const LONGEST = 60;

/** Two letters in the wrong order are two edits; with more it is another word. */
const MOST_EDITS = 2;

/** The known name that a misspelt one is closest to, whatever its case; undefined if none is near. */
export function nearName(text: string, known: readonly string[]): string | undefined {
  const written = text.toLowerCase().slice(0, LONGEST);
  const nearest = known
    .map((name) => ({ name, edits: distance(written, name.toLowerCase()) }))
    .toSorted((left, right) => left.edits - right.edits)[0];
  const most = Math.min(MOST_EDITS, Math.ceil((nearest?.name.length ?? 0) / 3));
  return nearest !== undefined && nearest.edits <= most ? nearest.name : undefined;
}

/** The known name that a text is with one letter too many, too few or wrong, or with letters in another order; undefined for any other. */
export function slipOf(text: string, known: readonly string[]): string | undefined {
  const letters = (word: string): string => [...word].toSorted().join('');
  const written = text.slice(0, LONGEST);
  return known.find((name) => distance(written, name) === 1 || letters(written) === letters(name));
}

/** What to write instead of an unknown name: the near one, or all that there are. */
export function nameHint(text: string, known: readonly string[]): string {
  const near = nearName(text, known);
  const all = `${known.length > 1 ? 'one of ' : ''}${known.join(', ')}`;
  return near === undefined ? `expected ${all}` : `did you mean ${near}?`;
}

/** Of names in a message. */
const MOST_NAMED = 20;

/** The same as a sentence of its own, with the first of them behind a heading: "Available operations: a, b.". */
export function nameAdvice(text: string, known: readonly string[], heading: string): string {
  const near = nearName(text, known);
  const more = known.length > MOST_NAMED ? ` and ${known.length - MOST_NAMED} more` : '';
  return near === undefined
    ? `${heading}: ${known.slice(0, MOST_NAMED).join(', ') || 'none'}${more}.`
    : `Did you mean ${near}?`;
}
