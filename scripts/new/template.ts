import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const TEMPLATES = 'scripts/new/templates';

/** Words of a template, and their replacements. */
export type Words = Readonly<Record<string, string>>;

/**
 * Files of a template by path below their folder, with words replaced in texts and in paths. A file that tools would not treat as a template ends in
 * `.txt`, which is removed.
 */
export function filledTemplate(root: string, name: string, words: Words): Readonly<Record<string, string>> {
  const folder = join(root, TEMPLATES, name);
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .filter((path) => statSync(join(folder, path)).isFile() && !path.includes('__pycache__'));
  return Object.fromEntries(
    paths.map((path) => [
      filled(path.replace(/\.txt$/, ''), words),
      filled(readFileSync(join(folder, path), 'utf8'), words),
    ]),
  );
}

function filled(text: string, words: Words): string {
  return Object.entries(words).reduce((done, [word, own]) => done.replaceAll(word, own), text);
}
