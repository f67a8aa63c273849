import { ConfigError } from '../../foundation/errors.ts';
import { cleanText } from '../../foundation/escape.ts';
import { nearName } from '../../foundation/near-name.ts';
import { wrapped } from '../../report/render/terminal-text.ts';
import { tellResult } from '../program/result.ts';
import { messageLike } from './explain-message.ts';
import { KINDS, type Topic, topicNames, topicsNamed, topicsOf } from './explain-topics.ts';

export interface ExplainFlags {
  readonly json?: boolean;
}

/**
 * `wiregauge explain`: what a name or the text of a message means, or without either all names. Exit code 0; throws ConfigError for
 * what nothing is known of, with the nearest name.
 */
export function explain(text: string, { json }: ExplainFlags): number {
  const asked = text.trim();
  const topics = asked === '' ? KINDS.flatMap(topicsOf) : topicsFor(asked);
  tellResult(
    { command: 'explain', json },
    { text: () => (asked === '' ? listText() : topics.map(topicText).join('\n')), data: () => ({ topics }) },
  );
  return 0;
}

function topicsFor(text: string): readonly Topic[] {
  const named = topicsNamed(text);
  const message = named.length > 0 ? undefined : messageLike(text, topicsOf('message'));
  if (named.length === 0 && message === undefined) {
    const near = nearName(text, topicNames());
    const hint = near === undefined ? '' : `Did you mean \`wiregauge explain ${near}\`? `;
    throw new ConfigError(`nothing is known of "${cleanText(text, 80)}"`, {
      next: `${hint}\`wiregauge explain\` lists the names; a message says itself what to do, on its second line.`,
    });
  }
  return message === undefined ? named : [message];
}

function topicText({ kind, name, also = [], from, says }: Topic): string {
  const names = also.length === 0 ? name : `${name}, ${also.join(', ')}`;
  const lines = Object.entries(says).flatMap(([about, said]) => (said ? indented(`${about}: ${said}`) : []));
  return `${[`${names} (${kind})`, ...lines, ...indented(`more: ${from}`)].join('\n')}\n`;
}

/** Spaces that no line is broken at. */
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

const TITLES: Readonly<Record<Topic['kind'], string>> = {
  verdict: 'Verdicts on one comparison',
  outcome: 'Outcomes of all of them',
  mark: 'Marks of samples',
  metric: 'Metrics',
  'exit code': 'Exit codes',
  variable: 'Environment variables',
  term: 'Terms',
  message: 'Messages (paste what was printed)',
};
