/** Control and bidirectional characters, which can forge a terminal or a source line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this removes.
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]+/g;

/** Invisible characters, which can disguise or hide text. */
const INVISIBLE = /[\u00ad\u200b-\u200d\u2060-\u2064\u{e0000}-\u{e007f}]+/gu;

function printable(text: string): string {
  return text.replace(INVISIBLE, '').replace(UNPRINTABLE, ' ');
}

/** Text of any length for a terminal or a log. Lines and tabs are kept; other control characters are removed. */
export function terminalText(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(INVISIBLE, '').replace(STEERING, ' ');
}

/** Equivalent JSON in which characters that control a terminal or a log are escaped. */
export function terminalJson(json: string): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return json.replace(IN_JSON, (found) => found.split('').map(escaped).join(''));
}

// UNPRINTABLE and INVISIBLE, except those that JSON escapes already. A surrogate pair is matched from its first half.
const IN_JSON = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\udb40[\udc00-\udc7f]/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this removes.
const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]+/g;

/** Invisible; splits words so that mentions, issue numbers and URLs are not detected. */
const SPLIT = '\u200b';

const HTML_ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Untrusted text in one line without invisible characters, truncated to `most` characters. */
export function cleanText(text: string, most = 400): string {
  return shortened(printable(text).trim(), most);
}

function shortened(line: string, most: number): string {
  if (line.length <= most) {
    return line;
  }
  const characters = [...line];
  return characters.length <= most ? line : `${characters.slice(0, most - 1).join('')}…`;
}

/** The start of the name of a commit, as git prints it. */
export function shortCommit(commit: string): string {
  return commit.slice(0, 7);
}

/** Longer texts, such as responses of a service, are truncated. */
const MAX_SHOWN = 16_000;

/** Text of several lines for a terminal, without control characters, and truncated. */
export function shownText(text: string): string {
  const cut = text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
  const lines = cut.split(/\r?\n/);
  return lines.map(printable).join('\n');
}

/** End of a text of a program, at most `most` characters from the start of a line; only the end of a longer last line. */
export function endOfText(text: string, most: number): string {
  return text.length <= most ? text : fromLineStart(text.slice(-most));
}

/** Text without its first line, which was cut, unless there is no other. */
export function fromLineStart(cut: string): string {
  const text = cut.trimEnd();
  return text.slice(text.indexOf('\n') + 1);
}

const MAX_LINES = 20;

const MAX_LINE = 300;

export function printedLines(text: string): readonly string[] {
  const lines = text.split(/\r?\n/).slice(0, MAX_LINES);
  return lines.map((line) => shortened(printable(line).trimEnd(), MAX_LINE));
}

export function escapeHtml(text: string): string {
  return withEntities(shortened(printable(text), 4000));
}

function withEntities(line: string): string {
  return line.replace(/[&<>"']/g, (letter) => HTML_ENTITIES[letter] ?? letter);
}

/** Text for GitHub's Markdown, also in a table. Entities do not help for `@`, `#` and URLs, which are detected afterwards. */
export function escapeMarkdown(text: string, most = 300): string {
  return cleanText(text, most)
    .replace(/[&<>]/g, (letter) => HTML_ENTITIES[letter] ?? letter)
    .replace(/[\\`*_{}[\]#|~]/g, '\\$&')
    .replace(/^(?=[-+=])|(?=[.)](?: |$))(?<=^\d+)/, '\\')
    .replaceAll('$', '<span>$</span>')
    .replace(REFERENCES, (found) => `${found}${SPLIT}`);
}

const REFERENCES = /@(?=\w)|#(?=\w)|GH-(?=\d)|www(?=\.)|:(?=\/\/)/gi;

/** Text for an HTML element within Markdown on GitHub, where mentions, references and URLs are still detected. */
export function escapeSummary(text: string): string {
  return withEntities(cleanText(text).replace(REFERENCES, (found) => `${found}${SPLIT}`));
}

/** Untrusted text in which control and bidirectional characters become spaces, truncated to `most` characters. It is still untrusted. */
export function plainText(text: string, most: number): string {
  const plain = printable(text).trim();
  return wellFormed(plain.length <= most ? plain : `${plain.slice(0, most - 1)}…`);
}

/** Same as `toWellFormed`, which browsers that the trend page supports lack. */
function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\ufffd');
}

/** Same as `plainText` for several lines; keeps indentation, tabs and trailing spaces. */
export function plainLines(text: string, most: number): string {
  const lines = text.slice(0, most).split(/\r?\n/);
  const plain = lines.map((line) => line.split('\t').map(printable).join('\t')).join('\n');
  return wellFormed(plain.slice(0, most));
}

export function escapeXml(text: string): string {
  return escapeHtml(text.replace(/[\p{Surrogate}\ufffe\uffff]/gu, '\ufffd'));
}

/** "a, b and c", or "a, b and 7 more" if there are more than `most`. */
export function wordList(all: readonly string[], most = all.length): string {
  const words = all.length > most ? [...all.slice(0, most), `${all.length - most} more`] : all;
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}

export function shellCommand(argv: readonly string[]): string {
  return argv.map(shellWord).join(' ');
}

export function shellWord(text: string): string {
  return /^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

const SITE = 'https://wiregauge.github.io/wiregauge/docs';

/** URL of a document on the documentation site, by its path and an anchor: "docs/metrics.md#units". The npm package has no documents. */
export function documentAddress(place: string): string {
  const page = place.replace(/^docs\//, '').replace(/\.md(?=#|$)/, '.html');
  return `${SITE}/${page}`;
}

/** Text as a component of an address; encodeURIComponent alone throws for half a surrogate pair, which anything from outside may have. */
export function encoded(text: string): string {
  return encodeURIComponent(wellFormed(text));
}
