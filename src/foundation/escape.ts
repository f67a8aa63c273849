/** Control characters, and those that turn the direction of text: they can forge a terminal or a source line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this removes.
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]+/g;

/** Invisible, and splits a word for whoever looks for mentions, issue numbers and addresses. */
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
  return shortened(text.replace(UNPRINTABLE, ' ').trim(), most);
}

function shortened(line: string, most: number): string {
  const characters = [...line];
  return characters.length <= most ? line : `${characters.slice(0, most - 1).join('')}…`;
}

/** Text for HTML, in an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  const line = shortened(text.replace(UNPRINTABLE, ' '), 4000);
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
    .replace(/^(?=[-+=])|(?<=^\d+)(?=[.)](?: |$))/, '\\')
    .replaceAll('$', '<span>$</span>')
    .replace(/@(?=\w)|#(?=\w)|GH-(?=\d)|www(?=\.)|:(?=\/\/)/gi, (found) => `${found}${SPLIT}`);
}
