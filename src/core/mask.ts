const SHORTEST = 4;
const SHORTEST_NUMBER = 8;

/** What stands in any report by chance, and would only spoil it. */
function isTooCommon(value: string): boolean {
  const isNumber = /^[\d.]+$/.test(value) && value.length < SHORTEST_NUMBER;
  return value.length < SHORTEST || isNumber || ['true', 'false', 'null'].includes(value);
}

/**
 * Replaces every value in a text by `***`, also where JSON writes it another way; in a JSON document neither keys nor numbers are
 * touched. Not replaced: values under 4 characters, numbers under 8 digits, true, false and null.
 */
export function maskOf(values: readonly string[]): (text: string) => string {
  const lines = values.flatMap((value) => [value, value.trim(), ...linesOf(value)]);
  const forms = lines.filter((value) => !isTooCommon(value)).flatMap((value) => [value, inJson(value)]);
  if (forms.length === 0) {
    return (text) => text;
  }
  // A short value may be a part of a long one.
  const longestFirst = [...new Set(forms)].sort((left, right) => right.length - left.length);
  // One pattern of them all may be too large for an expression, and the error would tell them.
  const replacements = longestFirst.map(replacementOf);
  const masked = (text: string): string => replacements.reduce((left, replace) => replace(left), text);
  const maskedValue = (found: string, colon: string | undefined): string =>
    colon === undefined ? masked(found) : found;
  return (text) => (isJsonDocument(text) ? text.replace(JSON_STRING, maskedValue) : masked(text));
}

/** A key of PEM reaches a log line by line, and a token without the blanks and line ends around it. */
function linesOf(value: string): readonly string[] {
  return value
    .split('\n')
    .filter((line) => !line.startsWith('-----'))
    .map((line) => line.trim());
}

function inJson(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

/** Short values count as words only: one of them within another word is chance. */
function replacementOf(value: string): (text: string) => string {
  if (value.length >= SHORTEST_NUMBER) {
    return (text) => text.replaceAll(value, '***');
  }
  const escaped = value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const word = new RegExp(`(?<![A-Za-z0-9])${escaped}(?![A-Za-z0-9])`, 'g');
  return (text) => text.replace(word, '***');
}

/** A text of JSON; the colon behind it makes it a key. Without a choice for each character, which would be too many to remember. */
const JSON_STRING = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g;

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

/** The beginning of a text for a message, ended where no word is: of half a secret nobody would know that it is to be masked. */
export function beginningOf(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most).replace(/[\w.~+/=-]*$/, '')}…` : text;
}

/** The end of a text for a message, begun where no word is. */
export function endingOf(text: string, most: number): string {
  return text.length > most ? `…${text.slice(-most).replace(/^[\w.~+/=-]*/, '')}` : text;
}
