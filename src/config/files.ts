import { ConfigError } from '../foundation/errors.ts';

/** A file of the repository: as text, and as it is. */
interface FileContent {
  readonly text: string;
  readonly base64: string;
}

/** Gives a file by its path from the root of the repository, or why it cannot: "there is no such file". */
export type ReadFile = (path: string) => FileContent | { readonly refusal: string };

/** For configurations that name no files. */
export const NO_FILES: ReadFile = () => ({ refusal: 'there is no such file' });

/** The content of a file that a configuration names at a place; throws ConfigError where it cannot be read. */
export function contentAt(path: string, place: string, readFile: ReadFile): FileContent {
  const found = readFile(path);
  if ('refusal' in found) {
    throw new ConfigError(`${place}: ${path}: ${found.refusal}`, {
      next: 'Give the path of a file of the repository, from its root.',
    });
  }
  return found;
}
