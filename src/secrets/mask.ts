const SHORTEST = 4;

const SHORTEST_NUMBER = 8;

/** What stands in any report by chance, and would only spoil it. */
function isTooCommon(value: string): boolean {
  const isNumber = /^[\d.]+$/.test(value) && value.length < SHORTEST_NUMBER;
  return value.length < SHORTEST || isNumber || ['true', 'false', 'null'].includes(value);
}

/**
 * Replaces every value in a text by `***`, also if it is written another way: escaped as in an address, a form, JSON or HTML, in
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

/** The beginning of a text for a message, ended at no word: of half a secret nobody would know that it is to be masked. */
export function beginningOf(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most).replace(LAST_WORD, '')}…` : text;
}

/** The end of a text for a message, begun at no word. */
export function endingOf(text: string, most: number): string {
  return text.length > most ? `…${text.slice(-most).replace(FIRST_WORD, '')}` : text;
}

/** Shorter parts of a secret are words that stand anywhere. */
const SHORTEST_PART = 8;

const utf8 = new TextEncoder();

const fromUtf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * A secret in the forms that nothing but a program makes of it: in base64 by itself and within something longer, as the password of
 * `Authorization: Basic` is; and what of it is a secret by itself: the token behind `Bearer`, the password of an address, what base64 in it
 * stands for. Without the secret itself.
 */
export function derivedForms(secret: string): readonly string[] {
  const parts = partsOf(secret).filter((part) => part.length >= SHORTEST_PART);
  const all = [secret, ...parts];
  const encoded = all
    .filter((part) => part.length >= SHORTEST_PART)
    .flatMap((part) => [...hexForms(part), ...base64Forms(base64(utf8.encode(part)))]);
  return [...parts, ...all.flatMap(base64Forms), ...encoded];
}

/** Each byte by its number, as a dump of memory or a careful encoder of addresses writes it. */
function hexForms(text: string): readonly string[] {
  const bytes = bytesOf(text).map((byte) => hexOf(byte, 2));
  const forms = [bytes.join(''), bytes.map((byte) => `%${byte}`).join('')];
  return forms.flatMap((form) => [form, form.toUpperCase()]);
}

const SCHEME = /^(?:basic|bearer|digest|token)\s+(\S.*)$/i;

const PASSWORD_OF_ADDRESS = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s:@]*:([^/?#\s@]+)@/i;

function partsOf(secret: string): readonly string[] {
  const token = SCHEME.exec(secret)?.[1];
  const password = PASSWORD_OF_ADDRESS.exec(secret)?.[1];
  const credentials = credentialsIn(token ?? secret);
  return [
    ...(token === undefined ? [] : [token]),
    ...(password === undefined ? [] : [password, unescaped(password)]),
    ...(credentials === undefined ? [] : [credentials, credentials.slice(credentials.indexOf(':') + 1)]),
  ];
}

/** `user:password` in base64. */
function credentialsIn(text: string): string | undefined {
  if (!/^[A-Za-z0-9+/]{8,}={0,2}$/.test(text) || text.length % 4 !== 0) {
    return undefined;
  }
  try {
    const decoded = fromUtf8.decode(Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0)));
    return /^[^:\p{Cc}]+:\P{Cc}+$/u.test(decoded) ? decoded : undefined;
  } catch {
    // Other bytes than a text: it is no pair of user and password.
    return undefined;
  }
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A % that escapes nothing.
    return text;
  }
}

/** Three bytes become four characters: a text stands in one of three ways in those of something longer. */
const FIRST_OWN_CHARACTER = [0, 2, 3];

function base64Forms(text: string): readonly string[] {
  const bytes = utf8.encode(text);
  const whole = base64(bytes);
  const within = FIRST_OWN_CHARACTER.map((from, before) => {
    const moved = new Uint8Array(before + bytes.length);
    moved.set(bytes, before);
    // The last character may be made of what follows, too.
    return base64(moved).slice(from, Math.floor((8 * moved.length) / 6));
  });
  return [whole, ...within]
    .flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')])
    .filter((form) => form.length >= SHORTEST_PART);
}

function base64(bytes: Uint8Array): string {
  // As arguments of one call, the bytes of a long text would be too many.
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

/** As many values of an expression as this come to some ten thousand characters of it. */
const LONGEST_WRITTEN_OUT = 1000;

/** What stands before a short text where that begins: no letter, or the end of something escaped. */
const BEGIN = String.raw`(?:(?<![A-Za-z0-9])|(?<=%[0-9A-Fa-f]{2}|\\[bfnrtv]|\\u[0-9A-Fa-f]{4}))`;

const END = '(?![A-Za-z0-9])';

/**
 * Replaces a text by `***` wherever it stands, however its special characters are written: as in an address or a form (`%2F`, `+`, also
 * twice), in JSON (`\u002f`), in HTML (`&#47;`), behind a backslash. `asWord`: only if no letter or digit is beside it.
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
