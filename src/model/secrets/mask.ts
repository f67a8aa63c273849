import { ifPossible } from '../../foundation/errors.ts';
import { parsedJson } from '../../foundation/json.ts';

const SHORTEST = 4;

const SHORTEST_NUMBER = 8;

function isTooCommon(value: string): boolean {
  const isNumber = /^[\d.]+$/.test(value) && value.length < SHORTEST_NUMBER;
  return value.length < SHORTEST || isNumber || ['true', 'false', 'null'].includes(value);
}

/**
 * Replaces every value in a text by `***`, also if it is encoded: in addresses, forms, JSON, HTML, or base64, including `Authorization:
 * Basic`. Keys and numbers of a JSON document are unchanged. Values under 4 characters, numbers under 8 digits, true, false and null are
 * not replaced.
 */
export function maskOf(values: readonly string[]): (text: string) => string {
  const lines = values.flatMap((value) => [value, value.trim(), ...linesOf(value)]);
  const own = lines.filter((value) => !isTooCommon(value));
  const whole = values.map((value) => value.trim()).filter((value) => !isTooCommon(value));
  const forms = [...own, ...whole.flatMap(derivedForms)];
  // A short value may be part of a long one.
  const longestFirst = [...new Set(forms)].sort((left, right) => right.length - left.length);
  const shortest = longestFirst.at(-1)?.length;
  if (shortest === undefined) {
    return (text) => text;
  }
  // A single pattern might be too large for a regular expression, and the error would contain the values.
  const replacements = longestFirst.map((form) => replacementOf(form, form.length < SHORTEST_NUMBER));
  const masked = (text: string): string =>
    text.length < shortest ? text : replacements.reduce((left, replace) => replace(left), text);
  return (text) =>
    /^\s*[{[]/.test(text) && parsedJson(text) !== undefined ? maskedDocument(text, masked) : masked(text);
}

/** PEM keys are logged line by line, and tokens without surrounding white space. */
function linesOf(value: string): readonly string[] {
  return value
    .split('\n')
    .filter((line) => !line.startsWith('-----'))
    .map((line) => line.trim());
}

/** JSON string; a following colon makes it a key. Avoids alternatives per character, which would exhaust the stack of the engine. */
const JSON_STRING = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g;

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

const CUT_WORD = String.raw`[^\s"'<>(){}[\],;]*`;

const LAST_WORD = new RegExp(`${CUT_WORD}$`);

const FIRST_WORD = new RegExp(`^${CUT_WORD}`);

/** Beginning of a text for a message, cut between words: half of a secret would not be masked. */
export function beginningOf(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most).replace(LAST_WORD, '')}…` : text;
}

export function endingOf(text: string, most: number): string {
  return text.length > most ? `…${text.slice(-most).replace(FIRST_WORD, '')}` : text;
}

/** Shorter parts of a secret may be common words. */
const SHORTEST_PART = 8;

const utf8 = new TextEncoder();

const fromUtf8 = new TextDecoder('utf-8', { fatal: true });

/** Other forms of a secret: base64, alone or within longer data, and its parts: a token after `Bearer`, an address's password. */
export function derivedForms(secret: string): readonly string[] {
  const parts = partsOf(secret).filter((part) => part.length >= SHORTEST_PART);
  const all = [secret, ...parts];
  const encoded = all
    .filter((part) => part.length >= SHORTEST_PART)
    .flatMap((part) => [...hexForms(part), ...base64Forms(base64(utf8.encode(part)))]);
  return [...parts, ...all.flatMap(base64Forms), ...encoded];
}

/** Hexadecimal bytes, as in memory dumps and fully encoded addresses. */
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
    ...(password === undefined ? [] : [password, ifPossible(() => decodeURIComponent(password)) ?? password]),
    ...(credentials === undefined ? [] : [credentials, credentials.slice(credentials.indexOf(':') + 1)]),
  ];
}

/** `user:password` in base64. */
function credentialsIn(text: string): string | undefined {
  if (!/^[A-Za-z0-9+/]{8,}={0,2}$/.test(text) || text.length % 4 !== 0) {
    return undefined;
  }
  // Undefined if it is not UTF-8, and so no pair of user and password.
  const decoded = ifPossible(() => fromUtf8.decode(Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0))));
  return decoded !== undefined && /^[^:\p{Cc}]+:\P{Cc}+$/u.test(decoded) ? decoded : undefined;
}

/** Base64 encodes three bytes as four characters, so a text within longer data has one of three forms. */
const FIRST_OWN_CHARACTER = [0, 2, 3];

function base64Forms(text: string): readonly string[] {
  const bytes = utf8.encode(text);
  const whole = base64(bytes);
  const within = FIRST_OWN_CHARACTER.map((from, before) => {
    const moved = new Uint8Array(before + bytes.length);
    moved.set(bytes, before);
    // The last character may depend on what follows.
    return base64(moved).slice(from, Math.floor((8 * moved.length) / 6));
  });
  return [whole, ...within]
    .flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')])
    .filter((form) => form.length >= SHORTEST_PART);
}

function base64(bytes: Uint8Array): string {
  // The bytes of a long text are too many arguments for one call.
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

/** Longest text for a pattern, which then has some ten thousand characters. */
const LONGEST_WRITTEN_OUT = 1000;

/** Start of a short text: no letter or digit before it, or the end of an escape sequence. */
const BEGIN = String.raw`(?:(?<![A-Za-z0-9])|(?<=%[0-9A-Fa-f]{2}|\\[bfnrtv]|\\u[0-9A-Fa-f]{4}))`;

const END = '(?![A-Za-z0-9])';

/** Replaces a text by `***`, however it is encoded: in addresses, JSON, HTML. `asWord`: not next to a letter or digit. */
export function replacementOf(text: string, asWord: boolean): (text: string) => string {
  if (!asWord && (/^[A-Za-z0-9]*$/.test(text) || text.length > LONGEST_WRITTEN_OUT)) {
    const forms = [...new Set([text, JSON.stringify(text).slice(1, -1), percentEncoded(text)])];
    return (found) => forms.reduce((left, form) => left.replaceAll(form, '***'), found);
  }
  const source = patternOf(text);
  const pattern = new RegExp(asWord ? `${BEGIN}${source}${END}` : source, 'g');
  return (found) => found.replace(pattern, '***');
}

/** Backslashes are matched as a group: separate matches would lead to exponential backtracking. */
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
  // Escaping backslashes are then part of the preceding group.
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
