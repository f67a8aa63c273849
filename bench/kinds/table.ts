import { formatChange } from '../../src/foundation/numbers.ts';
import { FIGURE_KEYS, FIGURES, type Kept, KINDS, LANGUAGE_KEYS, LANGUAGES, multipleOf } from './kind.ts';

/** The changes that were measured, as a table of Markdown. */
export function tableOf(kept: Kept): string {
  const columns = LANGUAGE_KEYS.flatMap((language) => FIGURE_KEYS.map((figure) => [language, figure] as const));
  const head = columns.map(([language, figure]) => `${LANGUAGES[language]}: ${FIGURES[figure]}`);
  const rows = [...KINDS].map(([kind, words]) => {
    const multiples = columns.map((column) => multipleOf(kept, kind, column));
    return [words, ...multiples.map((multiple) => (multiple === undefined ? '' : formatChange(multiple - 1)))];
  });
  const rule = ['---', ...columns.map(() => '---:')];
  return [['change', ...head], rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
