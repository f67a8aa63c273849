import { ConfigError } from '../../foundation/errors.ts';
import { nearName } from '../../foundation/names.ts';
import { cleanText, documentAddress } from '../../foundation/text.ts';
import { wrapped } from '../../report/render/lines.ts';
import { printResult } from '../program/result.ts';
import { codesOfMessage, TITLES, type Topic, topicNames, topicsNamed, topicsOf, topicsOfWord } from './topics.ts';

/**
 * `wiregauge explain`: explains a name or a pasted message, or lists all names. Throws ConfigError with the nearest name for an
 * unknown one. A message with codes is explained by them.
 */
export function explain(text: string, { json }: { readonly json?: boolean }): void {
  const requested = text.trim();
  const topics = requested === '' ? KINDS.flatMap(topicsOf) : topicsFor(requested);
  printResult(
    { command: 'explain', json },
    { topics },
    requested === '' ? listText() : topics.map(topicText).join('\n'),
  );
}

/** Aliases: words that users look for, with the names of their topics. */
const ALIASES: ReadonlyMap<string, readonly string[]> = new Map([
  ['latency', ['latency', 'p50', 'p95', 'p99']],
  ['threshold', ['threshold', 'policy']],
  ['gating', ['gating row', 'threshold']],
  ['quiet', ['disturbed', 'machine lock']],
]);

function topicsFor(text: string): readonly Topic[] {
  const codes = [...new Set(text.match(/\bWG-\d{3}\b/gi))];
  const names = codes.length > 0 ? codes : (ALIASES.get(text.toLowerCase()) ?? [text]);
  const exact = names.flatMap(topicsNamed);
  const named = exact.length > 0 ? exact : topicsOfWord(text);
  if (named.length > 0) {
    return named;
  }
  const message = messageLike(text, topicsOf('message'));
  const found = message === undefined ? codesOfMessage(text).flatMap(topicsNamed) : [message];
  if (found.length === 0) {
    const near = nearName(text, topicNames());
    const hint = near === undefined ? '' : `Did you mean \`wiregauge explain ${near}\`? `;
    throw new ConfigError(`there is no topic "${cleanText(text, 80)}"`, {
      code: 'WG-106',
      next: `${hint}Run \`wiregauge explain\` for a list of topics.`,
    });
  }
  return found;
}

function topicText({ kind, name, also = [], from, says }: Topic): string {
  const names = also.length === 0 ? name : `${name}, ${also.join(', ')}`;
  const lines = Object.entries(says).flatMap(([about, said]) => (said ? indented(`${about}: ${said}`) : []));
  return `${[`${names} (${kind})`, ...lines, ...indented(`more: ${documentAddress(from)}`)].join('\n')}\n`;
}

/** Indentation of non-breaking spaces. */
const INDENT = '\u00a0\u00a0';

function indented(text: string, indent = '    '): readonly string[] {
  return wrapped(`${INDENT}${text}`, indent);
}

function listText(): string {
  const lists = KINDS.map((kind) => {
    const names = [...new Set(topicsOf(kind).map(({ name }) => name))];
    const said = kind === 'message' ? names.map((name) => `  ${name}`) : indented(names.join('; '), '  ');
    return [`${TITLES[kind]}:`, ...said].join('\n');
  });
  return `${lists.join('\n\n')}\n`;
}

const KINDS = Object.keys(TITLES) as readonly Topic['kind'][];

/** Share of the words of a known message that the text must contain. */
const LEAST_SHARE = 0.8;

const LEAST_WORDS = 3;

/**
 * Known message that shares the most words with a pasted text; undefined if none is near. Placeholders (a file and its line, a name in quotes) do
 * not count.
 */
export function messageLike(text: string, known: readonly Topic[]): Topic | undefined {
  const given = new Set(wordsOf(text));
  const [best] = known
    .map((topic) => {
      const name = topic.name
        .replace(/^\S+\.\w+:\d+(?::\d+)?: \S+: /, '')
        .replaceAll(/`[^`]*`|"[^"]*"/g, ' ')
        .replaceAll(/\S*…/g, ' ');
      const words = new Set(wordsOf(name));
      const shared = [...words].filter((word) => given.has(word)).length;
      const share = shared / words.size;
      const isLike = shared >= Math.min(LEAST_WORDS, words.size) && share >= LEAST_SHARE;
      return { topic, weight: isLike ? shared * share : 0 };
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((left, right) => right.weight - left.weight);
  return best?.topic;
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
