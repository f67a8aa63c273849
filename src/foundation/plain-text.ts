/** Longer than any that is shown: what is cut ends in it. */
const ELLIPSIS = '…';

/**
 * A text from outside without what could change how others are read: control characters and the marks that turn the
 * direction of writing become spaces. Cut at so many characters. It is still text from outside.
 */
export function plainText(text: string, most: number): string {
  const plain = text
    .replaceAll(/[\p{Cc}\u061c\ufeff\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim();
  return plain.length <= most ? wellFormed(plain) : wellFormed(`${plain.slice(0, most - 1)}${ELLIPSIS}`);
}

/** Half of a pair of surrogates is no character, and no file in UTF-8 can hold it. */
function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\ufffd');
}

/** The same for a text of several lines, which stay. */
export function plainLines(text: string, most: number): string {
  const lines = text.slice(0, most).split(/\r?\n/);
  return lines
    .map((line) => plainText(line, most))
    .join('\n')
    .trim()
    .slice(0, most);
}
