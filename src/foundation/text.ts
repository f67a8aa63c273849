/** Control characters, and those that turn the direction of text: they can forge a terminal or a source line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this removes.
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]+/g;

/** Nobody sees them: they make one text pass for another, or carry a second one. */
const INVISIBLE = /[\u00ad\u200b-\u200d\u2060-\u2064\u{e0000}-\u{e007f}]+/gu;

function printable(text: string): string {
  return text.replace(INVISIBLE, '').replace(UNPRINTABLE, ' ');
}

/** Text of any length for a terminal or a log: lines and tabs stay, and nothing else in it steers either. */
export function terminalText(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(INVISIBLE, '').replace(STEERING, ' ');
}

/** JSON with everything escaped in its strings that a terminal or a log would obey; it means the same. */
export function terminalJson(json: string): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return json.replace(IN_JSON, (found) => found.split('').map(escaped).join(''));
}

// As UNPRINTABLE and INVISIBLE. In JSON the first control characters are escaped already, and the rest of a pair follows its first half.
const IN_JSON = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\udb40[\udc00-\udc7f]/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this removes.
const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]+/g;

/** Invisible, and splits a word for programs that look for mentions, issue numbers and addresses. */
const SPLIT = '\u200b';

const HTML_ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text from outside on one line, without anything that is not meant to be seen; at most `most` characters. */
export function cleanText(text: string, most = 400): string {
  return shortened(printable(text).trim(), most);
}

function shortened(line: string, most: number): string {
  const characters = [...line];
  return characters.length <= most ? line : `${characters.slice(0, most - 1).join('')}…`;
}

/** Longer ones say nothing more: they are what a service answers. */
const MOST_SHOWN = 16_000;

/** A text of several lines for a terminal: nothing in it steers that, and it ends somewhere. */
export function shownText(text: string): string {
  const cut = text.length <= MOST_SHOWN ? text : `${text.slice(0, MOST_SHOWN)}…`;
  const lines = cut.split(/\r?\n/);
  return lines.map(printable).join('\n');
}

const MOST_LINES = 20;

const MOST_LINE = 300;

/** The lines that a program printed, at most 20 of at most 300 characters, each without anything that is not meant to be seen. */
export function printedLines(text: string): readonly string[] {
  const lines = text.split(/\r?\n/).slice(0, MOST_LINES);
  return lines.map((line) => shortened(printable(line).trimEnd(), MOST_LINE));
}

/** Text for HTML, in an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return withEntities(shortened(printable(text), 4000));
}

function withEntities(line: string): string {
  return line.replace(/[&<>"']/g, (letter) => HTML_ENTITIES[letter] ?? letter);
}

/**
 * Text for Markdown on GitHub, also within a table: nothing in it is markup, HTML or a formula, and nothing mentions a
 * person, refers to an issue or becomes a link. An entity would not do for `@`, `#` and addresses: they are looked for
 * after the entities were resolved.
 */
export function escapeMarkdown(text: string, most = 300): string {
  return cleanText(text, most)
    .replace(/[&<>]/g, (letter) => HTML_ENTITIES[letter] ?? letter)
    .replace(/[\\`*_{}[\]#|~]/g, '\\$&')
    .replace(/^(?=[-+=])|(?=[.)](?: |$))(?<=^\d+)/, '\\')
    .replaceAll('$', '<span>$</span>')
    .replace(REFERENCES, (found) => `${found}${SPLIT}`);
}

const REFERENCES = /@(?=\w)|#(?=\w)|GH-(?=\d)|www(?=\.)|:(?=\/\/)/gi;

/** Text for an HTML element within Markdown on GitHub, which reads no markup there, but mentions, references and addresses. */
export function escapeSummary(text: string): string {
  return withEntities(cleanText(text).replace(REFERENCES, (found) => `${found}${SPLIT}`));
}

/** Longer than any that is shown: what is cut ends in it. */
const ELLIPSIS = '…';

/**
 * A text from outside without what could change how others are read: control characters and the marks that turn the
 * direction of writing become spaces. Cut at so many characters. It is still text from outside.
 */
export function plainText(text: string, most: number): string {
  const plain = plainCharacters(text).trim();
  return plain.length <= most ? wellFormed(plain) : wellFormed(`${plain.slice(0, most - 1)}${ELLIPSIS}`);
}

function plainCharacters(text: string): string {
  return text
    .replace(INVISIBLE, '')
    .replaceAll(/[\p{Cc}\u061c\ufeff\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ');
}

/** Half of a pair of surrogates is no character: no file in UTF-8 can hold it, and an API may refuse it. */
export function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\ufffd');
}

/** The same for a text of several lines, which stay as they are: also indented ones, by tabs too, and spaces at their ends. */
export function plainLines(text: string, most: number): string {
  const lines = text.slice(0, most).split(/\r?\n/);
  return wellFormed(
    lines
      .map((line) => line.split('\t').map(plainCharacters).join('\t'))
      .join('\n')
      .slice(0, most),
  );
}

/** Text for XML, in an element or a quoted attribute, on one line and with nothing that XML cannot hold. */
export function escapeXml(text: string): string {
  return escapeHtml(text.replace(/[\p{Surrogate}\ufffe\uffff]/gu, '\ufffd'));
}

/** A list in words: "a", "a and b", "a, b and c". */
export function wordList(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}

/** A command as a shell takes it: whatever is special in an argument is quoted. */
export function shellCommand(argv: readonly string[]): string {
  return argv.map(shellWord).join(' ');
}

/** A text as a shell takes it for one word. */
export function shellWord(text: string): string {
  return /^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

const SITE = 'https://wiregauge.github.io/wiregauge/docs';

/** The address of a document on the documents site, by its path and an anchor: "docs/metrics.md#units". The npm package has no documents. */
export function documentAddress(place: string): string {
  const page = place.replace(/^docs\//, '').replace(/\.md(?=#|$)/, '.html');
  return `${SITE}/${page}`;
}
