import { distance } from 'fastest-levenshtein';

/** Longer names than this are no slips of the finger. */
const LONGEST = 60;

/** The known name that a misspelt one is closest to, whatever its case; undefined where none is near. */
export function nearName(text: string, known: readonly string[]): string | undefined {
  const written = text.toLowerCase().slice(0, LONGEST);
  const nearest = known
    .map((name) => ({ name, edits: distance(written, name.toLowerCase()) }))
    .toSorted((left, right) => left.edits - right.edits)[0];
  // Two letters in the wrong order are two edits.
  return nearest !== undefined && nearest.edits <= Math.ceil(nearest.name.length / 3) ? nearest.name : undefined;
}

/** What to write instead of an unknown name: the near one, or all that there are. */
export function nameHint(text: string, known: readonly string[]): string {
  const near = nearName(text, known);
  return near === undefined ? `known are ${known.join(', ')}` : `did you mean ${near}?`;
}

/** Of names in a message. */
const MOST_NAMED = 20;

/** The same as a sentence of its own, with the first of them behind a heading: "Operations there: a, b.". */
export function nameAdvice(text: string, known: readonly string[], heading: string): string {
  const near = nearName(text, known);
  const more = known.length > MOST_NAMED ? ` and ${known.length - MOST_NAMED} more` : '';
  return near === undefined
    ? `${heading}: ${known.slice(0, MOST_NAMED).join(', ') || 'none'}${more}.`
    : `Did you mean ${near}?`;
}
