/** Tried first, as they read better than what a pattern says at least. Short, since a pattern may try all of their parts. */
const USUAL_TEXTS = ['example', 'Example', 'EXAMPLE', 'abc', 'ABC', 'a', 'A', '1', '12', '123'];

/** Longer ones are written by programs. */
const LONGEST_PATTERN = 500;
const LONGEST_TEXT = 2000;

/**
 * A text that a regular expression matches, and that `fits` where a usual one does; undefined where the expression is none, or has
 * parts (looking ahead or back, references) whose texts are not known.
 */
export function patternExample(pattern: string, fits: (text: string) => boolean): string | undefined {
  const expression = pattern.length > LONGEST_PATTERN ? undefined : expressionOf(pattern);
  if (expression === undefined) {
    return undefined;
  }
  const usual = USUAL_TEXTS.find((text) => fits(text) && expression.test(text));
  return usual ?? shortest(pattern);
}

function expressionOf(pattern: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags);
    } catch {
      // Some are written for engines that escape more.
    }
  }
  return undefined;
}

function shortest(pattern: string): string | undefined {
  try {
    return alternatives({ text: pattern, at: 0 });
  } catch (thrown) {
    if (thrown instanceof UnknownPart) {
      return undefined;
    }
    throw thrown;
  }
}

/** A part of an expression that no text is known for. */
class UnknownPart extends Error {}

interface Cursor {
  readonly text: string;
  at: number;
}

/** The first one counts; the others are passed over. */
function alternatives(cursor: Cursor): string {
  const first = sequence(cursor);
  while (cursor.text[cursor.at] === '|') {
    cursor.at += 1;
    sequence(cursor);
  }
  return first;
}

function sequence(cursor: Cursor): string {
  let made = '';
  while (cursor.at < cursor.text.length && !'|)'.includes(cursor.text[cursor.at] ?? '')) {
    const part = atom(cursor);
    made += part.repeat(timesOf(cursor));
    if (made.length > LONGEST_TEXT) {
      throw new UnknownPart();
    }
  }
  return made;
}

const GROUP = /\((?:\?(?::|<\w+>))?/y;
const CLASS = /\[\^?(?:\\.|[^\]\\])*\]/y;
const ESCAPE = /\\(?:u\{[0-9a-f]+\}|u[0-9a-f]{4}|x[0-9a-f]{2}|p\{[^}]*\}|[^b0-9k])/iy;
const QUANTIFIER = /(?:[*+?]|\{(\d+)(?:,(\d*))?\})\??/y;

/** What signs of an expression stand for. */
const SIGNS: ReadonlyMap<string, string> = new Map([
  ['^', ''],
  ['$', ''],
  ['.', 'a'],
]);

function atom(cursor: Cursor): string {
  if (cursor.text[cursor.at] === '(') {
    return group(cursor);
  }
  const oneOfMany = taken(CLASS, cursor) ?? taken(ESCAPE, cursor);
  if (oneOfMany !== undefined) {
    return characterOf(oneOfMany);
  }
  const character = String.fromCodePoint(cursor.text.codePointAt(cursor.at) ?? 0);
  cursor.at += character.length;
  if ('\\[*+?'.includes(character)) {
    throw new UnknownPart();
  }
  return SIGNS.get(character) ?? character;
}

function group(cursor: Cursor): string {
  const opening = taken(GROUP, cursor);
  if (opening === undefined || cursor.text[cursor.at] === '?') {
    throw new UnknownPart();
  }
  const made = alternatives(cursor);
  cursor.at += 1;
  return made;
}

/** What an expression matches at the cursor, which moves behind it. */
function taken(expression: RegExp, cursor: Cursor): string | undefined {
  expression.lastIndex = cursor.at;
  const found = expression.exec(cursor.text)?.[0];
  cursor.at += found?.length ?? 0;
  return found;
}

/** One where none would do too: an empty text is rarely what a path or a body wants. */
function timesOf(cursor: Cursor): number {
  const found = taken(QUANTIFIER, cursor);
  if (found === undefined) {
    return 1;
  }
  const [, fewest = '0', most = fewest] = /\{(\d+)(?:,(\d*))?\}/.exec(found) ?? [];
  const isNone = found.startsWith('?') || (found.startsWith('{') && most === '0');
  const times = Math.max(Number(fewest), isNone ? 0 : 1);
  if (times > LONGEST_TEXT) {
    throw new UnknownPart();
  }
  return times;
}

/** Letters, digits and marks, in the order in which they are tried. */
const CHARACTERS = [
  ...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ123456789_-.0 ,:;/@#+!?=%&*()[]{}<>"\'\\|~^$`',
];

/** The first character that a class or an escape stands for. */
function characterOf(part: string): string {
  const expression = expressionOf(`^(?:${part})$`);
  const found = CHARACTERS.find((character) => expression?.test(character));
  if (found === undefined) {
    throw new UnknownPart();
  }
  return found;
}
