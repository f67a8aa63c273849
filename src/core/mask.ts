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
  const lines = values.flatMap((value) => [value, ...linesOf(value)]);
  const forms = lines.filter((value) => !isTooCommon(value)).flatMap((value) => [value, inJson(value)]);
  if (forms.length === 0) {
    return (text) => text;
  }
  // A short value may be a part of a long one.
  const longestFirst = [...new Set(forms)].sort((left, right) => right.length - left.length);
  const pattern = new RegExp(longestFirst.map(patternOf).join('|'), 'g');
  const masked = (text: string): string => text.replace(pattern, '***');
  const maskedValue = (found: string, colon: string | undefined): string =>
    colon === undefined ? masked(found) : found;
  return (text) => (isJsonDocument(text) ? text.replace(JSON_STRING, maskedValue) : masked(text));
}

/** A key of PEM reaches a log line by line. */
function linesOf(value: string): readonly string[] {
  return value.split('\n').filter((line, _, { length }) => length > 1 && !line.startsWith('-----'));
}

function inJson(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

/** Short values count as words only: one of them within another word is chance. */
function patternOf(value: string): string {
  const escaped = value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return value.length < SHORTEST_NUMBER ? `(?<![A-Za-z0-9])${escaped}(?![A-Za-z0-9])` : escaped;
}

/** A text of JSON; the colon behind it makes it a key. */
const JSON_STRING = /"(?:[^"\\]|\\.)*"(\s*:)?/g;

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
