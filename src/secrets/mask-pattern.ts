/** As many values of an expression as this come to some ten thousand characters of it. */
const LONGEST_WRITTEN_OUT = 1000;

/** What stands before a short text where that begins: no letter, or the end of something escaped. */
const BEGIN = String.raw`(?:(?<![A-Za-z0-9])|(?<=%[0-9A-Fa-f]{2}|\\[bfnrtv]|\\u[0-9A-Fa-f]{4}))`;
const END = '(?![A-Za-z0-9])';

/**
 * Replaces a text by `***` wherever it stands, however its special characters are written: as in an address or a form (`%2F`, `+`, also
 * twice), in JSON (`\u002f`), in HTML (`&#47;`), behind a backslash. `asWord`: only where no letter or digit is beside it.
 */
export function replacementOf(text: string, asWord: boolean): (text: string) => string {
  if (!asWord && (/^[A-Za-z0-9]*$/.test(text) || text.length > LONGEST_WRITTEN_OUT)) {
    const forms = [...new Set([text, JSON.stringify(text).slice(1, -1), percentEncoded(text)])];
    return (found) => forms.reduce((left, form) => left.replaceAll(form, '***'), found);
  }
  const source = patternOf(text);
  const pattern = new RegExp(asWord ? `${BEGIN}${source}${END}` : source, 'g');
  return (found) => found.replace(pattern, '***');
}

/** Backslashes go together: each by itself may be several, which would leave too many ways to read a row of them. */
const PARTS = /\\+|[A-Za-z0-9]+|./gsu;

function patternOf(text: string): string {
  const parts = [...text.matchAll(PARTS)].map(([part]) => part);
  return parts.map((part, index) => partPattern(part, parts[index - 1]?.startsWith('\\') ?? false)).join('');
}

function partPattern(part: string, isBehindBackslash: boolean): string {
  if (/^[A-Za-z0-9]/.test(part)) {
    return part;
  }
  if (part.startsWith('\\')) {
    const { length } = part;
    return `(?:\\\\{${length},${4 * length}}|(?:${escapes('\\').join('|')}){${length}})`;
  }
  // Those that escape it are then counted among the others.
  const behind = isBehindBackslash ? '' : '\\\\{0,3}';
  return `(?:${[`${behind}${itself(part)}`, ...escapes(part)].join('|')})`;
}

const CONTROLS: Readonly<Record<string, string>> = {
  '\b': 'b',
  '\f': 'f',
  '\n': 'n',
  '\r': 'r',
  '\t': 't',
  '\v': 'v',
};

function itself(character: string): string {
  return unitsOf(character)
    .map((unit) => `\\u${hexOf(unit, 4)}`)
    .join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
};

/** The other ways of writing a character. */
function escapes(character: string): readonly string[] {
  const percent = bytesOf(character).map((byte) => `%(?:25)*${anyCase(hexOf(byte, 2))}`);
  const json = unitsOf(character).map((unit) => `\\\\{1,3}u${anyCase(hexOf(unit, 4))}`);
  const code = character.codePointAt(0) ?? 0;
  const entity = `&#(?:0*${code}|[xX]0*${anyCase(code.toString(16))});`;
  const [name, letter] = [ENTITIES[character], CONTROLS[character]];
  return [
    ...[percent.join(''), json.join(''), entity],
    ...(name === undefined ? [] : [`&${name};`]),
    ...(letter === undefined ? [] : [`\\\\{1,3}${letter}`]),
    ...(character === ' ' ? ['\\+'] : []),
  ];
}

const utf8 = new TextEncoder();

function bytesOf(text: string): readonly number[] {
  return [...utf8.encode(text)];
}

/** Half of a pair of surrogates is a unit, too. */
function unitsOf(text: string): readonly number[] {
  return Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
}

function hexOf(number: number, digits: number): string {
  return number.toString(16).padStart(digits, '0');
}

function anyCase(hex: string): string {
  return hex.replace(/[a-f]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

function percentEncoded(text: string): string {
  const escaped = (character: string): string =>
    bytesOf(character)
      .map((byte) => `%${hexOf(byte, 2).toUpperCase()}`)
      .join('');
  return text.replace(/[^A-Za-z0-9_.~-]/gu, escaped);
}
