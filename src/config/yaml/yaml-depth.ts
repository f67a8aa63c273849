import { Lexer, Parser } from 'yaml';

/** No file that people write comes near. */
export const DEEPEST = 200;

/** Longer files are data, and belong elsewhere. */
export const MOST_YAML_CHARACTERS = 1_000_000;

/** Whether a YAML text is longer than any description of services. */
export function isTooLong(text: string): boolean {
  return text.length > MOST_YAML_CHARACTERS;
}

/**
 * Where, in characters from the start, a YAML text goes deeper than any file that people write; undefined where it does not. A document is
 * made by functions that call themselves, so that too deep a text would end the program.
 */
export function tooDeepAt(text: string): number | undefined {
  const lexer = new Lexer();
  const parser = new Parser();
  for (const lexeme of lexer.lex(text)) {
    const { offset } = parser;
    // Goes on only where somebody asks for what it makes.
    for (const _made of parser.next(lexeme)) {
    }
    if (parser.stack.length > DEEPEST) {
      return offset;
    }
  }
  return undefined;
}
