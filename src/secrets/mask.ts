import { derivedForms } from './mask-forms.ts';
import { replacementOf } from './mask-pattern.ts';

const SHORTEST = 4;
const SHORTEST_NUMBER = 8;

/** What stands in any report by chance, and would only spoil it. */
function isTooCommon(value: string): boolean {
  const isNumber = /^[\d.]+$/.test(value) && value.length < SHORTEST_NUMBER;
  return value.length < SHORTEST || isNumber || ['true', 'false', 'null'].includes(value);
}

/**
 * Replaces every value in a text by `***`, also where it is written another way: escaped as in an address, a form, JSON or HTML, in
 * base64, also behind a user's name as in `Authorization: Basic`. In a JSON document neither keys nor numbers are touched. Not replaced:
 * values under 4 characters, numbers under 8 digits, true, false and null.
 */
export function maskOf(values: readonly string[]): (text: string) => string {
  const lines = values.flatMap((value) => [value, value.trim(), ...linesOf(value)]);
  const own = lines.filter((value) => !isTooCommon(value));
  const whole = values.map((value) => value.trim()).filter((value) => !isTooCommon(value));
  const forms = [...own, ...whole.flatMap(derivedForms)];
  // A short value may be a part of a long one.
  const longestFirst = [...new Set(forms)].sort((left, right) => right.length - left.length);
  const shortest = longestFirst.at(-1)?.length;
  if (shortest === undefined) {
    return (text) => text;
  }
  // One pattern of them all may be too large for an expression, and the error would tell them.
  const replacements = longestFirst.map((form) => replacementOf(form, form.length < SHORTEST_NUMBER));
  const masked = (text: string): string =>
    text.length < shortest ? text : replacements.reduce((left, replace) => replace(left), text);
  return (text) => (isJsonDocument(text) ? maskedDocument(text, masked) : masked(text));
}

/** A key of PEM reaches a log line by line, and a token without the blanks and line ends around it. */
function linesOf(value: string): readonly string[] {
  return value
    .split('\n')
    .filter((line) => !line.startsWith('-----'))
    .map((line) => line.trim());
}

/** A text of JSON; the colon behind it makes it a key. Without a choice for each character, which would be too many to remember. */
const JSON_STRING = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g;

/** A text in the document is masked as what it stands for, so that what was escaped in it is so afterwards. */
function maskedDocument(text: string, masked: (text: string) => string): string {
  return text.replace(JSON_STRING, (found: string, colon: string | undefined) => {
    if (colon !== undefined) {
      return found;
    }
    const plain: string = JSON.parse(found);
    const hidden = masked(plain);
    return hidden === plain ? found : JSON.stringify(hidden);
  });
}

function isJsonDocument(text: string): boolean {
  if (!/^\s*[{[]/.test(text)) {
    return false;
  }
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Where a text may be cut so that no half of a word is left: blanks, quotes and brackets. */
const CUT_WORD = String.raw`[^\s"'<>(){}[\],;]*`;
const LAST_WORD = new RegExp(`${CUT_WORD}$`);
const FIRST_WORD = new RegExp(`^${CUT_WORD}`);

/** The beginning of a text for a message, ended where no word is: of half a secret nobody would know that it is to be masked. */
export function beginningOf(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most).replace(LAST_WORD, '')}…` : text;
}

/** The end of a text for a message, begun where no word is. */
export function endingOf(text: string, most: number): string {
  return text.length > most ? `…${text.slice(-most).replace(FIRST_WORD, '')}` : text;
}
